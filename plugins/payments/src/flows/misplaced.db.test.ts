import type { PaymentSubject } from '@storeloom/commerce';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { state } from '../../test/orders-double/index.ts';
import { callsOf, newOrder, newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ now: '2026-11-27T10:00:00Z' });
});
afterAll(() => p?.stop());
beforeEach(() => {
  p.fake.calls.length = 0;
  state.latePolicy = 'refund';
});

const release = (subject: PaymentSubject, reason = 'cancelled', refund = true) =>
  p.inTx((service) => service.release(subject, { refund, reason }));
const repairs = async (id: string) =>
  (await p.events('payments.payment.repaired')).filter((data) => data.id === id).map((data) => data.repair);

describe('release', () => {
  it('cancels pending payments, voids authorisations and refunds captures, once', async () => {
    const waiting = newThing();
    const reserved = newThing();
    const taken = newThing();
    const w = await p.started(waiting, 100);
    const r = await p.paid(reserved, 200, 'card-later');
    const t = await p.paid(taken, 300);
    expect(r).toMatchObject({ status: 'authorized', authorizedAmount: 200, capturedAmount: 0 });
    for (const subject of [waiting, reserved, taken]) for (let i = 0; i < 2; i++) await release(subject);
    expect((await p.of(waiting))[0]).toMatchObject({ status: 'cancelled', redirectUrl: null });
    expect((await p.of(reserved))[0]).toMatchObject({ status: 'voided' });
    await p.shop.settled();
    expect(p.fake.sessions.get(w.providerRef)?.status).toBe('expired');
    expect(p.fake.intentOf(r.providerRef)).toMatchObject({ status: 'canceled', received: 0 });
    expect(p.fake.intentOf(t.providerRef).refunds).toMatchObject([{ amount: 300 }]);
    expect((await p.of(taken))[0]).toMatchObject({ status: 'captured', refundedAmount: 300 });
    expect(await p.shop.rows('select 1 from payments_payment where voiding')).toEqual([]);
  });

  it('keeps the money on request, also after a repeated release', async () => {
    const subject = newThing();
    await p.paid(subject, 300);
    await release(subject, 'shop keeps it', false);
    await release(subject);
    await p.shop.settled();
    await p.heal();
    expect((await p.of(subject))[0]).toMatchObject({ refundedAmount: 0 });
    expect(await p.refundsOf(subject)).toEqual([]);
  });

  it('expires a payment after its timeout', async () => {
    const subject = newThing();
    await p.started(subject, 100);
    await release(subject, 'payment_timeout');
    expect((await p.of(subject))[0]).toMatchObject({ status: 'expired' });
  });

  it('does nothing for another shop’s thing', async () => {
    const subject = newThing();
    await p.started(subject, 100);
    const { payments } = await import('@storeloom/commerce');
    await p.shop.b.run('payments', (ctx) => ctx.require(payments).release(subject, { refund: true, reason: 'x' }));
    expect((await p.of(subject))[0]).toMatchObject({ status: 'requires_action' });
  });
});

