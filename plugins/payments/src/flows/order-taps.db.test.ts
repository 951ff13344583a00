import { cancelCommit, editCommit, type OrderView, placeCommit, refundCommit, shipCommit } from '@storeloom/commerce';
import { type AnyHook, type HookInput, type HookResult, uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { delivered } from '../../test/orders-double/index.ts';
import { callsOf, newOrder, orderLine, type PayShop, payShop, ron } from '../../test/pay-shop.ts';
import { placing } from '../../test/placing.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop();
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

function call<H extends AnyHook>(hook: H, input: unknown, transaction?: 'none'): Promise<HookResult<H>> {
  return p.shop.a.run('orders', (ctx) => ctx.call(hook, input as HookInput<H>), transaction ? { transaction } : {});
}
describe('shipping captures the authorised amount', () => {
  const ship = (order: OrderView, lines: { lineId: string; quantity: number }[], fulfillmentId = uuidv7()) =>
    call(shipCommit, { order, lines, fulfillmentId, warehouseId: null, reason: 'shipped' });
  const captures = () => p.fake.done(/capture$/).map((one) => [Number(one.form.amount_to_capture), one.form.final_capture]);

  it('in shares, the last shipment the remaining amount, to the cent', async () => {
    const lines = [orderLine(1000, 3), orderLine(501), orderLine(0, 1), orderLine(300, 1, { ships: false })];
    // 499 of shipping costs belong to no line, but are part of the shares.
    const order = newOrder(2300, { lines });
    const { id } = await p.paid(order, 2300, 'card-later');
    expect(callsOf(order.id)).toEqual(['settle authorized 0']);
    const [mugs, lamp, gift] = lines.map((line) => line.id) as [string, string, string];
    const first = uuidv7();
    await ship(order, [{ lineId: mugs, quantity: 1 }], first);
    await ship(order, [{ lineId: mugs, quantity: 1 }], first);
    await p.shop.settled();
    // 334 of 1501 → 511.79…
    expect(captures()).toEqual([[512, 'false']]);
    expect((await p.of(order))[0]).toMatchObject({ id, status: 'partially_captured', capturedAmount: 512 });
    await ship(order, [{ lineId: mugs, quantity: 2 }]);
    await p.shop.settled();
    expect(captures()[1]).toEqual([1020, 'false']);
    await ship(order, [
      { lineId: lamp, quantity: 1 },
      { lineId: gift, quantity: 1 },
    ]);
    await p.shop.settled();
    expect(captures()[2]).toEqual([768, 'true']);
    expect((await p.of(order))[0]).toMatchObject({ status: 'captured', capturedAmount: 2300 });
    expect(callsOf(order.id).filter((one) => one.startsWith('settle'))).toEqual(['settle authorized 0']);
  });

  it('in full with a single shipment, and never more than an edited total', async () => {
    const line = orderLine(1000, 2);
    const order = newOrder(1000, { lines: [line] });
    await p.paid(order, 1000, 'card-later');
    order.total = 600;
    await call(editCommit, {
      order,
      changes: [],
      difference: -400,
      promotions: { before: [], after: [] },
      refund: true,
      reason: 'edit',
    });
    expect((await p.of(order))[0]).toMatchObject({ amount: ron(600), authorizedAmount: 1000, status: 'authorized' });
    await ship(order, [{ lineId: line.id, quantity: 2 }]);
    await p.shop.settled();
    expect(captures()).toEqual([[600, 'true']]);
    expect((await p.of(order))[0]).toMatchObject({ status: 'captured', capturedAmount: 600 });
  });

  it('with the last shipment, if the card allows only one capture', async () => {
    const line = orderLine(1000, 2);
    const order = newOrder(1000, { lines: [line] });
    p.fake.multicapture = false;
    await p.paid(order, 1000, 'card-later');
    p.fake.multicapture = true;
    await ship(order, [{ lineId: line.id, quantity: 1 }]);
    await p.shop.settled();
    expect(captures()).toEqual([]);
    await ship(order, [{ lineId: line.id, quantity: 1 }]);
    await p.shop.settled();
    expect(captures()).toEqual([[1000, 'true']]);
    expect((await p.of(order))[0]).toMatchObject({ status: 'captured', capturedAmount: 1000 });
  });

  it('and publishes a refusal by the provider', async () => {
    const line = orderLine(1000);
    const order = newOrder(1000, { lines: [line] });
    const { id } = await p.paid(order, 1000, 'card-later');
    p.fake.fault({
      path: '/v1/payment_intents',
      method: 'POST',
      status: 400,
      body: { error: { code: 'capture_charge_authorization_expired' } },
    });
    await ship(order, [{ lineId: line.id, quantity: 1 }]);
    await p.shop.settled();
    expect((await p.of(order))[0]).toMatchObject({ status: 'authorized', error: 'capture_charge_authorization_expired' });
    expect(await p.events('payments.payment.failed')).toContainEqual(
      expect.objectContaining({ id, error: 'capture_charge_authorization_expired' }),
    );
  });

  it('nothing of payments captured when placing', async () => {
    const line = orderLine(1000);
    const order = newOrder(1000, { lines: [line] });
    await p.paid(order, 1000);
    await ship(order, [{ lineId: line.id, quantity: 1 }]);
    await p.shop.settled();
    expect(captures()).toEqual([]);
  });
});

describe('cancelling', () => {
  const cancel = (order: OrderView, refund = true) =>
    call(cancelCommit, { order, lines: [], reason: 'changed their mind', refund });
  it('voids authorisations and refunds captured money', async () => {
    const order = newOrder(1000);
    await p.paid(order, 1000);
    await cancel(order);
    await cancel(order);
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ status: 'captured', refundedAmount: 1000 }]);
    const kept = newOrder(1000);
    await p.paid(kept, 1000);
    await cancel(kept, false);
    kept.status = 'cancelled';
    await p.heal();
    expect(await p.of(kept)).toMatchObject([{ refundedAmount: 0 }]);
  });

  it('during a capture refunds the captured money', async () => {
    const line = orderLine(1000);
    const order = newOrder(1000, { lines: [line] });
    await p.paid(order, 1000, 'card-later');
    const { promise: linger, resolve: response } = Promise.withResolvers<void>();
    p.fake.fault({ path: '/v1/payment_intents', method: 'POST', linger });
    await call(shipCommit, {
      order,
      lines: [{ lineId: line.id, quantity: 1 }],
      fulfillmentId: uuidv7(),
      warehouseId: null,
      reason: 'x',
    });
    await expect.poll(() => p.fake.done(/capture$/)).toHaveLength(1);
    order.status = 'cancelled';
    await cancel(order);
    response();
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ status: 'voided', capturedAmount: 1000, refundedAmount: 1000 }]);
  });
});

