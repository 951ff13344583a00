import { createHmac } from 'node:crypto';
import { createPool } from '@storeloom/data';
import { type Actor, Problem, type RateLimit, type Req } from '@storeloom/plugin-sdk';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type CoreDatabase, coreDatabase } from '../../test/core-database.ts';
import { networkOf } from './address.ts';
import type { RateQuery } from './rate-buckets.ts';
import { createRateLimiter, type RateCaller, type RateLimiter } from './rate-limit.ts';

let core: CoreDatabase;
let pool: pg.Pool;
let queries = 0;
const query: RateQuery = (statement) => {
  queries++;
  return pool.query(statement);
};
beforeAll(async () => {
  core = await coreDatabase();
  pool = createPool({ url: core.runtimeUrl, max: 5, statementTimeout: 5000, role: 'storeloom_platform' }, (error) =>
    console.error(error),
  );
});
afterAll(async () => {
  await pool.end();
  await core.close();
});
beforeEach(() => {
  queries = 0;
});

const sign = (purpose: string, text: string): string =>
  createHmac('sha256', 'a key').update(`${purpose} ${text}`).digest('base64url');
const make = (factor = 1): RateLimiter => createRateLimiter({ query, factor, sign });
const guest: Actor = { type: 'guest' };
/** The clock is frozen from here, so that a short window does not end early on a busy machine. */
function stopClock(): { advance(milliseconds: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  return { advance: (milliseconds) => vi.setSystemTime(Date.now() + milliseconds) };
}
afterEach(() => {
  vi.useRealTimers();
});
let route = 0;
const caller = (more: Partial<RateCaller> = {}): RateCaller => ({
  route: `POST /r${route}`,
  family: 'storefront',
  tenantId: 't1',
  actor: guest,
  ip: '203.0.113.7',
  ...more,
});
beforeEach(() => {
  route++;
});
const req = (body: unknown = {}): Req<unknown, unknown, unknown> => ({ body }) as Req<unknown, unknown, unknown>;
async function outcome(
  limiter: RateLimiter,
  limits: RateLimit[],
  who: RateCaller = caller(),
  request = req(),
): Promise<number | Problem> {
  try {
    const headers = await limiter.consume(limits, who, request);
    return Number(/;r=(\d+)/.exec(headers.ratelimit as string)?.[1]);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('a visitor has a limit of their own, and a network a wider one for all its visitors', async () => {
  const limiter = make();
  const limits: RateLimit[] = [
    { points: 2, seconds: 60, by: 'visitor' },
    { points: 5, seconds: 60 },
  ];
  const from = (ip: string, actor: Actor = guest) => outcome(limiter, limits, caller({ ip, actor }));
  for (let i = 0; i < 2; i++) expect(await from('203.0.113.7')).toEqual(expect.any(Number));
  expect(await from('203.0.113.7')).toBeInstanceOf(Problem);
  // Other visitors of the network aren't refused with them, until the network's limit is used up.
  expect(await from('203.0.113.8')).toEqual(expect.any(Number));
  const customer = { type: 'customer', customerId: 'c1', authAt: 0 } as unknown as Actor;
  expect(await from('203.0.113.7', customer)).toEqual(expect.any(Number));
  expect(await from('203.0.113.9')).toEqual(expect.any(Number));
  expect(await from('203.0.113.10')).toBeInstanceOf(Problem);
  expect(await from('198.51.100.1')).toEqual(expect.any(Number));
});

test('exactly the limit passes, over two processes, and the rest gets Retry-After', async () => {
  const processes = [make(), make()];
  const limits: RateLimit[] = [{ points: 10, seconds: 60 }];
  const outcomes = await Promise.all(Array.from({ length: 60 }, (_, i) => outcome(processes[i % 2] as RateLimiter, limits)));
  const refused = outcomes.filter((one): one is Problem => one instanceof Problem);
  expect(outcomes.filter((one) => typeof one === 'number').sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(refused).toHaveLength(50);
  for (const problem of refused) {
    expect(problem.code).toBe('rate_limited');
    expect(problem.extra.retryAfter).toBeGreaterThan(0);
    expect(problem.extra.retryAfter).toBeLessThanOrEqual(60);
    expect(problem.extra.headers).toMatchObject({
      'ratelimit-policy': '"default";q=10;w=60',
      ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
    });
  }
});

test('a caller who is used up is refused from memory', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 2, seconds: 60 }];
  for (let i = 0; i < 3; i++) await outcome(limiter, limits);
  const asked = queries;
  for (let i = 0; i < 20; i++) expect(await outcome(limiter, limits)).toBeInstanceOf(Problem);
  expect(queries).toBe(asked);
  expect(asked).toBe(2);
});

test('after the window it is full again, and purge takes the leftovers', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 1, seconds: 1 }];
  const clock = stopClock();
  expect(await outcome(limiter, limits)).toBe(0);
  expect(await outcome(limiter, limits)).toBeInstanceOf(Problem);
  clock.advance(1100);
  expect(await outcome(limiter, limits)).toBe(0);
  clock.advance(1100);
  expect(await limiter.purge()).toBeGreaterThan(0);
});

