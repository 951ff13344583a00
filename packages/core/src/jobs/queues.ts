import type { QueueOptions } from 'pg-boss';

/** Schema of pg-boss's tables, created by `migrations/0010_jobs.sql`. */
export const schema = 'jobs';

/**
 * A few queues for all jobs, since workers poll each queue: one queue for each job would mean hundreds of polls a second. The name of the
 * job is in its data.
 */
export type QueueName = 'events' | 'mail' | 'inbound' | 'jobs';

export interface QueueDefinition {
  /** Simultaneous jobs of one process. One tenant gets at most all but one of them. */
  concurrency: number;
  /** Written to the queue's row when workers start; what can't be changed later (name, policy) is in the migration. */
  options: QueueOptions & { heartbeatSeconds: number };
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
  // A failed delivery is retried by its own row; the retries here are for processes that die.
  events: { concurrency: 4, options: { ...common, retryLimit: 20, expireInSeconds: 600 } },
  // A mail server can be unreachable, or not configured, for days.
  mail: { concurrency: 4, options: { ...common, retryLimit: 120, expireInSeconds: 120 } },
  inbound: { concurrency: 2, options: { ...common, retryLimit: 24, expireInSeconds: 300 } },
  // One waiting job for each key (policy `short`).
  jobs: { concurrency: 4, options: { ...common, retryLimit: 5, expireInSeconds: 6 * hour } },
};
export const queueNames = Object.keys(queues) as QueueName[];

/** Dead letter queue: jobs without retries left. They are not processed, and deleted after `retentionSeconds`. */
export const deadQueue = 'dead';
