import { service } from '../token.ts';

export interface Queues {
  all(
    tenantId: string,
  ): Promise<{ name: string; waiting: number; active: number; delayed: number; failed: number; paused: boolean }[]>;
  /** Of all tenants together. */
  totals(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
}
export const queues = service<Queues>('kernel:queues');
