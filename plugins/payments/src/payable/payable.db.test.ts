import { type PaymentSubject, payable } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { state } from '../../test/orders-double/index.ts';
import { newOrder, newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ now: '2026-11-27T10:00:00Z' });
});
afterAll(() => p?.stop());
beforeEach(() => {
  state.payables.clear();
  state.asked.length = 0;
  state.latePolicy = 'refund';
});

const inTx = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => p.shop.a.run('payments', fn);
const giveBack = async (subject: PaymentSubject): Promise<void> => {
  await inTx((ctx) => ctx.require(payable).giveBack(subject, 'ended'));
  await p.shop.settled();
};
const refunded = async (subject: PaymentSubject): Promise<number> =>
  (await p.of(subject)).reduce((sum, one) => sum + one.refundedAmount, 0);

it('the owner decides about captured money: accepted money is kept, refused money is refunded', async () => {
  const [accepted, refused, unknown] = [newThing(), newThing(), newThing()];
  state.payables.set(accepted.id, 'accepted');
  state.payables.set(refused.id, 'refused');
  for (const subject of [accepted, refused, unknown]) await p.paid(subject, 500);
  await p.shop.settled();
  expect(new Set(state.asked)).toEqual(new Set([accepted.id, refused.id, unknown.id]));
  expect(await Promise.all([accepted, refused, unknown].map(refunded))).toEqual([0, 500, 0]);
  expect(await p.refundsOf(refused)).toMatchObject([{ reason: 'late_payment', amount: ron(500) }]);
});

it('the owner hook is never called for an order', async () => {
  const order = newOrder(500);
  await p.paid(order, 500);
  await p.shop.settled();
  expect(state.asked).toEqual([]);
});

it("giveBack cancels pending payments, and refunds money that the owner doesn't accept", async () => {
  const [open, refused, unknown, accepted] = [newThing(), newThing(), newThing(), newThing()];
  await p.started(open, 100);
  for (const subject of [refused, unknown, accepted]) await p.paid(subject, 300);
  await p.shop.settled();
  state.payables.set(refused.id, 'refused');
  state.payables.set(accepted.id, 'accepted');
  for (const subject of [open, refused, unknown, accepted]) for (let i = 0; i < 2; i++) await giveBack(subject);
  expect((await p.of(open))[0]).toMatchObject({ status: 'cancelled' });
  expect(await Promise.all([refused, unknown, accepted].map(refunded))).toEqual([300, 300, 0]);
});

it('late money is kept if the owner accepts it, regardless of the policy for orders', async () => {
  const [kept, lost] = [newThing(), newThing()];
  state.payables.set(kept.id, 'accepted');
  state.payables.set(lost.id, 'refused');
  state.latePolicy = 'hold';
  for (const subject of [kept, lost]) {
    const { providerRef } = await p.started(subject, 700);
    p.fake.pay(providerRef);
    await p.inTx((service) => service.release(subject, { refund: true, reason: 'lapsed' }));
    await p.shop.settled();
  }
  expect(await Promise.all([kept, lost].map(refunded))).toEqual([0, 700]);
});

it('giveBackPart refunds once a key, and nothing without captured money', async () => {
  const [subject, open] = [newThing(), newThing()];
  state.payables.set(subject.id, 'accepted');
  await p.paid(subject, 900);
  await p.started(open, 900);
  const part = { amount: ron(400), reason: 'item_ended', key: 'item 1' };
  for (const each of [subject, subject, open]) await inTx((ctx) => ctx.require(payable).giveBackPart(each, part));
  await p.shop.settled();
  expect([await refunded(subject), await refunded(open)]).toEqual([400, 0]);
});

it("a payment that can't start releases the hold; an online method is required", async () => {
  const outside = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => p.shop.a.run('payments', fn, { transaction: 'none' });
  const request = {
    amount: ron(800),
    email: 'buyer@example.org',
    description: 'Test',
    expiresAt: null,
    customerId: null,
    returnUrl: null,
  };
  const released: string[] = [];
  const start = (subject: PaymentSubject) =>
    outside((ctx) => ctx.require(payable).start({ for: subject, ...request }, async () => released.push(subject.id)));
  const [fine, broken] = [newThing(), newThing()];
  expect(await start(fine)).toMatch(/^http/);
  p.fake.fault({ path: '/', status: 400, body: { error: { code: 'invalid_request', message: 'no' } }, times: 1 });
  await expect(start(broken)).rejects.toMatchObject({ code: 'unavailable' });
  expect(released).toEqual([broken.id]);
  await inTx((ctx) => ctx.require(payable).requireOnline(ron(800)));
  // The other tenant has no payment method.
  await p.shop.b.run('payments', async (ctx) =>
    expect(ctx.require(payable).requireOnline(ron(800))).rejects.toMatchObject({ code: 'provider_not_configured' }),
  );
});