test('the factor scales every limit, and 0 is off without a query', async () => {
  const limits: RateLimit[] = [{ points: 2, seconds: 60 }];
  expect(await outcome(make(3), limits)).toBe(5);
  expect(await outcome(make(0.01), limits, caller({ route: 'POST /tiny' }))).toBe(0);
  const before = queries;
  expect(await make(0).consume(limits, caller(), req())).toEqual({});
  expect(queries).toBe(before);
});

test('addresses count by network, tenants and routes apart', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 1, seconds: 60 }];
  expect(await outcome(limiter, limits)).toBe(0);
  expect(await outcome(limiter, limits, caller({ ip: '203.0.113.200' }))).toBeInstanceOf(Problem);
  expect(await outcome(limiter, limits, caller({ ip: '::ffff:203.0.113.9' }))).toBeInstanceOf(Problem);
  expect(await outcome(limiter, limits, caller({ ip: '203.0.114.7' }))).toBe(0);
  expect(await outcome(limiter, limits, caller({ tenantId: 't2' }))).toBe(0);
  expect(await outcome(limiter, limits, caller({ route: 'POST /other' }))).toBe(0);
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('not an address')).toBe('unknown');
});

test('routes that share a name share the bucket; an account counts in any spelling, over all tenants in auth', async () => {
  const limiter = make();
  const limits: RateLimit[] = [
    { points: 2, seconds: 60, name: `sign-in-${route}`, by: (request) => (request.body as { email: string }).email },
  ];
  const auth = (tenantId: string | null, path: string): RateCaller => caller({ family: 'auth', tenantId, route: path, ip: null });
  expect(await outcome(limiter, limits, auth('t1', 'POST /a'), req({ email: 'ana@example.com' }))).toBe(1);
  expect(await outcome(limiter, limits, auth('t2', 'POST /b'), req({ email: ' ANA@example.com ' }))).toBe(0);
  expect(await outcome(limiter, limits, auth(null, 'POST /c'), req({ email: 'ana@example.com' }))).toBeInstanceOf(Problem);
  expect(await outcome(limiter, limits, auth(null, 'POST /c'), req({ email: 'eva@example.com' }))).toBe(1);
});

test('the versioned mirror of a route gives no further tries', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 1, seconds: 60 }];
  expect(await outcome(limiter, limits, caller({ family: 'auth', route: 'POST /api/auth/login' }))).toBe(0);
  expect(await outcome(limiter, limits, caller({ family: 'auth', route: 'POST /api/v1/auth/login' }))).toBeInstanceOf(Problem);
});

test('an empty value counts by address instead of for all', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 1, seconds: 60, by: () => '' }];
  expect(await outcome(limiter, limits, caller({ ip: '198.51.100.1' }))).toBe(0);
  expect(await outcome(limiter, limits, caller({ ip: '192.0.2.1' }))).toBe(0);
  expect(await outcome(limiter, limits, caller({ ip: '192.0.2.1' }))).toBeInstanceOf(Problem);
});

