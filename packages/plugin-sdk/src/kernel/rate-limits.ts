import { service } from '../token.ts';

/** Factor of the installation for rate limits that don't belong to a route. */
export interface RateLimits {
  /** `RATE_LIMIT_FACTOR`: 1 as documented, 0 off. */
  readonly factor: number;
}
/** Service token of `RateLimits`. */
export const rateLimits = service<RateLimits>('kernel:rate-limits');
