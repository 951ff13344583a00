import type { Units } from '../context/units.ts';
import { type CronJob, createCron } from './cron.ts';
import type { QueueName } from './queues.ts';
import type { Sender } from './sender.ts';
import { type QueuedJob, startWorkers, type WorkerOptions, type Workers } from './workers.ts';

export interface JobsOptions extends WorkerOptions {
  units: Units;
  sender: Sender;
  /** Jobs with a schedule. */
  schedules: readonly CronJob[];
  /** Whether a plugin is on for a tenant. */
  isOn(tenantId: string, plugin: string): Promise<boolean>;
}

export interface Jobs {
  /** Jobs of the queue were committed by this process: its workers look at once. Does nothing where none run. */
  wake(queue: QueueName): void;
  /** Starts workers in this process, and schedules unless told otherwise. */
  start(run: (job: QueuedJob) => Promise<void>, options?: { schedules?: boolean }): Promise<void>;
  stop(options?: { graceful?: boolean }): Promise<void>;
}

/** What works off the jobs that were sent. Connections of its own come with `start`. */
export function createJobs(options: JobsOptions): Jobs {
  const cron = createCron({ ...options, wake: () => workers?.wake('jobs') });
  let workers: Workers | undefined;
  return {
    wake: (queue) => workers?.wake(queue),
    async start(run, { schedules = true } = {}) {
      if (workers) throw new Error('the workers run already');
      workers = await startWorkers(options, run);
      if (schedules) cron.start();
    },
    async stop(how) {
      await cron.stop();
      await workers?.stop(how);
      workers = undefined;
    },
  };
}
