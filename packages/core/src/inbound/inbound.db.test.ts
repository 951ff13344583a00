import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Inbound, type InboundRequest, inbound, problem, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground, keptLog, until } from '../../test/background.ts';
import { createSender } from '../jobs/sender.ts';
import { type QueuedJob, startWorkers } from '../jobs/workers.ts';
import { createInboundHandler } from './handle.ts';
import { type Delivery, receive } from './receive.ts';

let background: Background;
let tenantId: string;
const sender = createSender();
const log = keptLog();
const secret = 'the-secret-of-a-test';
const refused: string[] = [];
let woken = 0;
beforeAll(async () => {
  background = await createBackground();
});
afterAll(() => background.close());
beforeEach(async () => {
  await background.dropJobs();
  tenantId = (await background.addTenant()).id;
  refused.length = 0;
  woken = 0;
});

const signatureOf = (raw: Buffer) => createHmac('sha256', secret).update(raw).digest('hex');
const definition = (more: Partial<Inbound> = {}): Inbound =>
  inbound({
    provider: 'fakepay',
    // The account that the body names, looked up over all tenants.
    async tenant(ctx, req) {
      const row = await ctx.db.first<{ id: string }>(sql`select id from core_tenant where slug = ${req.params.account ?? ''}`);
      return row?.id;
    },
    async verify(_, req) {
      const given = Buffer.from(String(req.headers['x-signature'] ?? ''));
      const wanted = Buffer.from(signatureOf(req.raw));
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
    eventId: (_, req) => (JSON.parse(req.raw.toString()) as { id: string }).id,
    async handle() {},
    ...more,
  });

async function requestOf(body: string | Buffer, more: Partial<InboundRequest> = {}): Promise<InboundRequest> {
  const raw = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const row = await background.asPlatform((db) =>
    db.first<{ slug: string }>(sql`select slug from core_tenant where id = ${tenantId}`),
  );
  return {
    raw,
    headers: {
      'x-signature': signatureOf(raw),
      'content-type': 'application/json',
      authorization: 'Basic c2VjcmV0',
      'set-cookie': ['a', 'b'],
    },
    query: {},
    params: { account: row?.slug ?? '' },
    ip: '192.0.2.1',
    now: 1_800_000_000,
    ...more,
  };
}
const deliver = (request: InboundRequest, what: Inbound = definition(), method: Delivery['method'] = 'POST') =>
  receive(
    { units: background.units, sender, wake: () => void woken++, onRefused: (provider) => void refused.push(provider) },
    { plugin: 'payments', path: 'fakepay/{account}', inbound: what },
    { request, method, requestId: 'req-12345', signal: new AbortController().signal },
  );
const stored = () =>
  background.inTenant(tenantId, (db) =>
    db.rows<{ id: string; provider: string; eventId: string; raw: string; headers: Record<string, string>; handled: boolean }>(
      sql`select id, provider, event_id as "eventId", raw, headers, handled_at is not null as handled from core_inbound`,
    ),
  );
const jobs = () =>
  background.asPlatform((db) =>
    db.rows<{ data: QueuedJob & { data: { id: string } } }>(
      sql`select data from jobs.job_common where name = 'inbound' and group_id = ${tenantId}`,
    ),
  );

describe('receiving', () => {
  test('stores the notification as it came, with the job that handles it, and acknowledges', async () => {
    const body = '{"id": "evt_1",  "type":"paid", "note":"ștampilă"}';
    expect(await deliver(await requestOf(body))).toEqual({ status: 200, body: { received: true } });
    const [row] = await stored();
    expect(row).toMatchObject({ provider: 'fakepay', eventId: 'evt_1', raw: body, handled: false });
    expect(row?.headers).toMatchObject({ 'content-type': 'application/json', 'set-cookie': 'a, b' });
    expect(row?.headers).not.toHaveProperty('authorization');
    expect((await jobs())[0]?.data).toMatchObject({
      plugin: 'payments',
      name: 'fakepay',
      tenantId,
      requestId: 'req-12345',
      data: { id: row?.id, path: 'fakepay/{account}' },
    });
    expect(woken).toBe(1);
  });

  test('a repeat gets the same response and has no effect, also twenty simultaneous ones', async () => {
    const request = await requestOf('{"id":"evt_1"}');
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(request)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await stored()).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
  });

  test('the same id of another provider or tenant is another notification', async () => {
    await deliver(await requestOf('{"id":"evt_1"}'));
    await deliver(await requestOf('{"id":"evt_1"}'), definition({ provider: 'otherpay' }));
    expect(await stored()).toHaveLength(2);
    tenantId = (await background.addTenant()).id;
    await deliver(await requestOf('{"id":"evt_1"}'));
    expect(await stored()).toHaveLength(1);
  });

  test('a bad signature and an unknown account answer alike, and nothing is stored', async () => {
    const request = await requestOf('{"id":"evt_1"}');
    const wrong: InboundRequest[] = [
      { ...request, headers: { ...request.headers, 'x-signature': 'no' } },
      { ...request, raw: Buffer.from('{"id":"evt_2"}') },
      { ...request, params: { account: 'nobody' } },
      { ...request, params: {} },
    ];
    for (const bad of wrong) await expect(deliver(bad)).rejects.toMatchObject({ code: 'signature_invalid', extra: {} });
    expect(await stored()).toEqual([]);
    expect(await jobs()).toEqual([]);
    expect(refused).toHaveLength(4);
  });

  test('a provider that is not configured is said so', async () => {
    const none = definition({ verify: async () => Promise.reject(problem('provider_not_configured', { provider: 'fakepay' })) });
    await expect(deliver(await requestOf('{"id":"evt_1"}'), none)).rejects.toMatchObject({ code: 'provider_not_configured' });
    expect(await stored()).toEqual([]);
  });

  test('a plugin that is off has no receiver', async () => {
    background.off.set(tenantId, new Set(['payments']));
    await expect(deliver(await requestOf('{"id":"evt_1"}'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['no JSON', 'no json'],
    ['no id', '{}'],
    ['an empty id', '{"id":""}'],
    ['an id that is no text', '{"id":{"$ne":null}}'],
    ['an endless id', JSON.stringify({ id: 'x'.repeat(301) })],
    ['a NUL in the id', '{"id":"a\\u0000b"}'],
    ['a NUL in the body', '{"id":"a"}\0'],
    ['nothing', ''],
  ])('a signed body that cannot be read is the sender’s fault: %s', async (_, body) => {
    await expect(deliver(await requestOf(body))).rejects.toMatchObject({ code: 'malformed_request' });
    expect(await stored()).toEqual([]);
  });

  test('bytes that are no UTF-8 are kept one by one', async () => {
    const raw = Buffer.from([0x69, 0x64, 0x3d, 0xba, 0xfe, 0xff]);
    await deliver(await requestOf(raw), definition({ eventId: () => 'form' }));
    expect(Buffer.from((await stored())[0]?.raw ?? '', 'latin1').equals(raw)).toBe(true);
  });

  test('the plugin’s own acknowledgement', async () => {
    const ack = () => ({ status: 200, body: '<EPAYMENT>1|2</EPAYMENT>', type: 'text/plain' });
    expect(await deliver(await requestOf('{"id":"evt_1"}'), definition({ ack }))).toEqual(ack());
    expect(await deliver(await requestOf('{"id":"evt_1"}'), definition({ ack }))).toEqual(ack());
  });

  test('a handshake by GET stores nothing; without one the method is refused', async () => {
    const request = await requestOf('', { query: { challenge_code: 'c' } });
    const shaking = definition({
      challenge: async (ctx, req) => ({ status: 200, body: { to: ctx.tenant.id, code: req.query.challenge_code } }),
    });
    expect(await deliver(request, shaking, 'GET')).toEqual({ status: 200, body: { to: tenantId, code: 'c' } });
    expect(await stored()).toEqual([]);
    await expect(deliver(request, definition(), 'GET')).rejects.toMatchObject({ code: 'method_not_allowed' });
  });
});

describe('handling', () => {
  const handlerOf = (what: Inbound | undefined) =>
    createInboundHandler({
      units: background.units,
      sender,
      log,
      find: (_, path) => (path === 'fakepay/{account}' ? what : undefined),
    });

  test('happens once for each notification, in a job, and is remembered', async () => {
    const seen: unknown[] = [];
    const what = definition({
      async handle(ctx, event) {
        seen.push([ctx.actor, ctx.tenant.id, event.eventId, event.raw, event.headers['content-type']]);
        await ctx.transaction((inside) => inside.db.run(sql`select 1`));
      },
    });
    const request = await requestOf('{"id":"evt_1"}');
    await Promise.all([deliver(request, what), deliver(request, what)]);
    const workers = await startWorkers({ url: background.runtimeUrl, log, pollSeconds: 0.5 }, handlerOf(what));
    await until(async () => (await stored())[0]?.handled);
    await workers.stop();
    expect(seen).toEqual([[{ type: 'provider', provider: 'fakepay' }, tenantId, 'evt_1', '{"id":"evt_1"}', 'application/json']]);
  });

  const jobFor = async (attempt = 0): Promise<QueuedJob> => {
    const [row] = await stored();
    return {
      id: uuidv7(),
      queue: 'inbound',
      plugin: 'payments',
      name: 'fakepay',
      tenantId,
      requestId: 'req-12345',
      data: { id: row?.id, path: 'fakepay/{account}' },
      attempt,
      lastAttempt: false,
      signal: new AbortController().signal,
    };
  };

  test('a failure leaves it unhandled, to be tried again; a handled one is not handled twice', async () => {
    let times = 0;
    const what = definition({
      async handle() {
        if (++times === 1) throw new Error('the provider is away');
      },
    });
    await deliver(await requestOf('{"id":"evt_1"}'), what);
    await expect(handlerOf(what)(await jobFor())).rejects.toThrow('away');
    expect((await stored())[0]?.handled).toBe(false);
    await background.inTenant(tenantId, (db) => db.run(sql`update core_inbound set handled_at = now()`));
    await handlerOf(what)(await jobFor(1));
    expect(times).toBe(1);
  });

  test('a receiver that is not loaded is tried again later', async () => {
    await deliver(await requestOf('{"id":"evt_1"}'));
    await expect(handlerOf(undefined)(await jobFor())).rejects.toThrow('is not loaded');
    expect((await stored())[0]?.handled).toBe(false);
  });
});
