import { type Actor, Problem, type RateLimit, type Req } from '@storeloom/plugin-sdk';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { addressOf, networkOf } from './address.ts';

/** Runs one statement as the platform role, outside any transaction (a pool with `role: storeloom_platform`). */
export type RateQuery = (statement: {
  text: string;
  values?: unknown[];
}) => Promise<{ rows: unknown[]; rowCount: number | null }>;

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

const table = 'core_rate';

export function createRateLimiter({ query, factor, sign }: RateLimiterOptions): RateLimiter {
  // The library names its prepared statements, which a pooler in transaction mode doesn't keep.
  const storeClient = {
    query: ({ text, values }: { text: string; values?: unknown[] }) => query(values ? { text, values } : { text }),
  };
  const limiters = new Map<string, RateLimiterPostgres>();
  const limiterOf = (points: number, seconds: number): RateLimiterPostgres => {
    const id = `${points}/${seconds}`;
    let limiter = limiters.get(id);
    if (!limiter) {
      // An exhausted key is rejected from memory until its bucket is full again, without a query.
      limiter = new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: table,
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: '',
        points,
        duration: seconds,
        inMemoryBlockOnConsumed: points,
      });
      limiters.set(id, limiter);
    }
    return limiter;
  };

  return {
    async consume(limits, caller, req) {
      if (factor <= 0 || limits.length === 0) return {};
      const policies: string[] = [];
      const states: string[] = [];
      const headers = (): Record<string, string> => ({ 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') });
      for (const [i, limit] of limits.entries()) {
        if (limit.when?.(req) === false) continue;
        const points = Math.max(1, Math.round(limit.points * factor));
        const name = policyName(limit.name, i, limits);
        const { state, refused } = await take(limiterOf(points, limit.seconds), sign('rate-limit', bucketOf(limit, caller, req)));
        const rest = Math.max(0, Math.ceil(state.msBeforeNext / 1000));
        policies.push(`"${name}";q=${points};w=${limit.seconds}`);
        states.push(`"${name}";r=${refused ? 0 : state.remainingPoints};t=${rest}`);
        if (refused)
          throw new Problem('rate_limited', {
            detail: `Try again in ${Math.max(1, rest)} s.`,
            retryAfter: Math.max(1, rest),
            headers: headers(),
          });
      }
      return headers();
    },
    async purge() {
      const { rowCount } = await query({ text: `delete from ${table} where expire < $1`, values: [Date.now()] });
      return rowCount ?? 0;
    },
  };
}

async function take(limiter: RateLimiterPostgres, bucket: string): Promise<{ state: RateLimiterRes; refused: boolean }> {
  try {
    return { state: await limiter.consume(bucket), refused: false };
  } catch (error) {
    // The library rejects with the state of the bucket; other errors are the database's.
    if (error instanceof RateLimiterRes) return { state: error, refused: true };
    throw error;
  }
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