describe('editing', () => {
  const edit = (order: OrderView, total: number, refund = true) => {
    const difference = total - order.total;
    order.total = total;
    return call(editCommit, {
      order,
      changes: [],
      difference,
      promotions: { before: [], after: [] },
      refund,
      reason: 'edit',
    });
  };
  it('requests or refunds exactly the difference', async () => {
    const order = newOrder(1000);
    await p.paid(order, 1000);
    await edit(order, 1300);
    expect((await p.of(order))[1]).toMatchObject({ status: 'created', amount: ron(300), methodCode: 'card' });
    await edit(order, 1400);
    expect((await p.of(order)).map((view) => [view.status, view.amount.amount])).toEqual([
      ['captured', 1000],
      ['cancelled', 300],
      ['created', 400],
    ]);
    await edit(order, 900);
    await p.shop.settled();
    expect((await p.of(order)).map((view) => [view.status, view.refundedAmount])).toEqual([
      ['captured', 100],
      ['cancelled', 0],
      ['cancelled', 0],
    ]);
    await edit(order, 850);
    await p.shop.settled();
    expect((await p.of(order))[0]).toMatchObject({ refundedAmount: 150 });
  });

  it('keeps captured money above the new total on request, and reduces authorisations', async () => {
    const order = newOrder(1000);
    await p.paid(order, 1000);
    await edit(order, 900, false);
    await edit(order, 850);
    await p.shop.settled();
    // Only the reduction of the second edit is refunded.
    expect((await p.refundsOf(order)).map((one) => one.amount)).toEqual([ron(50)]);
    const later = newOrder(1000);
    await p.paid(later, 1000, 'card-later');
    await edit(later, 700, false);
    expect(await p.of(later)).toMatchObject([{ status: 'authorized', amount: ron(700) }]);
  });

  it('changes the amount of a pending offline payment', async () => {
    const order = newOrder(1000, { paymentMethod: 'cod' });
    await call(placeCommit, placing(order, 'cod').input);
    await edit(order, 1250);
    expect(await p.of(order)).toMatchObject([{ status: 'created', amount: ron(1250) }]);
    const emitted = p.shop.a.run('orders', (ctx) => ctx.emit(delivered, { id: order.id, data: { id: order.id } }));
    await emitted;
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ status: 'captured', capturedAmount: 1250 }]);
    expect(callsOf(order.id)).toContain('settle captured 1250');
  });
});

