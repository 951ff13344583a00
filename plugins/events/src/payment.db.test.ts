import { job, uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../../payments/test/fake-payment-a.ts';
import { addType, buy, eventShop, type Json, must, publish, ron, scan, tickets } from '../test/shop.ts';

let shop: TestShop;
let fake: FakePaymentA;
beforeAll(async () => {
  fake = await new FakePaymentA().start();
  shop = await eventShop({ plugins: ['events', 'payments', 'taxes', 'promotions', 'catalog'] });
  await must(
    shop.a.admin.post<Json>('/api/admin/payment-methods/', {
      code: 'card',
      name: 'Card',
      provider: 'payment-a',
      enabled: true,
      config: fake.config(),
    }),
    201,
  );
});
afterAll(async () => {
  await shop?.stop();
  await fake?.stop();
});

it('tickets have a tax category of this shop, or none', async () => {
  const setting = (tenant: typeof shop.a, value: string | null) =>
    tenant.admin.put('/api/admin/settings/events.taxCategoryId', { value });
  const category = await must(shop.a.admin.post<Json>('/api/admin/taxes/categories', { code: 'shows', name: 'Shows' }), 201);
  expect((await setting(shop.a, uuidv7())).status).toBe(404);
  expect((await setting(shop.b, category.id)).status).toBe(404);
  expect((await setting(shop.a, category.id)).status).toBe(200);
  expect((await setting(shop.a, null)).status).toBe(200);
});

async function reserved(client: TestClient, event: Json, typeId: string, quantity = 1, more: Json = {}): Promise<Json> {
  return must(buy(client, event.id, [[typeId, quantity]], more), 201);
}
async function payment(bought: Json): Promise<{ id: string; providerRef: string }> {
  const [row] = await shop.rows<{ id: string; providerRef: string }>(
    `select p.id, p.provider_ref as "providerRef" from payments_payment p join events_purchase e on e.id = p.for_id where e.order_ref = $1`,
    [bought.orderRef],
  );
  if (!row) throw new Error('there is no payment');
  return row;
}
async function tell(type: string, ref: string): Promise<void> {
  const raw = JSON.stringify(fake.eventOf(type, ref));
  const answer = await shop.a.guest.call('POST', '/api/webhooks/payment-a', {
    raw: { content: raw, type: 'application/json' },
    headers: fake.sign(raw, Math.floor(shop.clock.ms() / 1000)),
  });
  expect(answer.status).toBe(200);
  await shop.settled();
}
async function pay(bought: Json): Promise<void> {
  const { providerRef } = await payment(bought);
  fake.pay(providerRef);
  await tell('payment_intent.succeeded', providerRef);
}
const purchaseOf = async (bought: Json): Promise<Json> =>
  (await shop.rows('select * from events_purchase where order_ref = $1', [bought.orderRef]))[0] as Json;

describe('paid tickets', () => {
  it('are kept until they are paid, valid from then on', async () => {
    const event = await publish(shop, shop.a, { capacity: 2 });
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const bought = await reserved(shop.a.guest, event, type.id, 2);
    expect(bought).toMatchObject({ status: 'reserved', total: ron(10_000), tickets: [] });
    expect(bought.paymentUrl).toMatch(/^http/);
    expect((await buy(shop.a.guest, event.id, [[type.id, 1]])).body).toMatchObject({ code: 'sold_out', available: 0 });
    await pay(bought);
    expect((await tickets(shop.a, event.id)).map(({ status }) => status)).toEqual(['valid', 'valid']);
    expect(await purchaseOf(bought)).toMatchObject({ status: 'paid' });
  });

  it('lapse unpaid, and the places are for others', async () => {
    const event = await publish(shop, shop.a, { capacity: 1 });
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const bought = await reserved(shop.a.guest, event, type.id);
    shop.clock.advance(16 * 60_000);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}`), 200);
    expect(shown).toMatchObject({ held: 0, available: 1 });
    await shop.a.run('events', (ctx) => ctx.enqueue(job('expire'), {}));
    await shop.settled();
    expect(await purchaseOf(bought)).toMatchObject({ status: 'expired' });
    expect((await tickets(shop.a, event.id)).map(({ status }) => status)).toEqual(['expired']);
    await reserved(shop.a.guest, event, type.id);
  });

  it('paid too late are valid where the places are free, else the money goes back', async () => {
    const event = await publish(shop, shop.a, { capacity: 1 });
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const first = await reserved(shop.a.guest, event, type.id);
    shop.clock.advance(16 * 60_000);
    await pay(first);
    expect(await purchaseOf(first)).toMatchObject({ status: 'paid', refund_due: false });
    const other = await publish(shop, shop.a, { capacity: 1 });
    const otherType = await addType(shop.a, other.id, { price: ron(5000) });
    const late = await reserved(shop.a.guest, other, otherType.id);
    shop.clock.advance(16 * 60_000);
    // The provider has the money; its notification arrives after another buyer took the place.
    const { providerRef } = await payment(late);
    fake.pay(providerRef);
    const winner = await reserved(shop.a.guest, other, otherType.id);
    await tell('payment_intent.succeeded', providerRef);
    await pay(winner);
    expect(await purchaseOf(winner)).toMatchObject({ status: 'paid' });
    const lost = await purchaseOf(late);
    expect(lost).toMatchObject({ status: 'expired' });
    expect(Number(lost.refunded_amount)).toBe(5000);
    expect((await tickets(shop.a, other.id)).filter(({ status }) => status === 'valid')).toHaveLength(1);
  });

  it('refunded in full open no door, also after entry; in part they do', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const bought = await reserved(shop.a.guest, event, type.id, 2);
    await pay(bought);
    const { id } = await payment(bought);
    const refund = (amount: number, key: string) =>
      shop.a.run(
        'events',
        async (ctx) => {
          const { payments } = await import('@storeloom/commerce');
          return ctx.require(payments).refund({ paymentId: id, amount: ron(amount), reason: 'test', key });
        },
        { transaction: 'none' },
      );
    await refund(4000, 'one');
    await shop.settled();
    expect((await tickets(shop.a, event.id)).map(({ status }) => status)).toEqual(['valid', 'valid']);
    const [used, other] = await tickets(shop.a, event.id);
    await must(scan(shop.a, used?.code, { nonce: 'in' }), 200);
    await refund(6000, 'two');
    await shop.settled();
    for (const [code, nonce] of [
      [used?.code, 'in'],
      [used?.code, 'again'],
      [other?.code, 'first'],
    ])
      expect((await scan(shop.a, code, { nonce })).body).toMatchObject({
        code: 'canceled',
        ticketStatus: 'refunded',
        detail: 'The ticket was refunded.',
      });
    expect((await tickets(shop.a, event.id)).map(({ status }) => status)).toEqual(['refunded', 'refunded']);
    expect(await purchaseOf(bought)).toMatchObject({ status: 'refunded' });
  });

  it('of a cancelled event end, and their money goes back', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const bought = await reserved(shop.a.guest, event, type.id);
    await pay(bought);
    const open = await reserved(shop.a.guest, event, type.id);
    await must(shop.a.admin.patch<Json>(`/api/admin/events/${event.id}`, { status: 'cancelled' }), 200);
    await shop.settled();
    expect((await tickets(shop.a, event.id)).map(({ status }) => status).sort()).toEqual(['cancelled', 'cancelled']);
    expect(await purchaseOf(bought)).toMatchObject({ status: 'refunded' });
    expect(await purchaseOf(open)).toMatchObject({ status: 'cancelled' });
  });

  it('are discounted by a code, which is used once', async () => {
    const made = await must(
      shop.a.admin.post<Json>('/api/admin/promotions/', {
        name: 'Ten percent',
        type: 'percentage',
        value: { percentBp: 1000 },
        target: 'order',
        codes: ['TENOFF'],
        usageLimit: 1,
      }),
      201,
    );
    expect(made.id).toBeTruthy();
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    expect((await reserved(shop.a.guest, event, type.id, 2, { coupon: 'TENOFF' })).total).toEqual(ron(9000));
    const again = await buy(shop.a.guest, event.id, [[type.id, 1]], { coupon: 'TENOFF' });
    expect(again).toMatchObject({ status: 422, body: { code: 'coupon_usage_limit', errors: [{ pointer: '/coupon' }] } });
    const unknown = await buy(shop.a.guest, event.id, [[type.id, 1]], { coupon: 'NOPE' });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'coupon_not_found', errors: [{ pointer: '/coupon' }] } });
  });

  it('let go of their code where nothing comes of them, and late money has it only while it is free', async () => {
    const promotion = { name: 'Once', type: 'percentage', value: { percentBp: 1000 }, target: 'order', usageLimit: 1 };
    const made = await must(shop.a.admin.post<Json>('/api/admin/promotions/', { ...promotion, code: 'ONCEONLY' }), 201);
    const used = async (): Promise<number> =>
      (await shop.rows<{ n: number }>('select used_count as n from promotions_promotion where id = $1', [made.id]))[0]?.n ?? -1;
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    const coupon = { coupon: 'ONCEONLY' };
    // The provider refuses to begin.
    fake.fault({ path: '/', status: 400, body: { error: { code: 'invalid_request', message: 'no' } }, times: 1 });
    expect((await buy(shop.a.guest, event.id, [[type.id, 1]], coupon)).status).toBe(503);
    expect(await used()).toBe(0);
    // Its hold lapsed and the code was free for others; money that came late has it again.
    const late = await reserved(shop.a.guest, event, type.id, 1, coupon);
    expect(await used()).toBe(1);
    const lateRef = (await payment(late)).providerRef;
    fake.pay(lateRef);
    shop.clock.advance(16 * 60_000);
    expect((await buy(shop.a.guest, event.id, [[type.id, 1]])).status).toBe(201);
    expect([(await purchaseOf(late)).status, await used()]).toEqual(['expired', 0]);
    await tell('payment_intent.succeeded', lateRef);
    expect([(await purchaseOf(late)).status, await used()]).toEqual(['paid', 1]);
    // Another buyer was faster: the late money goes back, and the code isn't used a third time.
    await must(shop.a.admin.patch<Json>(`/api/admin/promotions/${made.id}`, { usageLimit: 2 }), 200);
    const slow = await reserved(shop.a.guest, event, type.id, 1, coupon);
    const slowRef = (await payment(slow)).providerRef;
    fake.pay(slowRef);
    shop.clock.advance(16 * 60_000);
    await pay(await reserved(shop.a.guest, event, type.id, 1, coupon));
    expect(await used()).toBe(2);
    await tell('payment_intent.succeeded', slowRef);
    expect(await purchaseOf(slow)).toMatchObject({ status: 'expired' });
    expect([Number((await purchaseOf(slow)).refunded_amount), await used()]).toEqual([4500, 2]);
    // A cancelled event gives back what was used for it.
    await must(shop.a.admin.patch<Json>(`/api/admin/events/${event.id}`, { status: 'cancelled' }), 200);
    // A job that met a conflict is repeated after a second.
    await expect.poll(used).toBe(0);
  });

  it('are free again immediately when the provider refuses to start', async () => {
    const event = await publish(shop, shop.a, { capacity: 1 });
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    fake.fault({ path: '/', status: 400, body: { error: { code: 'invalid_request', message: 'no' } }, times: 1 });
    const refused = await buy(shop.a.guest, event.id, [[type.id, 1]]);
    expect(refused.status).toBe(503);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}`), 200);
    expect(shown).toMatchObject({ held: 0, available: 1 });
  });
});