describe('late money', () => {
  it('for a cancelled order is refunded immediately, and the order stays cancelled (B22, B24)', async () => {
    const order = newOrder(5000);
    const { id, providerRef } = await p.started(order, 5000);
    p.fake.pay(providerRef);
    order.status = 'cancelled';
    await release(order, 'payment_timeout');
    await p.tell(providerRef);
    await p.tell(providerRef, 'charge.succeeded');
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([
      { status: 'captured', capturedAmount: 5000, refundedAmount: 5000, error: 'late_payment', givenBack: true },
    ]);
    expect(p.fake.intentOf(providerRef).refunds).toMatchObject([{ amount: 5000 }]);
    expect(callsOf(order.id).filter((call) => call.startsWith('settle'))).toEqual([]);
    expect(callsOf(order.id)).toContain('refundChanged');
    expect(order.status).toBe('cancelled');
    expect(await repairs(id)).toEqual(['late_payment_refunded']);
    const audit = await p.shop.rows<{ changes: unknown }>(
      `select changes from core_audit where entity_id = $1 and action = 'payments.payment.repair'`,
      [id],
    );
    expect(audit).toHaveLength(1);
    expect(JSON.stringify(audit)).toContain('5000');
  });

  it('is held for staff if the shop chose that', async () => {
    state.latePolicy = 'hold';
    const order = newOrder(5000);
    const { id, providerRef } = await p.started(order, 5000);
    p.fake.pay(providerRef);
    order.status = 'cancelled';
    await release(order);
    await p.tell(providerRef);
    await p.shop.settled();
    await p.heal();
    expect(await p.of(order)).toMatchObject([
      { status: 'captured', capturedAmount: 5000, refundedAmount: 0, error: 'late_payment', givenBack: false },
    ]);
    expect(await p.refundsOf(order)).toEqual([]);
    expect(await repairs(id)).toEqual(['late_payment_held']);
  });

  it('for a released subject of another plugin is refunded too', async () => {
    const subject = newThing();
    const { providerRef } = await p.started(subject, 700);
    p.fake.pay(providerRef);
    await release(subject);
    await p.shop.settled();
    expect(await p.of(subject)).toMatchObject([{ status: 'captured', refundedAmount: 700, error: 'late_payment' }]);
    expect(await p.events('payments.payment.captured')).toContainEqual(expect.objectContaining({ for: subject, late: true }));
  });

  it('is refunded for any amount if the order is cancelled', async () => {
    const order = newOrder(5000);
    const { providerRef } = await p.started(order, 5000);
    Object.assign(p.fake.pay(providerRef), { amount: 4000, received: 4000 });
    order.status = 'cancelled';
    await release(order);
    await p.tell(providerRef);
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ capturedAmount: 4000, refundedAmount: 4000 }]);
  });

  it('for a pending order pays the order: a failed attempt that succeeded later', async () => {
    const order = newOrder(5000);
    const first = await p.started(order, 5000, 'embedded');
    p.fake.decline(first.providerRef);
    await p.tell(first.providerRef, 'payment_intent.payment_failed');
    // The buyer pays with another card before the intent is voided.
    await expect.poll(async () => (await p.of(order))[0]?.status).toBe('failed');
    await p.shop.settled();
    p.fake.pay(first.providerRef);
    await p.tell(first.providerRef);
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([
      { status: 'captured', capturedAmount: 5000, refundedAmount: 0, error: null, givenBack: false },
    ]);
    expect(callsOf(order.id)).toContain('settle captured 5000');
  });
});

describe('money for an order without stock', () => {
  const paid = async (order: PaymentSubject) => {
    const entry = state.orders.get(order.id);
    if (entry) entry.goodsGone = true;
    const { providerRef } = await p.started(order, 5000);
    p.fake.pay(providerRef);
    await p.tell(providerRef);
    await p.shop.settled();
    await p.heal();
    return (await p.of(order))[0];
  };

  it('is refunded, and the order is cancelled (B22)', async () => {
    const order = newOrder(5000);
    expect(await paid(order)).toMatchObject({ capturedAmount: 5000, refundedAmount: 5000 });
    expect(order.status).toBe('cancelled');
    expect(callsOf(order.id)).toContain('cancel late_payment');
    expect(await repairs((await p.of(order))[0]?.id as string)).toEqual(['unfillable_refunded']);
  });

  it('is kept with the order on hold if the shop chose that', async () => {
    state.latePolicy = 'hold';
    const order = newOrder(5000);
    expect(await paid(order)).toMatchObject({ capturedAmount: 5000, refundedAmount: 0, error: 'late_payment' });
    expect(order.status).toBe('on_hold');
    expect(await repairs((await p.of(order))[0]?.id as string)).toEqual(['unfillable_held']);
  });
});

