import type { QueueOptions } from 'pg-boss';

/** Schema of pg-boss's tables, made by `migrations/0010_jobs.sql`. */
export const schema = 'jobs';

/**
 * Few queues for many kinds of job: a worker polls its queue, so one queue a kind would mean hundreds of polls a second.
 * The kind of a job stands in its data.
 */
export type QueueName = 'events' | 'mail' | 'inbound' | 'jobs';

export interface QueueDefinition {
  /** Jobs that one process runs at once. One tenant gets at most all but one of them. */
  concurrency: number;
  /** Written to the queue's row whenever workers start; what can't change later (name, policy) stands in the migration. */
  options: QueueOptions;
}

const hour = 3600;

/** `heartbeatSeconds` and `retryDelay` bring a killed worker's job back within a minute. Finished jobs are kept for an hour. */
const common = {
  heartbeatSeconds: 30,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: hour,
  retentionSeconds: 30 * 24 * hour,
  deleteAfterSeconds: hour,
} satisfies QueueOptions;

export const queues: Readonly<Record<QueueName, QueueDefinition>> = {
  // A delivery that fails is retried by its own row; the retries here are for processes that die.
  events: { concurrency: 4, options: { ...common, retryLimit: 20, expireInSeconds: 600 } },
  // A mail server may be away, or not configured, for days.
  mail: { concurrency: 2, options: { ...common, retryLimit: 120, expireInSeconds: 120 } },
  inbound: { concurrency: 2, options: { ...common, retryLimit: 24, expireInSeconds: 300 } },
  // One waiting job a key (policy `short`).
  jobs: { concurrency: 4, options: { ...common, retryLimit: 5, expireInSeconds: 6 * hour } },
};
export const queueNames = Object.keys(queues) as QueueName[];

/** Where jobs lie whose retries are used up. Nothing works on it; they are deleted after `retentionSeconds`. */
export const deadQueue = 'dead';
