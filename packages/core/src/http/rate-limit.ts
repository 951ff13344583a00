import { type Actor, Problem, type RateLimit, type Req } from '@storeloom/plugin-sdk';
import { addressOf, networkOf } from './address.ts';
import { createRateBuckets, type RateQuery } from './rate-buckets.ts';

export interface RateLimiterOptions {
  query: RateQuery;
  /** `RATE_LIMIT_FACTOR`: multiplies every limit; 0 switches them off. */
  factor: number;
  /** Keyed hash of the installation (`keyring.sign`): keys in the table don't reveal addresses or accounts. */
  sign(purpose: string, text: string): string;
}

/** The caller whose requests are counted. */
export interface RateCaller {
  /** Method and full path of the route, `POST /api/auth/login`. The versioned mirror shares the bucket: it must not double the tries. */
  route: string;
  family: string;
  tenantId: string | null;
  actor: Actor;
  ip: string | null;
}

export interface RateLimiter {
  /**
   * Consumes one point of each limit, in order, and returns the RateLimit headers. The first exhausted limit throws 429 `rate_limited` with
   * `Retry-After`; later limits are not consumed. A limit whose `when` returns false is left out. A short and a long limit together give growing delays.
   */
  consume(limits: readonly RateLimit[], caller: RateCaller, req: Req<unknown, unknown, unknown>): Promise<Record<string, string>>;
  /** Deletes buckets that are full again; returns their number. */
  purge(): Promise<number>;
}

export function createRateLimiter({ query, factor, sign }: RateLimiterOptions): RateLimiter {
  const buckets = createRateBuckets(query);
  return {
    async consume(limits, caller, req) {
      if (factor <= 0 || limits.length === 0) return {};
      const applied = [...limits.entries()]
        .filter(([, { when }]) => when?.(req) !== false)
        .map(([i, limit]) => ({
          name: policyName(limit.name, i, limits),
          key: sign('rate-limit', bucketOf(limit, caller, req)),
          points: Math.max(1, Math.round(limit.points * factor)),
          seconds: limit.seconds,
        }));
      const states = await buckets.take(applied);
      const restOf = (msLeft: number): number => Math.ceil(msLeft / 1000);
      const headers = {
        'ratelimit-policy': applied
          .slice(0, states.length)
          .map(({ name, points, seconds }) => `"${name}";q=${points};w=${seconds}`)
          .join(', '),
        ratelimit: states
          .map(({ remaining, msLeft }, i) => `"${applied[i]?.name}";r=${remaining};t=${restOf(msLeft)}`)
          .join(', '),
      };
      const last = states.at(-1);
      if (!last?.refused) return headers;
      const retryAfter = Math.max(1, restOf(last.msLeft));
      throw new Problem('rate_limited', { detail: `Try again in ${retryAfter} s.`, retryAfter, headers });
    },
    purge: () => buckets.purge(),
  };
}

/** Returns a name for the RateLimit headers; unnamed limits are numbered. */
function policyName(name = 'default', i: number, limits: readonly RateLimit[]): string {
  const clean = name.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 60);
  return limits.findIndex((limit) => (limit.name ?? 'default') === name) < i ? `${clean}-${i + 1}` : clean;
}

function bucketOf(limit: RateLimit, caller: RateCaller, req: Req<unknown, unknown, unknown>): string {
  // Where a tenant is known from the start, tenants don't share buckets. Accounts of staff are one for the installation: `auth` has no tenant.
  const scope = caller.family === 'admin' || caller.family === 'storefront' ? (caller.tenantId ?? '') : '';
  return JSON.stringify([
    limit.name ?? caller.route.replace(' /api/v1/', ' /api/'),
    limit.seconds,
    scope,
    ...counted(limit, caller, req),
  ]);
}

function counted(
  { by = 'ip' }: RateLimit,
  caller: RateCaller,
  req: Req<unknown, unknown, unknown>,
): [kind: string, value: string] {
  if (typeof by === 'function') {
    // Normalised, so that case and spaces give no further attempts. Without a value the address counts: otherwise all would share a bucket.
    const value = by(req).normalize('NFKC').trim().toLowerCase();
    return value === '' ? ['ip', networkOf(caller.ip)] : ['value', value];
  }
  if (by === 'tenant') return ['tenant', caller.tenantId ?? ''];
  if (by === 'visitor')
    return caller.actor.type === 'customer' ? ['customer', caller.actor.customerId] : ['address', addressOf(caller.ip)];
  if (by === 'actor') {
    const { actor } = caller;
    if (actor.type === 'staff' || actor.type === 'operator') return ['user', actor.userId];
    if (actor.type === 'customer') return ['customer', actor.customerId];
    // A guest can get any number of cart tokens, so they don't count as identities.
  }
  return ['ip', networkOf(caller.ip)];
}
