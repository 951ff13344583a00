import { randomBytes } from 'node:crypto';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Receiver } from '../plugins/webhooks/test/receiver.ts';
import { everyPlugin } from './support/house.ts';
import { type Api, processOf, startApi } from './support/processes.ts';

/** What a process tells of itself: figures that add up and don't grow, logs without secrets, one id through everything. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
let shop: TestShop;
let api: Api;
let guest: TestClient;
let admin: TestClient;
beforeAll(async () => {
  shop = await testShop({ plugins: everyPlugin });
  api = await startApi({ ...processOf(shop), env: { LOG_LEVEL: 'info' } });
  guest = shop.a.guest.at(api.base);
  admin = shop.a.admin.at(api.base);
}, 180_000);
afterAll(async () => {
  await api?.kill();
  await shop?.stop();
});

const metrics = async (): Promise<string> => (await guest.get('/metrics')).text;
const seriesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const total = (text: string): number =>
  seriesOf(text)
    .filter((line) => line.startsWith('http_requests_total{'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
/** Lines are written together, shortly after their request: those of the request of this id, once they are there. */
async function logOf(requestId: string): Promise<string[]> {
  const lines = (): string[] => {
    const all = api.log().split('\n').slice(0, -1);
    return all.filter((line) => line.includes(requestId));
  };
  await expect.poll(() => lines().some((line) => line.includes('"route":'))).toBe(true);
  return lines();
}
async function many(count: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await call(i);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

it('counts every request once; unknown paths create no metrics', async () => {
  const count = nightly ? 20_000 : 2000;
  const word = (): string => randomBytes(6).toString('base64url');
  const paths = [
    () => `/${word()}`,
    () => `/api/admin/${word()}`,
    () => `/api/storefront/${word()}/${word()}`,
    () => `/api/storefront/products/${word()}?${word()}=${word()}`,
    () => `/api/v1/storefront/products/${word()}`,
    () => `/api/webhooks/${word()}`,
  ] as const;
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;
  const ask = (i: number) => guest.call(methods[i % methods.length] as string, (paths[i % paths.length] as () => string)());
  for (let i = 0; i < 60; i++) await ask(i);
  await metrics();
  const before = await metrics();
  await many(count, ask);
  const after = await metrics();
  const names = (text: string): Set<string> => new Set(seriesOf(text).map((line) => line.slice(0, line.lastIndexOf(' '))));
  // What the process itself does meanwhile (its jobs, its database) may make figures; requests don't.
  const grown = [...names(after)].filter((name) => !names(before).has(name) && name.startsWith('http_'));
  // The scrape before counts too: it was answered after it was written.
  const counted = total(after) - total(before) - 1;
  console.info(`${count} requests to random paths: ${grown.length} new series, ${counted} counted`);
  expect(grown).toEqual([]);
  expect(counted).toBe(count);
  // A missing row isn't an error of a plugin.
  expect(seriesOf(after).filter((line) => line.startsWith('plugin_errors_total{'))).toEqual([]);
}, 600_000);

it('tells none of forty planted secrets, wherever they came in', async () => {
  const secrets: string[] = [];
  const secret = (): string => {
    const text = `plant${randomBytes(9).toString('hex')}`;
    secrets.push(text);
    return text;
  };
  const jwt = (): string => [secret(), secret(), secret()].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const token = jwt();
  secrets.push(...token.split('.'));
  const answers: string[] = [];
  const send = async (client: TestClient, method: string, path: string, options: object = {}): Promise<void> => {
    answers.push((await client.call(method, path, options)).text);
  };
  for (const [path, body] of [
    ['/api/auth/login', { email: 'owner@a.example', password: secret(), otp: secret(), deviceToken: secret() }],
    ['/api/auth/register', { email: 'planted@a.example', password: secret(), phone: secret() }],
    ['/api/auth/reset-password', { token: secret(), password: secret() }],
    ['/api/auth/verify-email', { token: secret() }],
    ['/api/auth/refresh', { refreshToken: secret() }],
    ['/api/auth/login', { email: 'owner@a.example', password: { nested: secret() }, secret: secret() }],
    ['/api/internal/setup', { owner: { email: 'o@a.example', password: secret() } }],
    [
      '/api/storefront/checkout/place',
      { cartToken: secret(), tenders: [{ type: 'gift_card', code: secret() }], apiKey: secret() },
    ],
  ] as const)
    await send(guest, 'POST', path, { body });
  for (const name of [
    'x-cart-token',
    'x-order-token',
    'x-manage-token',
    'x-csrf-token',
    'x-setup-token',
    'x-api-key',
    'stripe-signature',
  ])
    await send(guest.with({ [name]: secret() }), 'GET', '/api/storefront/cart/');
  await send(guest.with({ authorization: `Bearer ${token}` }), 'GET', '/api/auth/me');
  await send(guest.with({ authorization: `Basic ${secret()}` }), 'GET', '/api/admin/products/');
  await send(guest.with({ cookie: `session=${secret()}; cart=${secret()}` }), 'GET', '/api/storefront/cart/');
  for (const name of ['token', 'access_token', 'code', 'state', 'password', 'key'])
    await send(guest, 'GET', `/api/storefront/orders/x?${name}=${secret()}`);
  await send(admin, 'PUT', '/api/admin/plugins/identity/settings', {
    body: { settings: { 'idp-a': { clientSecret: secret() }, clientSecret: secret() } },
  });
  await send(admin, 'POST', '/api/admin/webhooks/', {
    body: { url: `https://u:${secret()}@hooks.example/x`, events: ['*'], secret: secret() },
  });
  await send(admin, 'POST', '/api/admin/2fa/disable', { body: { password: secret(), code: secret() } });
  await send(admin, 'POST', '/api/admin/license/activate', { body: { key: secret() } });
  // Invalid JSON isn't quoted.
  await send(guest, 'POST', '/api/auth/login', { raw: { content: `{"password": "${secret()}"`, type: 'application/json' } });
  expect(secrets.length).toBeGreaterThanOrEqual(40);
  // Lines keep their order: when this one is written, those before it are.
  await logOf(String((await guest.get('/api/storefront/cart/')).headers['x-request-id']));
  const places: Record<string, string> = {
    log: api.log(),
    metrics: await metrics(),
    audit: JSON.stringify(await shop.rows('select * from core_audit')),
    'platform audit': JSON.stringify(await shop.rows('select * from core_platform_audit')),
    'error bodies': answers.join('\n'),
    openapi: (await guest.get('/openapi.json')).text,
  };
  expect(places.log).toContain('/api/auth/login');
  const found = Object.entries(places).flatMap(([place, text]) => secrets.filter((one) => text.includes(one)).map(() => place));
  console.info(`${secrets.length} secrets planted: ${found.length} found again in ${Object.keys(places).join(', ')}`);
  expect(found).toEqual([]);
}, 120_000);

it('one request id is found in access log, transaction, job and webhook', async () => {
  const receiver = await new Receiver().start();
  const texts: string[] = [];
  const parse = pg.Connection.prototype.parse;
  const spy = vi.spyOn(pg.Connection.prototype, 'parse').mockImplementation(function (this: pg.Connection, query, more) {
    texts.push(String((query as { text: string }).text));
    return parse.call(this, query, more);
  });
  try {
    const hook = await admin.post<{ id: string }>('/api/admin/webhooks/', { url: receiver.url('/seen'), events: ['content.*'] });
    expect(hook.status, hook.text).toBe(201);
    const page = (client: TestClient, title: string) => client.post('/api/admin/pages/', { title, status: 'published' });
    const made = await page(admin, 'Seen from outside');
    expect(made.status, made.text).toBe(201);
    const id = String(made.headers['x-request-id']);
    expect(id).toMatch(/^[\w-]{8,64}$/);
    await expect
      .poll(() => receiver.hits.filter(({ body }) => body.includes('content.page.published')).length, { timeout: 30_000 })
      .toBe(1);
    const [job] = await shop.rows<{ n: number }>("select count(*)::int as n from jobs.job where data ->> 'requestId' = $1", [id]);
    const [delivery] = await shop.rows<{ n: number }>('select count(*)::int as n from webhooks_delivery where request_id = $1', [
      id,
    ]);
    const access = await logOf(id);
    // What this process sends to the database can be seen here.
    const inside = String((await page(shop.a.admin, 'Seen from inside')).headers['x-request-id']);
    const transactions = texts.filter((text) => text === `begin /* ${inside} */`);
    console.info(
      `request id: ${access.length} lines of the log, ${transactions.length} transactions, ${job?.n} jobs, ${delivery?.n} deliveries`,
    );
    expect(access.some((line) => /"route":"\/api\/admin\/pages\/?"/.test(line))).toBe(true);
    expect(transactions.length).toBeGreaterThan(0);
    expect(job?.n).toBeGreaterThan(0);
    expect(delivery?.n).toBe(1);
  } finally {
    spy.mockRestore();
    await receiver.stop();
  }
}, 120_000);
