import { orders } from '@storeloom/commerce';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Order, openShop, type Placed, paid, place, read, refundsEnd, seen, settlePayment } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2 });
});
afterAll(() => shop?.stop());

interface Answer {
  refund: { id: string; amount: { amount: number; currency: string }; status: string; paymentId: string | null; lines: object[] };
  order: Order;
  code?: string;
  refundable?: number;
}
const refund = (order: Placed, body: object, base = 0) =>
  shop.a.admin
    .at(shop.bases[base % 2] as string)
    .post<Answer>(`/api/admin/orders/${order.id}/refund`, { reason: 'test', ...body });
const ron = (amount: number) => ({ amount, currency: 'RON' });
const unit = (order: Placed, quantity = 1, restock = false) => ({ lines: [{ lineId: order.lineIds[0], quantity, restock }] });

async function sums(orderId: string): Promise<{ captured: number; refunded: number }> {
  const [row] = await shop.rows<{ captured: string; refunded: string }>(
    `select coalesce((select sum(captured) from payments_payment where order_id = $1), 0) as captured,
      coalesce((select sum(amount) from payments_refund where order_id = $1 and status in ('pending', 'succeeded')), 0) as refunded`,
    [orderId],
  );
  return { captured: Number(row?.captured), refunded: Number(row?.refunded) };
}

describe('refunds', () => {
  it('C45: refund unit by unit up to the amount paid, and no more', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 10_000, quantity: 3 }], codes: ['HALF'], noShipping: true });
    expect(placed.total).toBe(15_000);
    const amounts = [];
    for (let i = 0; i < 3; i++) amounts.push((await refund(placed, unit(placed))).body.refund.amount.amount);
    expect(amounts).toEqual([5000, 5000, 5000]);
    expect((await refund(placed, unit(placed))).body).toMatchObject({ code: 'refund_exceeds_captured', refundable: 0 });
    expect((await read(shop.a, placed.id)).paymentStatus).toBe('paid');
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect(await read(shop.a, placed.id)).toMatchObject({ paymentStatus: 'refunded', totals: { amountDue: { amount: 0 } } });
  });

  it('C39, B32: are in the order’s currency, never converted', async () => {
    const placed = await paid(shop.a, {
      currency: 'JPY',
      fx: { rate: '33.3', rateId: null },
      lines: [{ price: 10_000 }],
      noShipping: true,
    });
    const answer = await refund(placed, { amount: { amount: 5800, currency: 'JPY' } });
    expect(answer.body.refund.amount).toEqual({ amount: 5800, currency: 'JPY' });
    expect((await refund(placed, { amount: ron(5) })).body).toMatchObject({ code: 'currency_mismatch' });
  });

  it('accept an amount, lines, or shipping alone; nothing else', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    expect((await refund(placed, { shipping: ron(1500) })).body.refund).toMatchObject({ amount: ron(1500), shipping: ron(1500) });
    expect((await refund(placed, { shipping: ron(1) })).body).toMatchObject({ code: 'refund_exceeds_captured', refundable: 0 });
    for (const [body, status] of [
      [{}, 422],
      [{ amount: ron(0) }, 422],
      [{ amount: ron(-5) }, 422],
      [{ amount: { amount: 1.5, currency: 'RON' } }, 422],
      [{ amount: ron(5), ...unit(placed) }, 422],
      [{ lines: [{ lineId: placed.lineIds[0], quantity: 0 }] }, 422],
      [{ lines: [{ lineId: placed.id, quantity: 1 }] }, 404],
      [{ amount: ron(5), paymentId: placed.id }, 404],
      [{ amount: ron(2001) }, 409],
      [{ amount: ron(5), method: 'store_credit' }, 422],
    ] as const)
      expect([(await refund(placed, body)).status, body]).toEqual([status, body]);
    expect((await refund(placed, { amount: ron(5), method: 'gift_card' })).body.code).toBe('method_unavailable');
    expect((await sums(placed.id)).refunded).toBe(1500);
  });

  it('P9, B15: never exceed the captured amount in concurrent requests to two processes', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 4 }], noShipping: true });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => refund(placed, i % 3 === 0 ? unit(placed) : { amount: ron(700) }, i)),
    );
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    const given = answers
      .filter((answer) => answer.status === 200)
      .reduce((sum, answer) => sum + answer.body.refund.amount.amount, 0);
    const { captured, refunded } = await sums(placed.id);
    expect(refunded).toBe(given);
    expect(refunded).toBeLessThanOrEqual(captured);
    const order = await read(shop.a, placed.id);
    expect(order.refunds.reduce((sum, each) => sum + each.amount.amount, 0)).toBe(given);
  });

  it('use payments from the newest on, or the selected one', async () => {
    const placed = await place(shop.a, { lines: [{ price: 3000 }], noShipping: true });
    const old = await settlePayment(shop.a, placed.id, { status: 'captured', captured: 1000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const young = await settlePayment(shop.a, placed.id, { status: 'captured', captured: 2000 });
    const named = await refund(placed, { amount: ron(300), paymentId: old });
    expect(named.body.refund).toMatchObject({ paymentId: old });
    expect((await refund(placed, { amount: ron(701), paymentId: old })).body).toMatchObject({
      code: 'refund_exceeds_captured',
      refundable: 700,
    });
    const spread = await refund(placed, { amount: ron(2500) });
    expect(spread.body.refund).toMatchObject({
      paymentId: null,
      payments: [
        { paymentId: young, amount: ron(2000) },
        { paymentId: old, amount: ron(500) },
      ],
    });
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect((await read(shop.a, placed.id)).paymentStatus).toBe('partially_refunded');
    expect((await refund(placed, { amount: ron(200) })).body.order.paymentStatus).toBe('partially_refunded');
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect((await read(shop.a, placed.id)).paymentStatus).toBe('refunded');
  });

  it('use tenders for the amount that payments don’t cover', async () => {
    const placed = await place(shop.a, { lines: [{ price: 3000 }], noShipping: true, tender: 1000 });
    await settlePayment(shop.a, placed.id, { status: 'captured', captured: 2000 });
    await refund(placed, { amount: ron(2500) });
    expect(await seen(shop, 'refund', placed.id)).toMatchObject([
      {
        allocations: [
          { type: 'payment', amount: 2000 },
          { type: 'tender', tender: 'gift_card', reference: 'card', amount: 500 },
        ],
      },
    ]);
    expect(await read(shop.a, placed.id)).toMatchObject({ refunded: ron(2500), paymentStatus: 'paid' });
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect(await read(shop.a, placed.id)).toMatchObject({ refunded: ron(2500), paymentStatus: 'partially_refunded' });
    expect((await refund(placed, { amount: ron(501) })).body).toMatchObject({ code: 'refund_exceeds_captured', refundable: 500 });
  });

  it('X13: a dry run returns the refund and changes nothing', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }], noShipping: true });
    await shop.settled();
    const before = await read(shop.a, placed.id);
    const dry = await refund(placed, { ...unit(placed, 2, true), dryRun: true });
    expect(dry.body).toMatchObject({
      refund: { amount: ron(2000) },
      order: { paymentStatus: 'paid', refunded: ron(2000), fulfillmentStatus: 'not_required' },
    });
    expect(await read(shop.a, placed.id)).toEqual(before);
    expect((await sums(placed.id)).refunded).toBe(0);
    expect(await seen(shop, 'refund', placed.id)).toEqual([]);
    expect((await refund(placed, { amount: ron(2001), dryRun: true })).status).toBe(409);
  });

  it('with the same idempotency key refund once', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        shop.a.admin
          .at(shop.bases[i % 2] as string)
          .post(
            `/api/admin/orders/${placed.id}/refund`,
            { reason: 'x', amount: ron(100) },
            { 'idempotency-key': `refund ${placed.id}`.replaceAll(' ', '-') },
          ),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThan(0);
    expect((await sums(placed.id)).refunded).toBe(100);
  });
});

