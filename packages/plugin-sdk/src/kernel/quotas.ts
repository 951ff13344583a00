import { collect, service } from '../token.ts';

/**
 * Limits of the tenant's plan, by name (`products`, `mailsPerMonth`). A name that ends with `PerMonth` or `PerDay` is an allowance for that
 * period in the shop's time zone, any other name the number of rows that may exist at a time. What the plan doesn't limit is unlimited.
 * Built in: `products`, `staff`, `storageMb`, `domains`, `ordersPerMonth`. Provided by the foundation plugin platform.
 */
export interface Quotas {
  /**
   * Checks the limit before `adding` rows (default 1) are created, in their transaction. Concurrent callers run one after the other, so
   * that each counts what the one before it has added.
   * @throws Problem 402 `quota_exceeded {resource, limit, used}`
   */
  require(resource: string, count: () => Promise<number>, adding?: number): Promise<void>;
  /**
   * Uses up `amount` (default 1) of an allowance, in the caller's transaction.
   * @throws Problem 402 `quota_exceeded {resource, limit, used}`
   */
  consume(resource: string, amount?: number): Promise<void>;
}
/** Service token of `Quotas`. */
export const quotas = service<Quotas>('platform:quotas');

/** Reports the present number of rows. Every plugin that calls `quotas.require` taps it. */
export const quotaUsage = collect<Record<never, never>, { resource: string; used: number }>('platform:quota.usage', {
  policy: 'skip',
});
