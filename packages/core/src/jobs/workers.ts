import { inBackground, statementName } from '@storeloom/data';
import type { Log } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { inTrace } from '../observability/trace.ts';
import { Crew, type CrewOptions } from './crew.ts';
import { deadQueue, type QueueName, queueNames, queues, schema } from './queues.ts';
import { ClaimLostError, type JobData } from './sender.ts';

/** An attempt of a job that a worker has claimed. */
export interface QueuedJob {
  readonly id: string;
  readonly queue: QueueName;
  readonly plugin: string;
  readonly name: string;
  readonly tenantId: string | null;
  readonly requestId: string;
  readonly data: Record<string, unknown>;
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
  /** Aborted when the claim is lost or the process stops waiting for the job. */
  readonly signal: AbortSignal;
}

export interface WorkerOptions {
  /** URL of a login that can use the platform role. A direct connection: the statements of the queue are prepared. */
  url: string;
  log: Log;
  /** Polling interval of an idle queue in seconds. Jobs of this process are picked up immediately. */
  pollSeconds?: number;
  /** Seconds after the last heartbeat at which the job of a killed worker is due again. */
  heartbeatSeconds?: number;
  /** Interval in seconds of the supervisor, which finds such jobs. */
  superviseSeconds?: number;
  onJob?(job: QueuedJob, outcome: 'done' | 'failed', seconds: number): void;
}

export interface Workers {
  /** Claims the waiting jobs of the queue now, if a worker is idle. `tenantId`: the tenant that sent them, if all are of one. */
  wake(queue: QueueName, tenantId?: string): void;
  /** Stops taking jobs and waits at most 30 seconds for the running ones; the others are retried. */
  stop(options?: { graceful?: boolean }): Promise<void>;
}

const stopSeconds = 30;

/**
 * Starts the workers of this process. An error of `run` makes the job be retried. A job whose `run` returns `completed` is not completed
 * again.
 */
export async function startWorkers(options: WorkerOptions, run: (job: QueuedJob) => Promise<unknown>): Promise<Workers> {
  const { log, pollSeconds = 2, superviseSeconds = 15 } = options;
  let stopping = false;
  const repeated = repeatedly(log, 'job queue failed');
  const failed = (error: Error): void => {
    // A poll in progress is cut off when an embedded database stops together with the process.
    if (!stopping || !/^57P/.test(String((error as { code?: unknown }).code))) repeated(error);
  };
  const pool = openPool(options.url, failed);
  const boss = new PgBoss({
    db: { executeSql: (text, values = []) => pool.query(prepared(text, values)) },
    schema,
    migrate: false,
    createSchema: false,
    supervise: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    schedule: false,
    registerInstance: false,
    // Flows and LISTEN are not used: pg_notify makes every commit of the installation wait for the one before it.
    flowIntervalSeconds: 3600,
    useListenNotify: false,
  });
  boss.on('error', failed);
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  await boss.start();

  async function once(queue: QueueName, job: QueuedJob): Promise<unknown> {
    const started = performance.now();
    try {
      const result = await run(job);
      options.onJob?.(job, 'done', (performance.now() - started) / 1000);
      return result;
    } catch (error) {
      options.onJob?.(job, 'failed', (performance.now() - started) / 1000);
      const fields = {
        queue,
        job: job.id,
        plugin: job.plugin,
        name: job.name,
        tenant_id: job.tenantId,
        request_id: job.requestId,
      };
      if (error instanceof ClaimLostError) log.warn(fields, 'a job lost its claim to another attempt');
      else log.error({ ...fields, err: error, attempt: job.attempt, last: job.lastAttempt }, 'job failed');
      throw stored(error);
    }
  }

  const crews = new Map<QueueName, Crew>();
  for (const queue of queueNames) {
    const { heartbeatSeconds = queues[queue].options.heartbeatSeconds } = options;
    await boss.updateQueue(queue, { ...queues[queue].options, heartbeatSeconds, deadLetter: deadQueue });
    const { concurrency } = queues[queue];
    const work: CrewOptions['work'] = (claimed, signal) =>
      inTrace(claimed.data.trace, () => inBackground(() => once(queue, jobOf(queue, claimed, signal))));
    crews.set(queue, new Crew({ boss, queue, concurrency, pollSeconds, heartbeatSeconds, work, failed }));
  }
  async function end(seconds: number): Promise<void> {
    await Promise.all([...crews.values()].map((crew) => crew.stop(seconds)));
    await boss.stop({ graceful: false });
    await pool.end();
  }
  let stopped: Promise<void> | undefined;
  return {
    wake: (queue, tenantId) => crews.get(queue)?.wake(tenantId),
    stop({ graceful = true } = {}) {
      stopping = true;
      return (stopped ??= end(graceful ? stopSeconds : 0));
    },
  };
}

/**
 * pg-boss itself prepares no statement, and planning a claim takes longer than executing it. A text without values can consist of several
 * statements, which can't be prepared; a semicolon inside a literal only costs the name.
 */
function prepared(text: string, values: unknown[]): pg.QueryConfig {
  const name = values.length === 0 && text.includes(';') ? undefined : statementName(text);
  return name === undefined ? { text, values } : { name, text, values };
}

/** Claims, heartbeats and completions only: the work itself uses the kernel's pool. */
function openPool(connectionString: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 4,
    connectionTimeoutMillis: 30_000,
    application_name: 'storeloom-jobs',
    options:
      '-c role=storeloom_platform -c timezone=UTC -c statement_timeout=60000 -c jit=off -c plan_cache_mode=force_generic_plan',
  });
  pool.on('error', onError);
  // The pool handles errors of idle clients only, and the second error of one would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

function jobOf(queue: QueueName, claimed: JobWithMetadata<JobData>, signal: AbortSignal): QueuedJob {
  const { plugin, name, tenantId, requestId, data } = claimed.data;
  return {
    id: claimed.id,
    queue,
    plugin,
    name,
    tenantId,
    requestId: requestId ?? claimed.id,
    data,
    attempt: claimed.retryCount,
    lastAttempt: claimed.retryCount >= claimed.retryLimit,
    signal,
  };
}

/** Returns the error to store with the job: of a database error only the SQLSTATE, since its message contains values. */
function stored(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the job threw a value that is not an Error');
  const { code } = error as { code?: unknown };
  const text = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `database error ${code}` : error.message;
  const kept = new Error(text.slice(0, 500));
  kept.name = error.name;
  delete kept.stack;
  return kept;
}

/** Logs the same error at most every 30 seconds, with its number: without the database every poll fails. */
function repeatedly(log: Log, message: string): (error: Error) => void {
  const seen = new Map<string, { at: number; times: number }>();
  return (error) => {
    const known = seen.get(error.message);
    if (known && Date.now() - known.at < 30_000) {
      known.times++;
      return;
    }
    if (seen.size > 100) seen.clear();
    seen.set(error.message, { at: Date.now(), times: 0 });
    log.error({ err: error, repeated: known?.times ?? 0 }, message);
  };
}