describe('two payments of one order', () => {
  const attempt = (order: PaymentSubject, methodCode: string, amount: number) =>
    p.inTx((service) => service.attempt({ orderId: order.id, methodCode, amount: ron(amount), returnUrl: null }));

  it('are never both kept: the later one is refunded (B6, B8)', async () => {
    const order = newOrder(5000);
    const first = await p.started(order, 5000);
    // The buyer has paid on the first page and starts again with another method before the notification arrives: the first page
    // can't be voided yet.
    p.fake.pay(first.providerRef);
    p.fake.fault({ path: `/v1/checkout/sessions/${first.providerRef}`, status: 503 });
    const { id } = await attempt(order, 'embedded', 5000);
    const second = await p.pay((service) => service.startProvider(id));
    p.fake.pay(second.providerRef as string);
    await p.pay((service) => service.sync(id));
    await p.tell(first.providerRef);
    await p.shop.settled();
    const [a, b] = await p.of(order);
    expect(b).toMatchObject({ id, status: 'captured', refundedAmount: 0, givenBack: false });
    expect(a).toMatchObject({
      id: first.id,
      status: 'captured',
      refundedAmount: 5000,
      givenBack: true,
      error: 'duplicate_payment',
    });
    expect(callsOf(order.id).filter((call) => call.startsWith('settle'))).toEqual(['settle captured 5000']);
    expect(await repairs(first.id)).toEqual(['duplicate_payment_refunded']);
  });

  it('reported in reverse order have the same result: one is kept', async () => {
    const order = newOrder(5000);
    const first = await p.started(order, 5000);
    p.fake.pay(first.providerRef);
    p.fake.fault({ path: `/v1/checkout/sessions/${first.providerRef}`, status: 503 });
    const { id } = await attempt(order, 'embedded', 5000);
    const second = await p.pay((service) => service.startProvider(id));
    p.fake.pay(second.providerRef as string);
    await p.tell(first.providerRef);
    await p.shop.settled();
    await p.tell(second.providerRef as string);
    await p.shop.settled();
    const [a, b] = await p.of(order);
    expect(a).toMatchObject({ status: 'captured', refundedAmount: 0 });
    expect(b).toMatchObject({ status: 'captured', refundedAmount: 5000, error: 'duplicate_payment' });
    expect(callsOf(order.id).filter((call) => call.startsWith('settle'))).toEqual(['settle captured 5000']);
  });

  it('of which the second is only authorised: the authorisation is voided', async () => {
    const order = newOrder(5000);
    await p.paid(order, 5000);
    const second = await p.started(order, 5000, 'card-later');
    p.fake.pay(second.providerRef);
    await p.tell(second.providerRef, 'payment_intent.amount_capturable_updated');
    await p.shop.settled();
    expect((await p.of(order))[1]).toMatchObject({ status: 'voided', capturedAmount: 0, error: 'duplicate_payment' });
    expect(p.fake.intentOf(second.providerRef)).toMatchObject({ status: 'canceled', received: 0 });
    expect(callsOf(order.id).filter((call) => call.startsWith('settle'))).toEqual(['settle captured 5000']);
  });

  it('that is paid already: an attempt returns the payment that paid it', async () => {
    const order = newOrder(5000);
    const paid = await p.paid(order, 5000);
    expect(await attempt(order, 'card', 5000)).toMatchObject({ id: paid.id, status: 'captured' });
    expect(await p.of(order)).toHaveLength(1);
  });

  it('are both kept after a price increase of the order', async () => {
    const order = newOrder(5000);
    await p.paid(order, 5000);
    order.total = 8000;
    const { id } = await attempt(order, 'card', 3000);
    const second = await p.pay((service) => service.startProvider(id));
    p.fake.pay(second.providerRef as string);
    await p.pay((service) => service.sync(id));
    await p.heal();
    expect((await p.of(order)).map((view) => [view.status, view.refundedAmount])).toEqual([
      ['captured', 0],
      ['captured', 0],
    ]);
  });

  it('are never started for a cancelled order', async () => {
    const order = newOrder(5000, { status: 'cancelled' });
    await expect(attempt(order, 'card', 5000)).rejects.toMatchObject({ code: 'invalid_transition' });
  });
});
