import type { Log } from '@storeloom/plugin-sdk';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { inTrace } from '../observability/trace.ts';
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
  /** URL of a login that can use the platform role; a direct connection, or PgBouncer in transaction mode. */
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
  /** Makes idle workers poll the queue now. */
  wake(queue: QueueName): void;
  /** Stops taking jobs and waits at most 30 seconds for the running ones; the rest is retried after the heartbeat timeout. */
  stop(options?: { graceful?: boolean }): Promise<void>;
}

/** Starts the workers of this process. An error of `run` makes the job be retried. */
export async function startWorkers(options: WorkerOptions, run: (job: QueuedJob) => Promise<void>): Promise<Workers> {
  const { log, pollSeconds = 2, superviseSeconds = 15 } = options;
  const boss = new PgBoss({
    connectionString: options.url,
    // Claims, heartbeats and completions only: the work itself uses the kernel's pool.
    max: 4,
    connectionTimeoutMillis: 30_000,
    application_name: 'storeloom-jobs',
    options: '-c role=storeloom_platform -c timezone=UTC -c statement_timeout=60000',
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
  const failed = repeatedly(log, 'job queue failed');
  let stopping = false;
  boss.on('error', (error) => {
    // A poll in progress is cut off when an embedded database stops together with the process.
    if (!stopping || !/^57P/.test(String((error as { code?: unknown }).code))) failed(error);
  });
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  await boss.start();

  // Any idle worker polls; a busy one polls again as soon as it has finished.
  const wake = (queue: QueueName): void => {
    const all = boss.getWipData().filter(({ name }) => name === queue);
    const idle = all.find(({ count }) => count === 0);
    for (const { id } of idle ? [idle] : all) boss.notifyWorker(id);
  };

  /** A finished worker frees its tenant's slot only after this: it must poll itself, since an idle one still finds the slot taken. */
  const wakeAll = (queue: QueueName): void => {
    for (const { id, name } of boss.getWipData()) if (name === queue) boss.notifyWorker(id);
  };

  async function work(queue: QueueName): Promise<void> {
    const { concurrency } = queues[queue];
    const how = {
      batchSize: 1,
      includeMetadata: true as const,
      pollingIntervalSeconds: pollSeconds,
      localConcurrency: concurrency,
      localGroupConcurrency: Math.max(1, concurrency - 1),
    };
    await boss.work<JobData, void, typeof how>(queue, how, async ([claimed]) => {
      if (!claimed) return;
      // There may be more jobs: poll now, and again when this one has finished.
      wake(queue);
      await inTrace(claimed.data.trace, () => once(queue, jobOf(queue, claimed)));
    });
  }

  async function once(queue: QueueName, job: QueuedJob): Promise<void> {
    const started = performance.now();
    try {
      await run(job);
      options.onJob?.(job, 'done', (performance.now() - started) / 1000);
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
    } finally {
      wakeAll(queue);
    }
  }

  for (const queue of queueNames) {
    const settings = { ...queues[queue].options, deadLetter: deadQueue };
    if (options.heartbeatSeconds !== undefined) settings.heartbeatSeconds = options.heartbeatSeconds;
    await boss.updateQueue(queue, settings);
    await work(queue);
  }
  return {
    wake,
    stop({ graceful = true } = {}) {
      stopping = true;
      return boss.stop({ graceful, timeout: 30_000 });
    },
  };
}

function jobOf(queue: QueueName, claimed: JobWithMetadata<JobData>): QueuedJob {
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
    signal: claimed.signal,
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
