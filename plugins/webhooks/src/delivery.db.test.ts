import { type DomainEvent, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from '../test/receiver.ts';
import { announce, customerUpdated, deliveries, type Json, pass, subscribe } from '../test/shop.ts';
import { overdue, tidy } from './jobs.ts';
import { fanOut } from './queue.ts';
import { queued } from './queued.ts';

const path = '/api/admin/webhooks/';
const day = 86_400;
let shop: TestShop;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await new Receiver().start();
  // Two processes: each due delivery is sent once.
  shop = await testShop({ plugins: ['webhooks'], processes: 2 });
});
afterAll(async () => {
  await shop?.stop();
  await receiver?.stop();
});

/** A subscription that has had its ping. */
async function settledSubscription(at: string, more: Record<string, unknown> = {}): Promise<Json> {
  const made = await subscribe(shop.a, receiver.url(at), more);
  await shop.settled();
  return made;
}
const of = async (id: string, query = ''): Promise<Json[]> =>
  (await deliveries(shop.a, id, query)).filter(({ type }) => type !== 'ping');
const retry = (id: string) => shop.a.admin.post<Json>(`${path}deliveries/${id}/retry`);

describe('events', () => {
  it('are listed with the body of a delivery, and each try is counted', async () => {
    const { data } = (await shop.a.admin.get<Json>(`${path}events`)).body;
    const types = data.map(({ type }: Json) => type);
    expect(types).toEqual(expect.arrayContaining(['customers.customer.created', 'content.page.published']));
    for (const { type, sample } of data) {
      expect(sample, type).toMatchObject({
        type,
        timestamp: expect.any(String),
        data: { aggregateId: expect.any(String), sequence: 1 },
      });
      expect(Object.keys(sample.data).length, type).toBeGreaterThan(2);
    }
    expect(data.find(({ type }: Json) => type === 'customers.consent.changed').sample.data).toMatchObject({
      customerId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      granted: true,
    });
    const counted = async (): Promise<number> => {
      const texts = await Promise.all(shop.bases.map((base) => shop.a.guest.at(base).get('/metrics')));
      return texts.reduce(
        (sum, { text }) => sum + Number(/^webhook_deliveries_total\{outcome="succeeded"\} (\d+)/m.exec(text)?.[1] ?? 0),
        0,
      );
    };
    const before = await counted();
    const { id } = await settledSubscription('/counted');
    await expect.poll(counted).toBe(before + 1);
    await shop.a.admin.delete(`${path}${id}`);
  });

  it('reach who asked for them, of the own shop only', async () => {
    const all = await settledSubscription('/all', { events: ['*'] });
    const some = await settledSubscription('/some', { events: ['customers.consent.changed'] });
    const off = await settledSubscription('/off', { events: ['*'], active: false });
    const other = await subscribe(shop.b, receiver.url('/other'), { events: ['*'] });
    const customer = await shop.a.customer();
    await shop.settled();
    expect(receiver.types('/all')).toEqual(['ping', 'customers.customer.created']);
    expect(receiver.types('/some')).toEqual(['ping']);
    expect(receiver.types('/off')).toEqual([]);
    expect(receiver.types('/other')).toEqual(['ping']);
    const hit = receiver.of('/all').at(-1)!;
    expect(JSON.parse(hit.body)).toMatchObject({
      data: { id: customer.customerId, email: customer.email, aggregateId: customer.customerId, sequence: 1 },
    });
    expect(hit.body).toContain('"timestamp":"20');
    const [event] = await shop.rows<Json>(
      'select id, request_id from core_event where tenant_id = $1 and aggregate = $2 order by sequence limit 1',
      [shop.a.id, customer.customerId],
    );
    expect((await of(all.id))[0]).toMatchObject({
      eventId: event!.id,
      requestId: event!.request_id,
      payload: JSON.parse(hit.body),
      status: 'succeeded',
    });
    for (const { id } of [all, some, off]) await shop.a.admin.delete(`${path}${id}`);
    await shop.b.admin.delete(`${path}${other.id}`);
  });

  it('say which trace they belong to, with a parent of their own', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const given = `00-${traceId}-00f067aa0ba902b7-01`;
    const post = (at: string, header: string) =>
      shop.a.admin.with({ traceparent: header }).post<Json>(path, { url: receiver.url(at), events: ['*'] });
    const made = [await post('/traced', given), await post('/untraced', `${given}-more`)];
    expect(made.map((answer) => answer.status)).toEqual([201, 201]);
    await shop.settled();
    const sent = receiver.of('/traced')[0]?.headers.traceparent;
    expect(sent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(sent).not.toBe(given);
    // One that can't be read is replaced.
    expect(receiver.of('/untraced')[0]?.headers.traceparent).toMatch(/^00-(?!4bf92f)[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    for (const { body } of made) await shop.a.admin.delete(`${path}${body.id}`);
  });

  it('come once to an endpoint, and each with its place in the line of its thing', async () => {
    const made = await settledSubscription('/order');
    const [id] = (await announce(shop.a)) as [string];
    for (let i = 0; i < 9; i++) await shop.a.run('customers', (ctx) => ctx.emit(customerUpdated, { id, data: { id } }));
    await shop.settled();
    const bodies = receiver
      .of('/order')
      .slice(1)
      .map((hit) => JSON.parse(hit.body));
    expect(bodies.map(({ data }) => data.sequence).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(receiver.of('/order').map((hit) => hit.id)).size).toBe(11);
    // Told of one event again, as after a crash of who told it: no second delivery.
    const [event] = await shop.rows<Json>(
      `select id, type, aggregate, sequence::int, data, created_at from core_event where aggregate = $1 order by sequence limit 1`,
      [id],
    );
    await Promise.all(
      Array.from({ length: 5 }, () =>
        shop.a.run('webhooks', (ctx) => fanOut(ctx, { ...(event as unknown as DomainEvent), at: new Date().toISOString() })),
      ),
    );
    await shop.settled();
    expect(receiver.of('/order')).toHaveLength(11);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('are sent once by many that look at the same time', async () => {
    const made = await settledSubscription('/crowd');
    receiver.behave('/crowd', () => ({ status: 200, delayMs: 100 }));
    await announce(shop.a, 30);
    for (let i = 0; i < 4; i++)
      await Promise.all(
        [1, 2, 3].map((n) =>
          shop.a.run('webhooks', (ctx) => ctx.enqueue(queued.dispatch, { endpointId: made.id }, { key: `${i} ${n}` })),
        ),
      );
    await shop.settled();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await shop.settled();
    expect(receiver.of('/crowd')).toHaveLength(31);
    expect(new Set(receiver.of('/crowd').map((hit) => hit.id)).size).toBe(31);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('that a process took with it when it died are sent by the next one, with the same id', async () => {
    const made = await settledSubscription('/heir');
    await shop.rows(`update webhooks_endpoint set runner = gen_random_uuid(), runner_until = $2 where id = $1`, [
      made.id,
      new Date(shop.clock.ms() + 30_000).toISOString(),
    ]);
    await announce(shop.a);
    await shop.settled();
    expect(receiver.of('/heir')).toHaveLength(1);
    await pass(shop, shop.a, made.id, 31);
    expect(receiver.of('/heir')).toHaveLength(2);
    expect((await of(made.id))[0]).toMatchObject({ status: 'succeeded', attempt: 1 });
    await shop.a.admin.delete(`${path}${made.id}`);
  });
});

describe('a delivery that fails', () => {
  it('is tried ten times by the schedule, then it is dead; a manual retry starts again', async () => {
    const made = await settledSubscription('/fails');
    receiver.behave('/fails', () => ({ status: 500, body: `sorry <script>${'x'.repeat(3000)}` }));
    await announce(shop.a);
    await shop.settled();
    const waits = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];
    for (const [i, wait] of waits.entries()) {
      const [row] = await of(made.id);
      expect(row).toMatchObject({ status: 'retrying', attempt: i + 1, statusCode: 500 });
      const due = (Date.parse(row!.nextAt) - Date.parse(row!.updatedAt)) / 1000;
      expect(due).toBeGreaterThanOrEqual(wait * 0.8 - 0.001);
      expect(due).toBeLessThanOrEqual(wait * 1.2 + 0.001);
      // Not before its time.
      if (wait > 60) {
        await pass(shop, shop.a, made.id, wait * 0.8 - 30);
        expect((await of(made.id))[0]!.attempt).toBe(i + 1);
        await pass(shop, shop.a, made.id, wait * 0.4 + 60);
      } else await pass(shop, shop.a, made.id, wait * 1.3);
      // Continuous failure would disable it, so it gets a success in between.
      await shop.rows('update webhooks_endpoint set failing_since = $2 where id = $1', [made.id, shop.clock.now()]);
    }
    const [dead] = await of(made.id);
    expect(dead).toMatchObject({ status: 'dead', attempt: 10, nextAt: null });
    expect(dead!.attempts.map((one: Json) => one.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(dead!.responseExcerpt).toHaveLength(1024);
    const hits = receiver.of('/fails').slice(1);
    expect(hits).toHaveLength(10);
    expect(new Set(hits.map((hit) => hit.id))).toEqual(new Set([dead!.eventId]));
    expect(new Set(hits.map((hit) => hit.timestamp)).size).toBe(10);
    expect(new Set(hits.map((hit) => hit.body)).size).toBe(1);
    await pass(shop, shop.a, made.id, 2 * day);
    expect(receiver.of('/fails')).toHaveLength(11);

    receiver.behave('/fails', () => ({ status: 200, body: 'ok' }));
    const again = await retry(dead!.id);
    expect([again.status, again.body.status]).toEqual([200, 'pending']);
    await shop.settled();
    expect((await of(made.id))[0]).toMatchObject({
      status: 'succeeded',
      attempt: 11,
      statusCode: 200,
      responseExcerpt: 'ok',
      nextAt: null,
    });
    expect(receiver.of('/fails').at(-1)!.id).toBe(dead!.eventId);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('can be resent from any state but pending, once for simultaneous requests', async () => {
    const made = await settledSubscription('/by-hand');
    await announce(shop.a);
    await shop.settled();
    const [row] = await of(made.id);
    // No job runs meanwhile.
    await shop.rows('update webhooks_endpoint set quiet_until = $2 where id = $1', [
      made.id,
      new Date(shop.clock.ms() + 3_600_000).toISOString(),
    ]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(row!.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'invalid_transition',
      from: 'pending',
      to: 'pending',
    });
    await pass(shop, shop.a, made.id, 3601);
    expect(receiver.of('/by-hand')).toHaveLength(3);
    await shop.a.admin.patch(`${path}${made.id}`, { active: false });
    expect((await retry(row!.id)).body).toMatchObject({ status: 409, code: 'endpoint_disabled' });
    expect((await shop.b.admin.post<Json>(`${path}deliveries/${row!.id}/retry`)).status).toBe(404);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('is not sent to an endpoint that is off; what waited goes out when it is on again', async () => {
    const made = await settledSubscription('/held');
    receiver.behave('/held', () => ({ status: 503, headers: { 'retry-after': '1' } }));
    await announce(shop.a, 3);
    await shop.settled();
    await shop.a.admin.patch(`${path}${made.id}`, { active: false });
    const before = receiver.of('/held').length;
    await announce(shop.a);
    await pass(shop, shop.a, made.id, day);
    expect(receiver.of('/held')).toHaveLength(before);
    const waiting = await of(made.id);
    expect(waiting).toHaveLength(3);
    for (const row of waiting) expect(row).toMatchObject({ nextAt: null, status: expect.stringMatching(/pending|retrying/) });
    receiver.behave('/held', () => ({ status: 200 }));
    await shop.a.admin.patch(`${path}${made.id}`, { active: true });
    await shop.settled();
    expect((await of(made.id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('keeps others back while the receiver asks for peace', async () => {
    const made = await settledSubscription('/peace');
    receiver.behave('/peace', (n) => (n === 1 ? { status: 429, headers: { 'retry-after': '600' } } : { status: 200 }));
    await announce(shop.a);
    await shop.settled();
    await announce(shop.a, 5);
    await pass(shop, shop.a, made.id, 590);
    expect(receiver.of('/peace')).toHaveLength(2);
    await pass(shop, shop.a, made.id, 11);
    expect(receiver.of('/peace')).toHaveLength(8);
    expect((await of(made.id)).every(({ status }) => status === 'succeeded')).toBe(true);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('disables its endpoint after five days of continuous failure, and notifies staff', async () => {
    const made = await settledSubscription('/days');
    receiver.behave('/days', () => ({ status: 404 }));
    await announce(shop.a);
    await shop.settled();
    const show = async (): Promise<Json> => (await shop.a.admin.get<Json>(`${path}${made.id}`)).body;
    expect(await show()).toMatchObject({ active: true, health: 'failing' });
    await pass(shop, shop.a, made.id, 4.9 * day);
    expect((await show()).active).toBe(true);
    await announce(shop.a);
    await pass(shop, shop.a, made.id, 0.2 * day);
    expect(await show()).toMatchObject({ active: false, health: 'failing', disabledReason: 'failing' });
    const told = await shop.a.admin.get<Json>('/api/admin/notifications/?type=webhooks.endpoint.disabled');
    expect(told.body.data[0]).toMatchObject({ link: `/webhooks/${made.id}`, title: { en: 'A webhook was disabled' } });
    expect(told.body.data[0].body.ro).toContain(`127.0.0.1:${receiver.port}`);
    const hits = receiver.of('/days').length;
    await announce(shop.a);
    await pass(shop, shop.a, made.id, day);
    expect(receiver.of('/days')).toHaveLength(hits);
    receiver.behave('/days', () => ({ status: 200 }));
    expect((await shop.a.admin.patch<Json>(`${path}${made.id}`, { active: true })).body).toMatchObject({
      active: true,
      health: 'healthy',
      disabledReason: null,
    });
    await shop.settled();
    expect((await of(made.id)).every(({ status }) => status === 'succeeded')).toBe(true);
    await shop.a.admin.delete(`${path}${made.id}`);
  });
});

describe('the log', () => {
  it('is listed by page and filter, of one endpoint', async () => {
    const made = await settledSubscription('/log');
    await announce(shop.a, 3);
    await shop.settled();
    const list = await shop.a.admin.get<Json>(`${path}${made.id}/deliveries?limit=2`);
    expect(list.body.data).toHaveLength(2);
    expect(list.body.page.nextCursor).not.toBeNull();
    expect(await deliveries(shop.a, made.id, '&type=ping')).toHaveLength(1);
    expect(await deliveries(shop.a, made.id, '&status=dead')).toHaveLength(0);
    expect((await shop.a.admin.get(`${path}${made.id}/deliveries?body=x`)).status).toBe(400);
    expect((await shop.b.admin.get(`${path}${made.id}/deliveries`)).status).toBe(404);
    await shop.a.admin.delete(`${path}${made.id}`);
    expect((await shop.a.admin.get(`${path}${made.id}/deliveries`)).status).toBe(404);
  });

  it('exports and erases the deliveries about a person', async () => {
    const made = await settledSubscription('/person', { events: ['*'] });
    receiver.behave('/person', () => ({ status: 200, body: 'stored ann@person.example' }));
    await shop.a.customer('ann@person.example');
    await shop.settled();
    receiver.behave('/person', () => ({ status: 200 }));
    await shop.a.customer('joann@person.example');
    await announce(shop.a, 1, { note: 'a+b' });
    await shop.settled();
    const person = { emails: ['ann@person.example'], phones: ['(07+', '+40 700 000 000'] };
    const exported = await shop.a.run('customers', (ctx) => ctx.call(peopleExport, person));
    const rows = exported.find(({ resource }) => resource === 'webhooks.delivery')?.rows ?? [];
    expect(rows).toMatchObject([
      {
        type: 'customers.customer.created',
        receiver: `127.0.0.1:${receiver.port}`,
        payload: { data: { email: 'ann@person.example' } },
      },
    ]);
    const reports: Json[] = [];
    for (let i = 0; i < 2; i++)
      await shop.a.run('customers', (ctx) => ctx.call(peopleErase, { ...person, report: (entry) => void reports.push(entry) }));
    expect(reports.filter(({ resource }) => resource === 'webhooks.delivery')).toEqual([
      { resource: 'webhooks.delivery', erased: 1 },
      { resource: 'webhooks.delivery', erased: 0 },
    ]);
    const left = await shop.rows<Json>(
      `select d.body, a.response_excerpt from webhooks_delivery d left join webhooks_attempt a on a.delivery_id = d.id where d.endpoint_id = $1`,
      [made.id],
    );
    expect(JSON.stringify(left)).not.toMatch(/[^o]ann@person\.example/);
    expect(JSON.stringify(left)).toContain('joann@person.example');
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('comes up again when a job was lost', async () => {
    const made = await settledSubscription('/lost');
    await announce(shop.a);
    await shop.settled();
    const [row] = await of(made.id);
    await shop.rows(`update webhooks_delivery set status = 'retrying', next_at = $2 where id = $1`, [
      row!.id,
      new Date(shop.clock.ms() - 601_000).toISOString(),
    ]);
    await shop.kernel.asPlatform('webhooks', (ctx) => overdue.run(ctx, {}));
    await shop.settled();
    expect(receiver.of('/lost')).toHaveLength(3);
    await shop.a.admin.delete(`${path}${made.id}`);
  });

  it('forgets after thirty days', async () => {
    const made = await settledSubscription('/old');
    await announce(shop.a);
    await shop.settled();
    const before = await shop.rows<Json>('select id from webhooks_attempt');
    const kept = async () => (await shop.rows('select id from webhooks_delivery where endpoint_id = $1', [made.id])).length;
    await shop.a.run('webhooks', (ctx) => tidy.run(ctx, {}));
    expect([await kept(), (await deliveries(shop.a, made.id)).length]).toEqual([2, 2]);
    // By then all staff sessions have expired.
    shop.clock.advance(31 * day * 1000);
    await shop.a.run('webhooks', (ctx) => tidy.run(ctx, {}));
    expect(await kept()).toBe(0);
    expect((await shop.rows<Json>('select id from webhooks_attempt where tenant_id = $1', [shop.a.id])).length).toBeLessThan(
      before.length,
    );
    await shop.a.admin.delete(`${path}${made.id}`);
  });
});
