import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Db, type SqlStatement, sql } from '@storeloom/plugin-sdk';
import { type Db as BossDb, fromKysely, type JobInsert, PgBoss } from 'pg-boss';
import { traceparent } from '../observability/trace.ts';
import { type QueueName, schema } from './queues.ts';

/** A job as the kernel sends it. */
export interface NewJob {
  queue: QueueName;
  plugin: string;
  /** Name of the job within the plugin. */
  name: string;
  /** Tenant; null for a job of the installation. */
  tenantId: string | null;
  /** Request that caused it, shown in logs. */
  requestId?: string | null;
  data?: Record<string, unknown>;
  /** Instant, or seconds from now. */
  startAfter?: string | number;
  /** At most one waiting job for each key. Queue `jobs` only. */
  key?: string;
  retryLimit?: number;
}

/** Data in the row of a job. */
export interface JobData {
  plugin: string;
  name: string;
  tenantId: string | null;
  requestId: string | null;
  /** `traceparent` of the work that sent it. */
  trace?: string;
  data: Record<string, unknown>;
}

/** Identifies one attempt of a job. */
export interface Attempt {
  queue: QueueName;
  id: string;
  attempt: number;
}

/** The claim on a job was lost while it ran, to another attempt. The transaction must not commit. */
export class ClaimLostError extends Error {
  constructor({ queue, id }: Attempt) {
    super(`job ${id} of queue ${queue} is no longer this worker's`);
    this.name = 'ClaimLostError';
  }
}

export interface Sender {
  /** Sends jobs in the caller's transaction; they are committed or rolled back with it. */
  send(db: Db, ...jobs: NewJob[]): Promise<void>;
  /** Sends delivery jobs by a queued statement, as `Db.later` describes. */
  sendLater(db: Db, ...jobs: (NewJob & { queue: 'events' })[]): Promise<void>;
  /**
   * Completes the job in the transaction that did its work, as the last statement: it switches to the platform role.
   * @throws ClaimLostError if the claim was lost, so that only one of two simultaneous attempts commits
   */
  completeInside(db: Db, job: Attempt): Promise<void>;
  /** Returns the next time of a cron expression after `from`. @throws Error for an invalid expression or time zone */
  nextTime(cron: string, timezone: string, from: Date): Date;
}

/** Result of the work of a job that `completeInside` completed. */
export const completed = Symbol('completed');

const maxKey = 500;

/** Creates a sender that works in the caller's transaction only. */
export function createSender(): Sender {
  // Statements of pg-boss itself (a queue lookup) use the caller's transaction as well: there is no pool here.
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
    throw new Error(`${job.plugin}.${job.name} could not be sent: its key was in conflict five times`);
  }

  return {
    async send(db, ...jobs) {
      const plain = Map.groupBy(
        jobs.filter((job) => job.key === undefined),
        (job) => job.queue,
      );
      for (const [queue, batch] of plain) {
        // The queue `jobs` allows one waiting job for each key, so a job without a key gets a unique one.
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
      // The queue has no unique keys, so no job is skipped.
      await caller.run(db, () => boss.insert('events', jobs.map(rowOf), { db: later, returnId: false }));
    },

    async completeInside(db, job) {
      db.later(sql`select set_config('role', 'storeloom_platform', true)`);
      const settled: { affected?: number } = await caller.run(db, () =>
        boss.complete(job.queue, { id: job.id, retryCount: job.attempt }, null, { db: fromKysely(db.query) }),
      );
      if (settled.affected !== 1) throw new ClaimLostError(job);
    },

    nextTime(cron, timezone, from) {
      const [next] = boss.previewSchedule(cron, { tz: timezone, from, count: 1 });
      if (!next) throw new Error(`the schedule ${cron} has no next time`);
      return next;
    },
  };
}

/** A statement whose text is already compiled, as pg-boss writes it. */
const statement = (text: string, values: readonly unknown[]): SqlStatement => ({
  compile: () => ({ sql: text, parameters: values }),
});

function keyOf(job: NewJob): string {
  if (job.queue !== 'jobs') throw new Error(`the queue ${job.queue} does not support keys`);
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
  throw new Error(`startAfter must be an instant or seconds from now, not ${JSON.stringify(after)}`);
}