test('users and customers are counted by id, guests by address', async () => {
  const limiter = make();
  const limits: RateLimit[] = [{ points: 1, seconds: 60, by: 'actor' }];
  const customer = (customerId: string): RateCaller => caller({ actor: { type: 'customer', customerId, authAt: '' } });
  expect(await outcome(limiter, limits, customer('c1'))).toBe(0);
  expect(await outcome(limiter, limits, customer('c2'))).toBe(0);
  expect(await outcome(limiter, limits, customer('c1'))).toBeInstanceOf(Problem);
  expect(await outcome(limiter, limits)).toBe(0);
});

test('of several limits the first that is exhausted answers, and takes nothing from the later ones', async () => {
  const limiter = make();
  const limits: RateLimit[] = [
    { points: 2, seconds: 1, name: 'burst' },
    { points: 3, seconds: 60, name: 'hour' },
  ].map((limit) => ({ ...limit, name: `${limit.name}${route}` }));
  const clock = stopClock();
  const headers = await limiter.consume(limits, caller(), req());
  expect(headers['ratelimit-policy']).toBe(`"burst${route}";q=2;w=1, "hour${route}";q=3;w=60`);
  expect(headers.ratelimit).toMatch(new RegExp(`^"burst${route}";r=1;t=1, "hour${route}";r=2;t=60$`));
  const unnamed = await limiter.consume(
    [
      { points: 9, seconds: 60 },
      { points: 99, seconds: 3600 },
    ],
    caller(),
    req(),
  );
  expect(unnamed['ratelimit-policy']).toBe('"default";q=9;w=60, "default-2";q=99;w=3600');
  await outcome(limiter, limits);
  for (let i = 0; i < 5; i++) expect(await outcome(limiter, limits)).toBeInstanceOf(Problem);
  clock.advance(1100);
  expect(await outcome(limiter, limits)).toBe(1);
  const last = await outcome(limiter, limits);
  expect(last).toBeInstanceOf(Problem);
  expect((last as Problem).extra.retryAfter).toBeGreaterThan(10);
});

test('several limits are one query, over two processes exactly the smaller passes, and the larger counts only those', async () => {
  const processes = [make(), make()];
  const limits = (small: string): RateLimit[] => [
    { points: 5, seconds: 60, name: `${small}${route}` },
    { points: 8, seconds: 60, name: `large${route}` },
  ];
  expect(await outcome(processes[0] as RateLimiter, limits('first'))).toBe(4);
  expect(queries).toBe(1);
  const burst = (small: string) =>
    Promise.all(Array.from({ length: 40 }, (_, i) => outcome(processes[i % 2] as RateLimiter, limits(small))));
  const passed = (outcomes: readonly (number | Problem)[]): number => outcomes.filter((one) => typeof one === 'number').length;
  expect(passed(await burst('first'))).toBe(4);
  expect(passed(await burst('second'))).toBe(3);
});

test('two limits that count in one bucket both count', async () => {
  const limiter = make();
  const limits: RateLimit[] = [
    { points: 3, seconds: 60 },
    { points: 4, seconds: 60, by: () => '' },
  ];
  expect(await outcome(limiter, limits)).toBe(2);
  expect(await outcome(limiter, limits)).toBe(0);
  const last = await outcome(limiter, limits);
  expect((last as Problem).extra.headers).toMatchObject({ 'ratelimit-policy': '"default";q=3;w=60' });
});

test('what is counted cannot be read from the table', async () => {
  const limiter = make();
  await limiter.consume(
    [
      { points: 5, seconds: 60, by: () => 'ana@example.com' },
      { points: 5, seconds: 60 },
    ],
    caller(),
    req(),
  );
  const { rows } = await pool.query<{ key: string }>('select key from core_rate');
  for (const { key } of rows) expect(key).toMatch(/^[\w-]{43}$/);
});

test('the database away is an error, never a free pass', async () => {
  const limiter = createRateLimiter({
    query: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
    factor: 1,
    sign,
  });
  await expect(limiter.consume([{ points: 1, seconds: 1 }], caller(), req())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('the app role cannot touch the buckets', async () => {
  const tenant = await core.tenant('rate');
  await expect(
    core.database.withTenant(tenant, ({ execute }) => execute({ text: 'select * from core_rate', values: [] })),
  ).rejects.toMatchObject({
    code: '42501',
  });
});
