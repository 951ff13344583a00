import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Receiver } from '../test/receiver.ts';
import { announce, deliveries, type Json, pass, subscribe } from '../test/shop.ts';
import { signature } from './signature.ts';

const path = '/api/admin/webhooks/';
let shop: TestShop;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await new Receiver().start();
  shop = await testShop({ plugins: ['webhooks'] });
});
afterAll(async () => {
  await shop?.stop();
  await receiver?.stop();
});
const faultOf = (body: Json): unknown[] => [body.errors?.[0]?.pointer, body.errors?.[0]?.code];

describe('a webhook', () => {
  it('is made, read, changed and removed; its secret is shown once', async () => {
    const made = await shop.a.admin.post<Json>(path, {
      url: receiver.url('/crud'),
      events: ['customers.customer.*'],
      description: 'CRM',
    });
    expect(made.status).toBe(201);
    const { id, secret } = made.body;
    expect(made.headers.location).toBe(`/api/admin/webhooks/${id}`);
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(made.body).toMatchObject({ active: true, health: 'unknown', disabledReason: null, description: 'CRM', version: 1 });
    await shop.settled();
    const read = await shop.a.admin.get<Json>(`${path}${id}`);
    expect(read.body).toMatchObject({ url: receiver.url('/crud'), secret: `••••${secret.slice(-4)}`, health: 'healthy' });
    const list = await shop.a.admin.get<Json>(path);
    expect(list.body.data.map((row: Json) => row.id)).toEqual([id]);
    expect(list.text).not.toContain(secret);
    const [stored] = await shop.rows<Json>('select secret from webhooks_endpoint where id = $1', [id]);
    expect(stored?.secret).not.toContain(secret.slice(6, 30));

    const stale = await shop.a.admin.patch(`${path}${id}`, { description: 'x' }, { 'if-match': '"99"' });
    expect(stale.status).toBe(412);
    const changed = await shop.a.admin.patch<Json>(`${path}${id}`, { events: ['*'] }, { 'if-match': String(read.headers.etag) });
    expect(changed.body).toMatchObject({ events: ['*'], secret: `••••${secret.slice(-4)}` });
    for (const body of [{ secret: 'x' }, { health: 'healthy' }, { disabledReason: null }, { tenantId: 'x' }])
      expect((await shop.a.admin.patch<Json>(`${path}${id}`, body)).body.code).toBe('unknown_field');

    expect((await shop.a.admin.delete(`${path}${id}`)).status).toBe(204);
    expect((await shop.a.admin.get(`${path}${id}`)).status).toBe(404);
    expect((await shop.a.admin.delete(`${path}${id}`)).status).toBe(404);
    const audit = await shop.rows<Json>('select action, t::text as text from core_audit t where entity_id = $1', [id]);
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['webhooks.endpoint.create', 'webhooks.endpoint.update', 'webhooks.endpoint.delete']),
    );
    expect(JSON.stringify(audit)).not.toContain(secret.slice(6, 30));
  });

  it('is sent a ping once', async () => {
    const made = await subscribe(shop.a, receiver.url('/ping'));
    await shop.settled();
    await shop.a.admin.patch(`${path}${made.id}`, { description: 'again' });
    await shop.settled();
    expect(receiver.types('/ping')).toEqual(['ping']);
    const [hit] = receiver.of('/ping');
    expect(JSON.parse(hit!.body)).toMatchObject({ data: { id: made.id, aggregateId: made.id, sequence: 1 } });
    expect(hit!.signatures).toEqual([signature([made.secret], hit!.id, hit!.timestamp, hit!.body)]);
    expect(await deliveries(shop.a, made.id)).toMatchObject([
      {
        type: 'ping',
        eventId: hit!.id,
        status: 'succeeded',
        attempt: 1,
        statusCode: 204,
        nextAt: null,
        attempts: [{ number: 1, statusCode: 204 }],
      },
    ]);
  });

  it.each([
    ['https://10.0.0.1/', 'address_refused'],
    ['https://169.254.169.254/latest/meta-data', 'address_refused'],
    ['https://[::ffff:10.0.0.1]/', 'address_refused'],
    ['https://0xa9fea9fe/', 'address_refused'],
    ['https://100.64.0.1/', 'address_refused'],
    ['https://user:password@example.org/', 'credentials_refused'],
    ['https://nobody-has-this-name.invalid/', 'host_refused'],
    ['ftp://example.org/', 'invalid'],
    ['not an address', 'invalid'],
  ])('does not point at %s', async (url, code) => {
    const made = await shop.a.admin.post<Json>(path, { url, events: ['*'] });
    expect([made.status, ...faultOf(made.body)]).toEqual([422, '/url', code]);
    const other = await subscribe(shop.a, receiver.url('/stays'), { active: false });
    const moved = await shop.a.admin.patch<Json>(`${path}${other.id}`, { url });
    expect([moved.status, ...faultOf(moved.body)]).toEqual([422, '/url', code]);
  });

  it('asks for events that there are', async () => {
    for (const events of [['customers.customer.updated'], ['customers.*'], ['*'], ['webhooks.endpoint.disabled']])
      expect((await shop.a.admin.post(path, { url: receiver.url('/ok'), events, active: false })).status).toBe(201);
    // Internal ones, those of plugins that aren't there, and misspelt ones.
    for (const event of ['webhooks.endpoint.created', 'orders.order.placed', 'customers.customer', 'custom.*', 'customer.*']) {
      const made = await shop.a.admin.post<Json>(path, { url: receiver.url('/ok'), events: ['*', event] });
      expect([event, made.status, made.body.errors?.[0]?.pointer]).toEqual([event, 422, '/events/1']);
    }
    expect((await shop.a.admin.post<Json>(path, { url: receiver.url('/ok'), events: [] })).status).toBe(422);
    const list = await shop.a.admin.get<Json>(`${path}events`);
    const types = list.body.data.map((row: Json) => row.type);
    expect(types).toContain('customers.customer.created');
    expect(types).not.toContain('webhooks.endpoint.created');
    expect(list.body.data.find((row: Json) => row.type === 'customers.customer.created')).toEqual({
      type: 'customers.customer.created',
      plugin: 'customers',
      title: 'Customer created',
      sample: expect.objectContaining({
        type: 'customers.customer.created',
        data: expect.objectContaining({ id: expect.any(String), email: expect.any(String) }),
      }),
    });
  });

  it('needs a permission for each thing', async () => {
    const made = await subscribe(shop.a, receiver.url('/rights'), { active: false });
    const reader = await shop.a.staff(['webhooks.endpoint.read']);
    expect((await reader.get(`${path}${made.id}`)).status).toBe(200);
    expect((await reader.get(`${path}${made.id}/deliveries`)).status).toBe(200);
    expect((await reader.post(path, { url: receiver.url('/x'), events: ['*'] })).status).toBe(403);
    expect((await reader.patch(`${path}${made.id}`, { active: true })).status).toBe(403);
    expect((await reader.post(`${path}${made.id}/rotate-secret`)).status).toBe(403);
    expect((await reader.post(`${path}deliveries/${made.id}/retry`)).status).toBe(403);
    expect((await reader.delete(`${path}${made.id}`)).status).toBe(403);
    expect((await shop.a.guest.get(path)).status).toBe(401);
    const none = await shop.a.staff(['identity.self.use']);
    expect((await none.get(path)).status).toBe(403);
  });
});