describe('refund of an order', () => {
  const refund = (order: OrderView, more: Record<string, unknown>) =>
    call(refundCommit, {
      order,
      lines: [],
      shipping: 0,
      refundId: uuidv7(),
      method: 'original',
      paymentId: null,
      allocations: [],
      reason: 'broken',
      ...more,
    });

  it('follows its allocations, all or nothing', async () => {
    const order = newOrder(1000);
    const a = await p.paid(order, 1000);
    order.total = 1500;
    const { id } = await p.inTx((service) =>
      service.attempt({ orderId: order.id, methodCode: 'card', amount: ron(500), returnUrl: null }),
    );
    const b = await p.pay((service) => service.startProvider(id));
    p.fake.pay(b.providerRef as string);
    await p.pay((service) => service.sync(id));
    const refundId = uuidv7();
    const allocations = [
      { type: 'payment', paymentId: b.id, amount: 500 },
      { type: 'payment', paymentId: a.id, amount: 200 },
      { type: 'tender', tender: 'gift_card', reference: null, amount: 50 },
    ];
    await refund(order, { refundId, amount: 750, allocations });
    await p.shop.settled();
    expect(await p.refundsOf(order)).toMatchObject([
      { paymentId: b.id, amount: ron(500), status: 'succeeded', groupId: refundId },
      { paymentId: a.id, amount: ron(200), status: 'succeeded', groupId: refundId },
    ]);
    const tooMuch = refund(order, {
      amount: 900,
      allocations: [
        { type: 'payment', paymentId: a.id, amount: 100 },
        { type: 'payment', paymentId: b.id, amount: 1 },
      ],
    });
    await expect(tooMuch).rejects.toMatchObject({ code: 'refund_exceeds_captured' });
    expect(await p.refundsOf(order)).toHaveLength(2);
  });

  it("manually reduces the payments without calling the provider, and keeps the order's refund id", async () => {
    const order = newOrder(1000);
    const { id } = await p.paid(order, 1000);
    const refundId = uuidv7();
    await refund(order, {
      refundId,
      amount: 200,
      method: 'manual',
      allocations: [{ type: 'payment', paymentId: id, amount: 200 }],
    });
    expect(await p.of(order)).toMatchObject([{ refundedAmount: 200 }]);
    expect(await p.refundsOf(order)).toMatchObject([{ id: refundId, method: 'manual', status: 'succeeded', amount: ron(200) }]);
    await p.shop.settled();
    expect(p.fake.done(/refunds$/)).toEqual([]);
  });

  it("as credit changes no payment, and isn't refunded again by a cancellation or price reduction", async () => {
    const order = newOrder(1000);
    await p.paid(order, 1000);
    await refund(order, { amount: 300, method: 'store_credit' });
    expect(await p.of(order)).toMatchObject([{ refundedAmount: 0 }]);
    expect(await p.refundsOf(order)).toEqual([]);
    order.total = 850;
    await call(editCommit, {
      order,
      changes: [],
      difference: -150,
      promotions: { before: [], after: [] },
      refund: true,
      reason: 'edit',
    });
    await call(cancelCommit, { order, lines: [], reason: 'x', refund: true });
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ refundedAmount: 700 }]);
    expect((await p.refundsOf(order)).map((one) => one.amount.amount)).toEqual([150, 550]);
  });
});
