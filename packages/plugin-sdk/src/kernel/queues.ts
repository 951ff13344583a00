import { service } from '../token.ts';

/** Counts jobs. For foundation plugins. */
export interface Queues {
  /** Returns the jobs of a tenant by queue. */
  all(
    tenantId: string,
  ): Promise<{ name: string; waiting: number; active: number; delayed: number; failed: number; paused: boolean }[]>;
  /** Returns the jobs of all tenants together. */
  totals(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
}
/** Service token of `Queues`. */
export const queues = service<Queues>('kernel:queues');
