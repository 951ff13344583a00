import { randomBytes } from 'node:crypto';
import type { TestClient, TestResponse, TestShop, TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addType, buy, publish } from '../plugins/events/test/shop.ts';
import { challengeOf, protectedStaff, verify } from '../plugins/identity/test/authenticator.ts';
import { cartOf, openStore, product, promote } from '../plugins/promotions/test/store.ts';
import { type Api, processOf, startApi } from './support/processes.ts';

/** Guessing codes: the documented number of attempts, then 429, without locking other callers out. */
let shop: TestShop;
/** Limits are on, behind a proxy. */
let limited: Api;
beforeAll(async () => {
  shop = await openStore({ plugins: ['identity', 'events'] });
  limited = await startApi({ ...processOf(shop), env: { RATE_LIMIT_FACTOR: '1', TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(async () => {
  await limited?.kill();
  await shop?.stop();
});

const from = (client: TestClient, address: string): TestClient => client.at(limited.base).with({ 'x-forwarded-for': address });
let networks = 0;
const network = (): string => `198.51.${networks++}`;
const word = (): string => randomBytes(9).toString('base64url');

type Guess = (i: number, address: string) => Promise<Pick<TestResponse<object>, 'status' | 'headers' | 'body' | 'text'>>;

/** Guesses from all addresses of a network, sixteen in parallel. Returns the number of checked guesses; the others got Retry-After. */
async function guesses(count: number, net: string, guess: Guess): Promise<number> {
  const answers: Awaited<ReturnType<Guess>>[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) answers.push(await guess(i, `${net}.${(i % 254) + 1}`));
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(answers).toHaveLength(count);
  const refused = answers.filter(({ status }) => status === 429);
  for (const { headers, body } of refused) {
    expect(body).toMatchObject({ code: 'rate_limited' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(600);
  }
  // None hit, and none broke.
  const looked = answers.filter(({ status }) => status !== 429);
  expect(looked.filter(({ status }) => status < 400 || status >= 500).map(({ text }) => text)).toEqual([]);
  return looked.length;
}
/** A window that ended meanwhile, on a busy machine, begins another; that one is used up too before anybody looks further. */
async function expectTries(
  name: string,
  tries: number,
  seconds: number,
  count: number,
  net: string,
  guess: Guess,
): Promise<void> {
  const started = performance.now();
  const looked = await guesses(count, net, guess);
  const windows = 1 + Math.floor((performance.now() - started) / (seconds * 1000));
  console.info(`${name}: ${count} guesses of one network, ${looked} looked at, ${count - looked} × 429`);
  expect(looked).toBeGreaterThanOrEqual(tries);
  expect(looked).toBeLessThanOrEqual(tries * windows);
  for (let i = 0; i < tries && (await guess(count + i, `${net}.254`)).status !== 429; i++);
}

describe('coupon codes', () => {
  it('on a cart: twenty per minute and network, for any cart, address, letter case or path version', async () => {
    const cart = async (tenant: TestTenant): Promise<TestClient> =>
      (await cartOf(tenant.guest, [(await product(tenant, 5000)).variantId, 1])).client;
    for (const tenant of [shop.a, shop.b]) await promote(tenant, { code: 'REAL10' });
    const carts = await Promise.all(Array.from({ length: 5 }, () => cart(shop.a)));
    const enter = (client: TestClient, address: string, code: string, version = '') =>
      from(client, address).post(`/api${version}/storefront/cart/promotion`, { code });
    const net = network();
    await expectTries('coupon on a cart', 20, 60, 1000, net, (i, address) =>
      enter(carts[i % 5] as TestClient, address, word(), i % 2 ? '/v1' : ''),
    );
    // The right one too, from there; not from elsewhere, nor in the other shop.
    expect((await enter(carts[0] as TestClient, `${net}.7`, 'REAL10')).status).toBe(429);
    expect((await enter(carts[0] as TestClient, `${network()}.7`, 'REAL10')).status).toBe(200);
    expect((await enter(await cart(shop.b), `${net}.7`, 'REAL10')).status).toBe(200);
    // A visitor whose codes are refused can still shop.
    expect((await from(carts[1] as TestClient, `${net}.7`).get('/api/storefront/cart/')).status).toBe(200);
  });

  it('of tickets: twenty a minute from a network; a wrong one keeps no place', async () => {
    for (const tenant of [shop.a, shop.b]) await promote(tenant, { code: 'SHOW10' });
    const concert = async (tenant: TestTenant) => {
      const event = await publish(shop, tenant);
      return { event: event.id as string, type: (await addType(tenant, event.id)).id as string };
    };
    const [a, b] = [await concert(shop.a), await concert(shop.b)];
    const purchase = (client: TestClient, { event, type }: typeof a, coupon: string) =>
      buy(client, event, [[type, 1]], { coupon });
    const net = network();
    await expectTries('coupon of tickets', 20, 60, 1000, net, (_, address) => purchase(from(shop.a.guest, address), a, word()));
    expect((await purchase(from(shop.a.guest, `${net}.7`), a, 'SHOW10')).status).toBe(429);
    expect((await shop.rows('select id from events_purchase where event_id = $1', [a.event])).length).toBe(0);
    expect((await purchase(from(shop.a.guest, `${network()}.7`), a, 'SHOW10')).status).toBe(201);
    expect((await purchase(from(shop.b.guest, `${net}.7`), b, 'SHOW10')).status).toBe(201);
  });
});

describe('codes of the second factor', () => {
  it('a thousand guesses at one account: five are checked, other accounts are unaffected, and the owner can use recovery codes', async () => {
    const victim = await protectedStaff(shop, shop.a);
    const other = await protectedStaff(shop, shop.a);
    const foreign = await protectedStaff(shop, shop.b);
    const challenges = await Promise.all([
      challengeOf(shop.a, victim.email),
      challengeOf(shop.a, other.email),
      challengeOf(shop.b, foreign.email),
    ]);
    const net = network();
    const wrong = new Set([-2, -1, 0, 1, 2, 3].map((away) => victim.app.code(away)));
    const digits = (i: number): string => String(i * 7 + 100_000);
    await expectTries('codes of one account', 5, 300, 1000, net, (i, address) =>
      verify(from(shop.a.guest, address), { challenge: challenges[0], code: wrong.has(digits(i)) ? '000000' : digits(i) }),
    );
    const answer = (client: TestClient, net_: string, body: Record<string, unknown>) => verify(from(client, `${net_}.9`), body);
    expect((await answer(shop.a.guest, network(), { challenge: challenges[0], code: victim.app.code(1) })).status).toBe(429);
    expect((await answer(shop.a.guest, network(), { challenge: challenges[1], code: other.app.code(1) })).status).toBe(200);
    expect((await answer(shop.b.guest, network(), { challenge: challenges[2], code: foreign.app.code(1) })).status).toBe(200);
    const recoveryCode = victim.recoveryCodes[0];
    expect((await answer(shop.a.guest, network(), { challenge: challenges[0], recoveryCode })).status).toBe(200);
  });

  it('from one network sixty a minute, over however many accounts, and recovery codes too', async () => {
    const { email } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    const net = network();
    await expectTries('recovery codes', 60, 60, 300, net, (i, address) =>
      verify(from(shop.a.guest, address), {
        challenge,
        recoveryCode: `AAAA-BBBB-CCCC-${String(2000 + i).replace(/[0189]/g, 'X')}`,
      }),
    );
  });
});

describe('what else could be guessed', () => {
  it.each<[name: string, tries: number, seconds: number, guess: (client: TestClient) => Promise<TestResponse>]>([
    [
      'number and address of an order',
      10,
      60,
      (client) => client.post('/api/storefront/orders/track', { orderNumber: word(), email: `${word()}@x.example` }),
    ],
    ['links to carts and drafts', 60, 60, (client) => client.get(`/api/storefront/checkout/draft/${word()}`)],
    [
      'tokens of e-mails',
      60,
      600,
      (client) => client.post('/api/auth/reset-password', { token: word(), password: 'correct horse battery staple' }),
    ],
    [
      'setup tokens',
      60,
      60,
      (client) =>
        client.post(
          '/api/internal/setup-super-admin',
          { email: 'x@x.example', password: 'correct horse battery staple' },
          { 'x-setup-token': word() },
        ),
    ],
  ])('%s: %d tries in %d s', async (name, tries, seconds, guess) => {
    const net = network();
    await expectTries(name, tries, seconds, 200, net, (_, address) => guess(from(shop.a.guest, address)));
    const elsewhere = await guess(from(shop.a.guest, `${network()}.9`));
    expect(elsewhere.status).not.toBe(429);
  });
});
