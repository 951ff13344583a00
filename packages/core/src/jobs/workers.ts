import type { Log } from '@storeloom/plugin-sdk';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { inTrace } from '../observability/trace.ts';
import { deadQueue, type QueueName, queueNames, queues, schema } from './queues.ts';
import { ClaimLostError, type JobData } from './sender.ts';

/** One attempt of a job, as a worker has claimed it. */
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
  /** URL of a login that may take the platform role; a direct connection or PgBouncer in transaction mode. */
  url: string;
  log: Log;
  /** Seconds between two looks at an idle queue. Jobs that this process sends are seen at once. */
  pollSeconds?: number;
  /** Seconds after the last sign of life at which a killed worker's job is due again. */
  heartbeatSeconds?: number;
  /** Seconds between two passes of the supervisor, which finds such jobs. */
  superviseSeconds?: number;
  onJob?(job: QueuedJob, outcome: 'done' | 'failed', seconds: number): void;
}

export interface Workers {
  /** A job was sent: look now. */
  wake(queue: QueueName): void;
  /** Takes no more jobs and waits for the running ones, at most 30 seconds; the rest come back by their heartbeat. */
  stop(options?: { graceful?: boolean }): Promise<void>;
}

/** Starts the workers of this process. `run` throws to have the job tried again. */
export async function startWorkers(options: WorkerOptions, run: (job: QueuedJob) => Promise<void>): Promise<Workers> {
  const { log, pollSeconds = 2, superviseSeconds = 15 } = options;
  const boss = new PgBoss({
    connectionString: options.url,
    // Only claims, heartbeats and settlements: the work itself uses the kernel's pool.
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
    // A look at the queue that was under way when the process was told to end is cut off with the database that ends with it.
    if (!stopping || !/^57P/.test(String((error as { code?: unknown }).code))) failed(error);
  });
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  await boss.start();

  // Any idle worker serves; where none is idle, each looks again as soon as it is through.
  const wake = (queue: QueueName): void => {
    const all = boss.getWipData().filter(({ name }) => name === queue);
    const idle = all.find(({ count }) => count === 0);
    for (const { id } of idle ? [idle] : all) boss.notifyWorker(id);
  };

  /** A worker that is through frees its tenant's place only after this: it must look again itself, an idle one finds the place taken. */
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
      // Where one job was, there may be more: somebody looks now, and again when this one is through.
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
      if (error instanceof ClaimLostError) log.warn(fields, 'a job outran its claim; another attempt has it');
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

/** What of an error may stand in the job's row: driver texts carry values, so of those only the SQLSTATE. */
function stored(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('a job threw something that is no error');
  const { code } = error as { code?: unknown };
  const text = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `database error ${code}` : error.message;
  const kept = new Error(text.slice(0, 500));
  kept.name = error.name;
  delete kept.stack;
  return kept;
}

/** While the database is away, every poll fails alike: the same text is logged every 30 seconds, with how often it came. */
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
