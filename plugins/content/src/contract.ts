import { service } from '@storeloom/plugin-sdk';

/** Addresses of the shop that have moved. Paths begin with `/`, without query. */
export interface Redirects {
  /**
   * The page at `fromPath` is at `to` now: 301. What leads to `fromPath` leads to `to` from now on, and a redirect away from `to` goes.
   * Replaces what there was for `fromPath`.
   */
  add(redirect: { fromPath: string; to: string }): Promise<void>;
  /** Counted as a hit. */
  find(path: string): Promise<{ to: string; code: number } | undefined>;
}
export const redirects = service<Redirects>('content:redirects');