describe('restocking', () => {
  it('C47, P20: restocks each unit once, also after a cancellation', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    expect((await refund(placed, unit(placed, 1, true))).status).toBe(200);
    expect(await seen(shop, 'refund', placed.id)).toMatchObject([
      { lines: [{ quantity: 1, restock: true, restockUnshipped: 1, restockShipped: 0 }] },
    ]);
    const cancelled = await shop.a.admin.post<Order>(`/api/admin/orders/${placed.id}/status`, {
      status: 'cancelled',
      reason: 'x',
    });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', lines: [{ quantityCancelled: 1, quantityRefunded: 1 }] });
    expect(await seen(shop, 'cancel', placed.id)).toMatchObject([{ lines: [] }]);
  });

  it('refuses units in a parcel, and restocks shipped ones once', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }], noShipping: true });
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/fulfillments`, {
      lines: [{ lineId: placed.lineIds[0], quantity: 2 }],
    });
    expect((await refund(placed, unit(placed, 1, true))).body).toMatchObject({ code: 'quantity_exceeds_unfulfilled' });
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, {});
    expect((await refund(placed, unit(placed, 2, true))).status).toBe(200);
    expect(await seen(shop, 'refund', placed.id)).toMatchObject([{ lines: [{ restockUnshipped: 0, restockShipped: 2 }] }]);
    expect((await read(shop.a, placed.id)).fulfillmentStatus).toBe('shipped');
  });
});

describe('the outcome of a refund', () => {
  it('succeeded completes it; failed makes the amount refundable again', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }], noShipping: true });
    await refund(placed, unit(placed));
    await refundsEnd(shop.a, placed.id, 'failed');
    await shop.settled();
    expect(await read(shop.a, placed.id)).toMatchObject({
      paymentStatus: 'paid',
      refunded: ron(0),
      refunds: [{ status: 'failed' }],
      lines: [{ quantityRefunded: 0 }],
    });
    await refund(placed, unit(placed, 2));
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    const order = await read(shop.a, placed.id);
    expect(order).toMatchObject({ paymentStatus: 'refunded', refunded: ron(2000), lines: [{ quantityRefunded: 2 }] });
    expect(order.refunds.map((each) => each.status)).toEqual(['failed', 'succeeded']);
    expect(
      await shop.rows("select from core_mail where template = 'orders.refunded' and key like $1", [`%${placed.id}%`]),
    ).toHaveLength(1);
  });

  it('of a manual refund without a provider is immediate', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true, tender: 1000 });
    const answer = await refund(placed, { amount: ron(1000) });
    expect(answer.body).toMatchObject({ refund: { status: 'succeeded' }, order: { paymentStatus: 'refunded' } });
  });

  it('follows the same rules for refunds by other plugins', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    const done = await shop.a.run('inventory', (ctx) => ctx.require(orders).refund(placed.id, { amount: 400, reason: 'return' }));
    expect(done.amount).toBe(400);
    await expect(
      shop.a.run('inventory', (ctx) => ctx.require(orders).refund(placed.id, { amount: 601, reason: 'return' })),
    ).rejects.toMatchObject({
      code: 'refund_exceeds_captured',
    });
  });

  it('is audited with the amount', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    await refund(placed, { amount: ron(250) });
    const rows = await shop.rows<{ changes: object }>(
      "select changes from core_audit where action = 'orders.order.refund' and entity_id = $1",
      [placed.id],
    );
    expect(JSON.stringify(rows)).toContain('250');
  });
});
