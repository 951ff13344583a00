import { service } from '../token.ts';

/** What RATE_LIMIT_FACTOR says, for limits that aren't a route's: 1 as documented, 0 off. */
export interface RateLimits {
  readonly factor: number;
}
export const rateLimits = service<RateLimits>('kernel:rate-limits');
