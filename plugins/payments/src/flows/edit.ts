import { type editCommit, type OrderView, orders } from '@storeloom/commerce';
import type { Ctx, TapFn } from '@storeloom/plugin-sdk';
import { paymentMethod } from '../method/method.ts';
import { supersede } from '../payment/attempt.ts';
import { createPayment } from '../payment/create.ts';
import {
  describe,
  isWaiting,
  move,
  orderPayments,
  orderType,
  type PaymentRow,
  payment,
  reservedAmount,
} from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { owed, reserveRefund } from '../refund/refund.ts';
import { coveredBy, editReason, lackingOf } from './late.ts';

/** A payment that waits gets another amount: an offline one as it is, of a provider by a new payment, since intents don't change. */
async function reprice(ctx: Ctx, waiting: PaymentRow, amount: number): Promise<void> {
  const money = { amount, currency: waiting.amount.currency };
  if (amount > 0 && !isOnline(waiting.provider)) {
    await ctx.rows(payment).update(waiting.id, { amount: money, intentAmount: amount });
    return;
  }
  await supersede(ctx, waiting, 'order_edited');
  if (amount === 0) return;
  const method = { id: waiting.methodId, code: waiting.methodCode, provider: waiting.provider, capture: waiting.capture };
  const { email, description, locale, returnUrl, expiresAt, customerId, saveInstrument } = waiting;
  const thing = { type: waiting.forType, id: waiting.forId };
  await createPayment(ctx, method, {
    thing,
    amount: money,
    email,
    description,
    locale,
    returnUrl,
    expiresAt,
    customerId,
    saveInstrument,
    instrumentId: null,
  });
}

/** More is due: a payment for it waits, by the method that the order was placed with. Without that method the amount is due all the same. */
async function raise(ctx: Ctx, order: OrderView, payments: readonly PaymentRow[], due: number): Promise<void> {
  const waiting = payments.find(isWaiting);
  if (waiting) return reprice(ctx, waiting, due);
  const code = order.paymentMethod ?? payments.at(-1)?.methodCode;
  const method = code === undefined ? undefined : await ctx.rows(paymentMethod).first({ code, enabled: true });
  if (!method) return;
  await createPayment(ctx, method, {
    thing: { type: orderType, id: order.id },
    amount: { amount: due, currency: order.currency },
    email: order.email,
    description: describe(ctx, order.number),
    locale: order.locale,
    returnUrl: payments.at(-1)?.returnUrl ?? null,
    expiresAt: null,
    customerId: order.customerId,
    saveInstrument: false,
    instrumentId: null,
  });
}

/** Too much was reserved or taken: reservations are cut first, then money goes back, newest payment first. */
async function lower(ctx: Ctx, payments: readonly PaymentRow[], excess: number, key: string): Promise<void> {
  let left = excess;
  const newest = payments.filter((row) => !row.givenBack).reverse();
  for (const row of newest) {
    const cut = Math.min(left, reservedAmount(row));
    if (cut === 0) continue;
    left -= cut;
    const amount = row.amount.amount - cut;
    if (amount > 0) await ctx.rows(payment).update(row.id, { amount: { amount, currency: row.amount.currency } });
    else {
      await move(ctx, row, 'voided', { voiding: true, givenBack: true }, 'order_edited');
      await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
    }
  }
  const back = await owed(ctx, payments);
  for (const row of newest) {
    const amount = Math.min(left, back.get(row.id) ?? 0);
    if (amount === 0) continue;
    await reserveRefund(ctx, row, { amount, reason: editReason, key: `${row.id}:${key}` });
    left -= amount;
  }
}

/** edit.commit: what is due, or too much, after the new total. */
export const editPayment: TapFn<typeof editCommit> = async (ctx, input) => {
  // orders has written its new figures at stage 70.
  const order = await ctx.require(orders).get(input.order.id);
  if (!order) throw new Error(`the order ${input.order.id} that is edited is gone`);
  if (input.difference === 0 && order.refundedBeyond === undefined) return;
  const payments = await orderPayments(ctx, order.id);
  const gap = lackingOf(order, await coveredBy(ctx, payments));
  if (gap > 0) return raise(ctx, order, payments, gap);
  const waiting = payments.find(isWaiting);
  if (waiting) await supersede(ctx, waiting, 'order_edited');
  // Never more than the edit made cheaper: what was too much before it is staff's business.
  const excess = Math.min(-gap, Math.max(0, -input.difference));
  if (excess > 0) await lower(ctx, payments, excess, `edit:${ctx.requestId}:${order.total}`);
};
