import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keyring, notifications } from '@storeloom/plugin-sdk';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decryptPush } from '../test/push-decrypt.ts';

interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}
let shop: TestShop;
let service: Server;
let base: string;
let answer = 201;
const received: Received[] = [];
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'customers'] });
  service = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      received.push({ path: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks) });
      res.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await shop?.stop();
  service?.close();
});
beforeEach(() => {
  received.length = 0;
  answer = 201;
});

function browser(endpoint: string) {
  const key = createECDH('prime256v1');
  key.generateKeys();
  const auth = randomBytes(16);
  return {
    key,
    auth,
    subscription: {
      endpoint,
      expirationTime: null,
      keys: { p256dh: key.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
  };
}
const subscribe = (client: TestClient, subscription: object) => client.post('/api/push/subscribe', subscription);
const unsubscribe = (client: TestClient, endpoint: string) =>
  client.call('DELETE', '/api/push/unsubscribe', { body: { endpoint } });
const rows = () =>
  shop.rows<{ endpoint: string; user_id: string | null; customer_id: string | null }>(
    'select endpoint, user_id, customer_id from workspace_push_subscription order by created_at, id',
  );
/** The subscription's endpoint as the test's own service, which is no https address and so can't be subscribed. */
const redirect = (from: string, to: string) =>
  shop.rows('update workspace_push_subscription set endpoint = $2 where endpoint = $1', [from, to]);
const tell = () =>
  shop.a.run('workspace', (ctx) =>
    ctx.require(notifications).notifyStaff({
      type: 'stock.low',
      title: { ro: 'Stoc mic', en: 'Low stock' },
      body: { ro: 'Ceai', en: 'Tea' },
      link: '/x',
    }),
  );

describe('a subscription', () => {
  it('is of staff or of a customer of the shop, one row an endpoint', async () => {
    const { subscription } = browser('https://push.example/1');
    expect((await subscribe(shop.a.guest, subscription)).status).toBe(401);
    const first = await subscribe(shop.a.admin, subscription);
    expect([first.status, first.body]).toMatchObject([201, { endpoint: 'https://push.example/1' }]);
    expect(await subscribe(shop.a.admin, subscription)).toMatchObject({ status: 200, body: first.body });
    // The same browser, in which a customer signs in.
    const customer = await shop.a.customer();
    expect((await subscribe(customer, subscription)).body).toEqual(first.body);
    expect(await rows()).toEqual([{ endpoint: subscription.endpoint, user_id: null, customer_id: customer.customerId }]);
    // A customer of another shop is unknown here.
    expect((await subscribe((await shop.b.customer()).with({ host: shop.a.host }), subscription)).status).toBe(401);
    expect((await unsubscribe(shop.a.admin, subscription.endpoint)).status).toBe(204);
    expect(await rows()).toHaveLength(1);
    expect((await unsubscribe(customer, subscription.endpoint)).status).toBe(204);
    expect((await unsubscribe(customer, subscription.endpoint)).status).toBe(204);
    expect(await rows()).toEqual([]);
  });

  it('requested ten times simultaneously is one', async () => {
    const { subscription } = browser('https://push.example/race');
    const answers = await Promise.all(Array.from({ length: 10 }, () => subscribe(shop.a.admin, subscription)));
    for (const { status } of answers) expect([200, 201]).toContain(status);
    expect(await rows()).toHaveLength(1);
    await unsubscribe(shop.a.admin, subscription.endpoint);
  });

  it('has keys and an address that can be one', async () => {
    const { subscription } = browser('https://push.example/2');
    for (const [change, pointer] of [
      [{ endpoint: 'http://push.example/2' }, '/endpoint'],
      [{ endpoint: 'https://user:pass@push.example/2' }, '/endpoint'],
      [{ endpoint: 'file:///etc/passwd' }, '/endpoint'],
      [{ keys: { ...subscription.keys, p256dh: 'AAAA' } }, '/keys/p256dh'],
      // As long as a key, and beside the curve.
      [{ keys: { ...subscription.keys, p256dh: 'B'.repeat(87) } }, '/keys/p256dh'],
      [{ keys: { ...subscription.keys, auth: '!!!!' } }, '/keys/auth'],
      [{ userId: crypto.randomUUID() }, '/userId'],
    ] as const) {
      const refused = await subscribe(shop.a.admin, { ...subscription, ...change });
      expect(refused.body, refused.text).toMatchObject({ errors: [{ pointer }] });
      expect(refused.status).toBe(422);
    }
    expect((await shop.a.admin.call('DELETE', '/api/push/unsubscribe', { body: {} })).status).toBe(422);
  });
});

describe('a message', () => {
  it('comes encrypted and signed, and only the browser reads it', async () => {
    const { subscription, key, auth } = browser('https://push.example/3');
    await subscribe(shop.a.admin, subscription);
    await redirect(subscription.endpoint, `${base}/3`);
    await tell();
    await shop.settled();
    expect(received).toHaveLength(1);
    const [{ headers, body }] = received as [Received];
    expect(headers).toMatchObject({
      ttl: '86400',
      urgency: 'normal',
      'content-encoding': 'aes128gcm',
      topic: expect.stringMatching(/^[\w-]{1,32}$/),
    });
    expect(body.length).toBeLessThanOrEqual(4096);
    expect(body.includes('Stoc mic')).toBe(false);
    expect(JSON.parse(decryptPush(body, key, auth))).toEqual({ type: 'stock.low', title: 'Stoc mic', body: 'Ceai', link: '/x' });
    // RFC 8292: the token is for the push service alone, a day at most, by the key that the browser was given.
    const [, token, publicKey] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization as string) as RegExpExecArray;
    expect(decodeProtectedHeader(token as string).alg).toBe('ES256');
    const own = await shop.a.run('workspace', async (ctx) => ctx.require(keyring).pushKeys().publicKey);
    expect(publicKey).toBe(own);
    const point = Buffer.from(own, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [string, string];
    const verifying = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
    const { payload } = await jwtVerify(token as string, verifying, { audience: base });
    expect((payload.exp as number) - Date.now() / 1000).toBeLessThanOrEqual(24 * 3600);
    expect(payload.sub).toMatch(/^(mailto:|https:)/);
    await shop.rows('delete from workspace_push_subscription');
  });

  it.each([404, 410])('rejected by the push service (%i) ends the subscription', async (status) => {
    const { subscription } = browser(`https://push.example/${status}`);
    await subscribe(shop.a.admin, subscription);
    await redirect(subscription.endpoint, `${base}/${status}`);
    answer = status;
    await tell();
    await shop.settled();
    expect(received).toHaveLength(1);
    expect(await rows()).toEqual([]);
  });

  it('that a service can not take now is tried again', async () => {
    const { subscription } = browser('https://push.example/429');
    await subscribe(shop.a.admin, subscription);
    await redirect(subscription.endpoint, `${base}/429`);
    answer = 429;
    await tell();
    const count = (wanted: number) => expect.poll(() => received.length).toBe(wanted);
    await count(1);
    answer = 201;
    await count(2);
    await shop.settled();
    expect(await rows()).toHaveLength(1);
    await shop.rows('delete from workspace_push_subscription');
  });

  it('never goes to an internal address', async () => {
    const { subscription } = browser('https://push.example/inside');
    await subscribe(shop.a.admin, subscription);
    await redirect(subscription.endpoint, 'https://169.254.169.254/latest');
    await tell();
    await shop.settled();
    expect(await rows()).toEqual([]);
  });

  it('a customer’s goes with the customer', async () => {
    const customer = await shop.a.customer();
    const { subscription } = browser('https://push.example/erase');
    await subscribe(customer, subscription);
    await shop.a.run('customers', async (ctx) => {
      const { peopleErase, peopleExport } = await import('@storeloom/plugin-sdk');
      const person = { customerId: customer.customerId, emails: [], phones: [] };
      expect(await ctx.call(peopleExport, person)).toContainEqual({
        resource: 'workspace.push-subscription',
        rows: [{ endpoint: subscription.endpoint, createdAt: expect.any(String) }],
      });
      await ctx.call(peopleErase, { ...person, report: () => undefined });
    });
    expect(await rows()).toEqual([]);
  });
});