describe('the name of an address', () => {
  it('is looked up with no transaction open, and again where it has changed', async () => {
    const other = await subscribe(shop.a, receiver.url('/slow-name'), { active: false });
    await shop.settled();
    const open: number[] = [];
    const { lookup } = dns;
    const looked = vi.spyOn(dns, 'lookup').mockImplementation((async (...given: Parameters<typeof lookup>) => {
      open.push(await shop.openTransactions());
      return lookup(...given);
    }) as typeof lookup);
    syncBuiltinESMExports();
    try {
      const url = receiver.url('/named').replace('127.0.0.1', 'localhost');
      expect((await shop.a.admin.post<Json>(path, { url, events: ['*'], active: false })).status).toBe(201);
      await shop.settled();
      expect((await shop.a.admin.patch<Json>(`${path}${other.id}`, { url })).body.url).toBe(url);
      expect((await shop.a.admin.patch<Json>(`${path}${other.id}`, { url, description: 'the same' })).status).toBe(200);
      expect(open).toEqual([0, 0]);
    } finally {
      looked.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

describe('a secret that is rotated', () => {
  it('signs beside the new one for 24 hours', async () => {
    const made = await subscribe(shop.a, receiver.url('/rotate'));
    await shop.settled();
    const send = async () => {
      await announce(shop.a);
      await shop.settled();
      const hit = receiver.of('/rotate').at(-1)!;
      return { hit, by: (secret: string) => signature([secret], hit.id, hit.timestamp, hit.body) };
    };
    const rotated = await shop.a.admin.post<Json>(`${path}${made.id}/rotate-secret`);
    expect(rotated.status).toBe(200);
    const { secret } = rotated.body;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(made.secret);
    expect((await shop.a.admin.get<Json>(`${path}${made.id}`)).body.secret).toBe(`••••${secret.slice(-4)}`);

    const both = await send();
    expect(both.hit.signatures).toEqual([both.by(secret), both.by(made.secret)]);
    // Rotated again within the day: both older ones still hold.
    shop.clock.advance(12 * 3_600_000);
    const third = (await shop.a.admin.post<Json>(`${path}${made.id}/rotate-secret`)).body.secret;
    const three = await send();
    expect(three.hit.signatures).toEqual([three.by(third), three.by(secret), three.by(made.secret)]);
    shop.clock.advance(12 * 3_600_000 + 1000);
    const two = await send();
    expect(two.hit.signatures).toEqual([two.by(third), two.by(secret)]);
    shop.clock.advance(12 * 3_600_000);
    const one = await send();
    expect(one.hit.signatures).toEqual([one.by(third)]);
  });

  it('creates a separate secret for each of many simultaneous requests', async () => {
    const made = await subscribe(shop.a, receiver.url('/rotate-race'), { active: false });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => shop.a.admin.post<Json>(`${path}${made.id}/rotate-secret`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const secrets = new Set([made.secret, ...answers.map(({ body }) => body.secret)]);
    expect(secrets.size).toBe(5);
    await shop.a.admin.patch(`${path}${made.id}`, { active: true });
    await shop.settled();
    const [hit] = receiver.of('/rotate-race');
    expect(new Set(hit!.signatures)).toEqual(
      new Set([...secrets].map((secret) => signature([secret], hit!.id, hit!.timestamp, hit!.body))),
    );
  });
});

describe('an address that turned to the inside after it was saved', () => {
  it('is rejected when sending: no connection is made, and the log has the reason', async () => {
    const made = await subscribe(shop.a, receiver.url('/turns'));
    await shop.settled();
    // As a name that now leads elsewhere: the guard looks again at each call.
    await shop.rows('update webhooks_endpoint set url = $2 where id = $1', [made.id, 'https://10.0.0.1/hook']);
    await announce(shop.a);
    await shop.settled();
    const [failed] = (await deliveries(shop.a, made.id)).filter(({ type }) => type !== 'ping');
    expect(failed).toMatchObject({
      status: 'retrying',
      attempt: 1,
      statusCode: null,
      error: 'address_refused',
      responseExcerpt: null,
    });
    expect(receiver.of('/turns')).toHaveLength(1);
    await pass(shop, shop.a, made.id, 6);
    expect((await deliveries(shop.a, made.id, '&status=retrying'))[0]).toMatchObject({ attempt: 2, error: 'address_refused' });
  });
});
