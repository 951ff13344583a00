import type { Ctx, PlatformCtx } from './context.ts';

/** A job, scheduled by `cron` or queued by `ctx.enqueue`. */
export interface Job<D = Record<string, unknown>> {
  /** Cron expression in the tenant's time zone (`perTenant`) or in UTC. */
  cron?: string;
  /** True to run once for each tenant in which the plugin is on. */
  perTenant?: boolean;
  /** Absent: the job runs for a tenant. */
  platform?: undefined;
  /** Number of retries after a failure. */
  retryLimit?: number;
  /** `none`: no transaction is open, the job opens its own. Default: one transaction, committed with the job's completion. */
  transaction?: 'none';
  /** Runs the job. It must be safe to repeat. */
  run(ctx: Ctx, data: D): Promise<void>;
}
/** A job of the whole installation, without a tenant. */
export interface PlatformJob<D = Record<string, unknown>> {
  /** Cron expression in UTC. */
  cron?: string;
  /** Marks a platform job. */
  platform: true;
  /** Number of retries after a failure. */
  retryLimit?: number;
  /** Runs the job. It must be safe to repeat. */
  run(ctx: PlatformCtx, data: D): Promise<void>;
}

/** The token of a job that is queued with data. */
export interface JobToken<D> {
  /** Name of the job in its plugin. */
  readonly name: string;
  readonly _data?: (data: D) => void;
}
/** The data that a job is queued with. */
export type JobData<T> = T extends JobToken<infer D> ? D : never;
/**
 * Declares a job that is queued with data: `export const refund = job<{ refundId: string }>('refund')`, then
 * `ctx.enqueue(refund, { refundId })`. The plugin defines it with `work`. A job that only its schedule starts needs no token.
 */
export function job<D extends object>(name: string): JobToken<D> {
  return Object.freeze({ name });
}
/** Defines a queued job, for `jobs` of a plugin: `jobs: { ...work(refund, { run: runRefund }), tidy: { cron: '0 3 * * *', run: tidy } }`. */
export function work<D extends object>(
  token: JobToken<D>,
  definition: Job<D> | PlatformJob<D>,
): Record<string, Job | PlatformJob> {
  // The kernel runs a job with the data that it was queued with.
  return { [token.name]: definition as Job | PlatformJob };
}
