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
  /** Returns true if a plugin is on for a tenant. */
  isOn(tenantId: string, plugin: string): Promise<boolean>;
}

export interface Jobs {
  /** Makes idle workers of this process poll the queue now, after it committed jobs. Without workers it has no effect. */
  wake(queue: QueueName, tenantId?: string): void;
  /** Starts workers in this process, and schedules unless `schedules` is false. */
  start(run: (job: QueuedJob) => Promise<unknown>, options?: { schedules?: boolean }): Promise<void>;
  stop(options?: { graceful?: boolean }): Promise<void>;
}

/** Creates the job runner. Its own connections are opened by `start`. */
export function createJobs(options: JobsOptions): Jobs {
  const cron = createCron({ ...options, wake: () => workers?.wake('jobs') });
  let workers: Workers | undefined;
  return {
    wake: (queue, tenantId) => workers?.wake(queue, tenantId),
    async start(run, { schedules = true } = {}) {
      if (workers) throw new Error('the workers are already running');
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
