import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addStaff,
  asSlowAsReal,
  bearer,
  fresh,
  login,
  password,
  plain,
  roleId,
  within,
} from '../plugins/identity/test/clients.ts';
import { type Api, processOf, startApi } from './support/processes.ts';
import { mannWhitney, median, quantile } from './support/statistics.ts';

/** Sessions and sign-in over operating-system processes: two as tests have them, and one whose limits are on, behind a proxy. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
let shop: TestShop;
let apis: Api[];
let limited: Api;
const fast = asSlowAsReal();
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
  const options = processOf(shop);
  [limited, ...apis] = (await Promise.all([
    startApi({ ...options, env: { RATE_LIMIT_FACTOR: '1', TRUSTED_PROXIES: '127.0.0.1' } }),
    startApi(options),
    startApi(options),
  ])) as [Api, Api, Api];
});
afterAll(async () => {
  await Promise.all([...(apis ?? []), ...(limited ? [limited] : [])].map((api) => api.kill()));
  await shop?.stop();
  fast();
});

const at = (api: Api, client: TestClient = shop.a.guest): TestClient => client.at(api.base);
const everywhere = async (tokens: readonly string[]): Promise<number[]> =>
  Promise.all(
    apis.flatMap((api) =>
      tokens.map(async (token) => (await at(api).with(bearer(token)).get('/api/admin/me/permissions')).status),
    ),
  );

describe('a session that is over', () => {
  it('is refused by every process within five seconds: 20 sessions × 2 processes, after logout/all', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => login(shop.a, { email, audience: 'admin' })));
    const tokens = sessions.map(({ accessToken }) => accessToken);
    expect(new Set(await everywhere(tokens))).toEqual(new Set([200]));
    expect(
      (
        await at(apis[0] as Api)
          .with(bearer(tokens[0] as string))
          .post('/api/auth/logout/all')
      ).status,
    ).toBe(204);
    const took = await within(5000, async () => (await everywhere(tokens)).every((status) => status === 401));
    console.info(`logout/all: 20 sessions refused by ${apis.length} processes after ${Math.round(took)} ms`);
  });

  it('ends as a whole when a used refresh token comes back after half a minute', async () => {
    const first = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
    const refresh = (api: Api, refreshToken: string) =>
      at(api).post<{ accessToken: string; refreshToken: string }>('/api/auth/refresh', { refreshToken });
    const second = await refresh(apis[0] as Api, first.refreshToken);
    expect(await everywhere([first.accessToken, second.body.accessToken])).toEqual([200, 200, 200, 200]);
    await shop.rows(
      "update identity_refresh_token set rotated_at = rotated_at - interval '31 seconds' where rotated_at is not null",
    );
    expect((await refresh(apis[1] as Api, first.refreshToken)).status).toBe(401);
    const took = await within(2000, async () =>
      (await everywhere([first.accessToken, second.body.accessToken])).every((status) => status === 401),
    );
    expect((await refresh(apis[0] as Api, second.body.refreshToken)).status).toBe(401);
    console.info(`reuse: the family is refused by ${apis.length} processes after ${Math.round(took)} ms`);
  });
});

describe('who guesses passwords', () => {
  const from = (address: string) => at(limited).with({ 'x-forwarded-for': address });
  const signIn = async (client: TestClient, email: string, given: string) => {
    const started = performance.now();
    const { status } = await client.post('/api/auth/login', { email, password: given, audience: 'admin' });
    return { status, took: performance.now() - started };
  };

  it('is slowed from anywhere, and never locks the owner out', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    const other = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    let attacking = true;
    const guesses: { status: number; took: number }[] = [];
    const attackers = Array.from({ length: 20 }, async (_, i) => {
      while (attacking) guesses.push(await signIn(from(`198.51.${i}.7`), email, 'a wrong password'));
    });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const victim = await signIn(from('203.0.113.5'), email, password);
    const bystander = await signIn(from('203.0.113.6'), other.email, password);
    attacking = false;
    await Promise.all(attackers);
    expect(victim.status).toBe(200);
    // Five seconds of delay, and a place among those whose passwords are hashed: on a busy machine the guesses take longer too.
    expect(victim.took).toBeLessThan(Math.max(10_000, 2 * median(guesses.map(({ took }) => took))));
    expect(bystander.status).toBe(200);
    expect(bystander.took).toBeLessThan(victim.took);
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401]));
    expect(median(guesses.slice(20).map(({ took }) => took))).toBeGreaterThan(2000);
    console.info(
      `under attack: ${guesses.length} guesses from 20 networks, each ${Math.round(median(guesses.map(({ took }) => took)))} ms; the owner is in after ${Math.round(victim.took)} ms, another user after ${Math.round(bystander.took)} ms`,
    );
  });

  it('gets 429 from a network after sixty attempts in a minute, for any e-mail addresses', async () => {
    const guess = (i: number) => signIn(from(`192.0.2.${i + 1}`), fresh('guess'), 'a wrong password');
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 70 }, (_, i) => guess(i)));
    const windows = 1 + Math.floor((performance.now() - started) / 60_000);
    // Of 54 that may wait for the hashing the rest is sent away with 429 too.
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(60 * windows);
    // A window that has ended meanwhile, on a busy machine, is used up again.
    for (let i = 0; i < 60 && (await guess(i)).status !== 429; i++);
    expect((await signIn(from('192.0.2.99'), 'owner@a.example', password)).status).toBe(429);
    expect((await signIn(from('192.0.3.99'), 'owner@a.example', password)).status).toBe(200);
  });
});

const pairs = nightly ? 500 : 30;
describe(`${pairs} sign-ins of a known and of an unknown address`, () => {
  it.each(['admin', 'storefront', 'super-admin'] as const)(
    '%s: no telling them apart',
    // A difference is there every time; a machine that was busy isn't.
    { retry: 2, timeout: nightly ? 1_800_000 : 300_000 },
    async (audience) => {
      const known =
        audience === 'admin'
          ? 'owner@a.example'
          : audience === 'storefront'
            ? (await shop.a.customer()).email
            : 'operator@test.example';
      const client = at(apis[0] as Api);
      const bodies = new Set<string>();
      let times = { known: [] as number[], unknown: [] as number[] };
      const attempt = async (kind: keyof typeof times) => {
        const body = { email: kind === 'known' ? known : fresh('nobody'), password: 'a wrong password', audience };
        const started = performance.now();
        const answer = await client.post('/api/auth/login', body);
        times[kind].push(performance.now() - started);
        bodies.add(JSON.stringify([answer.status, plain(answer.body)]));
      };
      await attempt('known');
      await attempt('unknown');
      /** A refusal is sent at fixed intervals: on a busy machine the median of few pairs can be in this interval or the next. */
      const alike = async (): Promise<boolean> => {
        times = { known: [], unknown: [] };
        for (let i = 0; i < pairs; i++)
          for (const kind of Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const))
            await attempt(kind);
        const difference = Math.abs(median(times.known) - median(times.unknown)) / median(times.unknown);
        const p = mannWhitney(times.known, times.unknown);
        console.info(
          `${audience}: ${pairs} pairs, medians ${median(times.known).toFixed(1)} and ${median(times.unknown).toFixed(1)} ms (${(difference * 100).toFixed(1)} %), Mann-Whitney p ${p.toFixed(3)}, ${bodies.size} kind of body`,
        );
        return nightly ? difference < 0.05 && p > 0.01 : p > 0.001;
      };
      // Of a hundred runs without any difference one shows p < 0.01: a difference that is there shows again.
      expect((await alike()) || (await alike())).toBe(true);
      expect(bodies.size).toBe(1);
    },
  );
});

it('the process stays responsive during twenty concurrent sign-ins', { retry: 2 }, async () => {
  const api = apis[1] as Api;
  let signing = true;
  let done = 0;
  const signers = Array.from({ length: 20 }, async () => {
    while (signing) {
      const { status } = await at(api).post('/api/auth/login', { email: 'owner@a.example', password, audience: 'admin' });
      expect(status).toBe(200);
      done++;
    }
  });
  const round = async (): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < 300; i++) {
      const started = performance.now();
      expect((await at(api).get('/health')).status).toBe(200);
      times.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.info(
      `20 concurrent sign-ins (${done} done): /health p50 ${median(times).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
    );
    return quantile(times, 0.99);
  };
  // What else runs on the machine only adds: of some rounds the quietest is the nearest to what the process itself does.
  let best = await round();
  for (let i = 0; i < 4 && best >= 250; i++) best = Math.min(best, await round());
  signing = false;
  await Promise.all(signers);
  expect(best).toBeLessThan(nightly ? 250 : 1000);
});
