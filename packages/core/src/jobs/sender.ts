import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Db, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { type Db as BossDb, fromKysely, type JobInsert, PgBoss } from 'pg-boss';
import { traceparent } from '../observability/trace.ts';
import { type QueueName, schema } from './queues.ts';

/** A job as the kernel sends it. */
export interface NewJob {
  queue: QueueName;
  plugin: string;
  /** Kind of job within the plugin. */
  name: string;
  /** Whose work it is; null for the installation's. */
  tenantId: string | null;
  /** Request that caused it, shown in logs. */
  requestId?: string | null;
  data?: Record<string, unknown>;
  /** Instant, or seconds from now. */
  startAfter?: string | number;
  /** One waiting job a key. Queue `jobs` only. */
  key?: string;
  retryLimit?: number;
}

/** What stands in the row of a job. */
export interface JobData {
  plugin: string;
  name: string;
  tenantId: string | null;
  requestId: string | null;
  /** `traceparent` of the work that left it. */
  trace?: string;
  data: Record<string, unknown>;
}

/** Names one attempt of a job. */
export interface Attempt {
  queue: QueueName;
  id: string;
  attempt: number;
}

/** The claim on a job was lost while it ran: another attempt has it, or had it. The transaction must not commit. */
export class ClaimLostError extends Error {
  constructor({ queue, id }: Attempt) {
    super(`job ${id} of queue ${queue} is no longer this worker's`);
    this.name = 'ClaimLostError';
  }
}

export interface Sender {
  /** Inside the caller's transaction: the jobs are there when it commits, and never if it doesn't. */
  send(db: Db, ...jobs: NewJob[]): Promise<void>;
  /** The same for deliveries of events, by a statement that nobody waits for: it goes out as `Db.later` says. */
  sendLater(db: Db, ...jobs: (NewJob & { queue: 'events' })[]): Promise<void>;
  /**
   * Settles the job in the transaction that did its work, as its last statement: the transaction takes the platform role. Throws where
   * the claim was lost, so that of two attempts at once only one commits.
   */
  settleInside(db: Db, job: Attempt): Promise<void>;
  /** The next time of a cron expression strictly after `from`. Throws on a bad expression or zone. */
  nextTime(cron: string, timezone: string, from: Date): Date;
}

const maxKey = 500;

/** Needs nothing but the caller's transaction. */
export function createSender(): Sender {
  // Statements that pg-boss runs of its own accord (it looks up a queue once) use the caller's transaction too: there is no pool here.
  const caller = new AsyncLocalStorage<Db>();
  const boss = new PgBoss({
    schema,
    db: {
      executeSql(text, values) {
        const db = caller.getStore();
        if (!db) throw new Error('a job can only be sent inside a transaction');
        return fromKysely(db.query).executeSql(text, values);
      },
    },
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
  });

  const insert = (db: Db, queue: QueueName, jobs: JobInsert<JobData>[]): Promise<string[] | null> =>
    caller.run(db, () => boss.insert(queue, jobs, { db: fromKysely(db.query), returnId: true }));

  async function sendKeyed(db: Db, job: NewJob): Promise<void> {
    const singletonKey = keyOf(job);
    for (let attempt = 0; attempt < 5; attempt++) {
      const sent = await insert(db, job.queue, [{ ...rowOf(job), singletonKey }]);
      if (sent?.length === 1) return;
      const held = await db.first<{ held: boolean }>(sql`select core_hold_waiting_job(${job.queue}, ${singletonKey}) as held`);
      if (held?.held) return;
    }
    throw new Error(`${job.plugin}.${job.name} could not be sent: jobs with its key came and went five times`);
  }

  return {
    async send(db, ...jobs) {
      const plain = Map.groupBy(
        jobs.filter((job) => job.key === undefined),
        (job) => job.queue,
      );
      for (const [queue, batch] of plain) {
        // Queue `jobs` takes one waiting job a key, so a job without one gets a key of its own.
        const rows = batch.map((job) => (queue === 'jobs' ? { ...rowOf(job), singletonKey: randomUUID() } : rowOf(job)));
        const sent = await insert(db, queue, rows);
        if (sent?.length !== rows.length)
          throw new Error(`${rows.length - (sent?.length ?? 0)} jobs of queue ${queue} were not sent`);
      }
      for (const job of jobs) if (job.key !== undefined) await sendKeyed(db, job);
    },

    async sendLater(db, ...jobs) {
      const later: BossDb = {
        async executeSql(text, values = []) {
          db.later(statement(text, values));
          return { rows: [] };
        },
      };
      // Nothing is skipped: the queue takes any number of jobs alike.
      await caller.run(db, () => boss.insert('events', jobs.map(rowOf), { db: later, returnId: false }));
    },

    async settleInside(db, job) {
      await db.run(sql`select set_config('role', 'storeloom_platform', true)`);
      const settled: { affected?: number } = await caller.run(db, () =>
        boss.complete(job.queue, { id: job.id, retryCount: job.attempt }, null, { db: fromKysely(db.query) }),
      );
      if (settled.affected !== 1) throw new ClaimLostError(job);
    },

    nextTime(cron, timezone, from) {
      const [next] = boss.previewSchedule(cron, { tz: timezone, from, count: 1 });
      if (!next) throw new Error(`the schedule ${cron} has no further time`);
      return next;
    },
  };
}

/** A statement with numbered parameters, as pg-boss writes it. */
function statement(text: string, values: readonly unknown[]): RawBuilder<unknown> {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  );
}

function keyOf(job: NewJob): string {
  if (job.queue !== 'jobs') throw new Error(`queue ${job.queue} takes no keys`);
  const key = `${job.tenantId ?? '-'} ${job.plugin}.${job.name} ${job.key}`;
  if (key.length > maxKey) throw new Error(`the key of a ${job.plugin}.${job.name} job is too long`);
  return key;
}

function rowOf(job: NewJob): JobInsert<JobData> {
  const { plugin, name, tenantId, requestId = null, data = {}, startAfter, retryLimit } = job;
  const trace = traceparent();
  return {
    data: { plugin, name, tenantId, requestId, ...(trace === undefined ? {} : { trace }), data },
    ...(startAfter === undefined ? {} : { startAfter: start(startAfter) }),
    ...(tenantId === null ? {} : { group: { id: tenantId } }),
    ...(retryLimit === undefined ? {} : { retryLimit }),
  };
}

function start(after: string | number): string | number {
  if (typeof after === 'number') {
    if (Number.isFinite(after) && after >= 0) return after;
  } else if (!Number.isNaN(Date.parse(after))) return new Date(after).toISOString();
  throw new Error(`a job can't start after ${JSON.stringify(after)}: give an instant, or seconds from now`);
}
