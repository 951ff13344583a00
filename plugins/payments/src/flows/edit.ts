import { type EditInput, type editCommit, type OrderView, orders, paymentMethodReason } from '@storeloom/commerce';
import type { Ctx, TapFn } from '@storeloom/plugin-sdk';
import { paymentMethod } from '../method/method.ts';
import { cancelPending } from '../payment/attempt.ts';
import { captureRest } from '../payment/capture.ts';
import { createPayment, earlierReturnUrl } from '../payment/create.ts';
import {
  isPending,
  orderPayments,
  orderType,
  type PaymentRow,
  payment,
  paymentDescription,
  transition,
  uncapturedAmount,
} from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { refundableByPayment, reserveRefund } from '../refund/refund.ts';
import { amountDue, coveredAmount, editReason } from './misplaced.ts';

/**
 * Changes the amount of a pending payment: an offline one is updated, an online one is replaced, because a provider's intent is
 * immutable.
 */
async function repricePending(ctx: Ctx, pending: PaymentRow, amount: number): Promise<void> {
  const money = { amount, currency: pending.amount.currency };
  if (amount > 0 && !isOnline(pending.provider)) {
    await ctx.rows(payment).update(pending.id, { amount: money, intentAmount: amount });
    return;
  }
  await cancelPending(ctx, pending, 'order_edited');
  if (amount === 0) return;
  const method = { id: pending.methodId, code: pending.methodCode, provider: pending.provider, capture: pending.capture };
  const { email, description, locale, returnUrl, expiresAt, customerId, saveInstrument } = pending;
  const subject = { type: pending.forType, id: pending.forId };
  await createPayment(ctx, method, {
    subject,
    amount: money,
    email,
    description,
    locale,
    returnUrl: earlierReturnUrl(ctx, returnUrl),
    expiresAt,
    customerId,
    saveInstrument,
    instrumentId: null,
  });
}

/** Requests the amount due by the method of the order. Without that method no payment is created, but the amount remains due. */
async function requestMore(ctx: Ctx, order: OrderView, payments: readonly PaymentRow[], due: number): Promise<void> {
  const pending = payments.find(isPending);
  if (pending) return repricePending(ctx, pending, due);
  const code = order.paymentMethod ?? payments.at(-1)?.methodCode;
  const method = code === undefined ? undefined : await ctx.rows(paymentMethod).first({ code, enabled: true });
  if (!method) return;
  await createPayment(ctx, method, {
    subject: { type: orderType, id: order.id },
    amount: { amount: due, currency: order.currency },
    email: order.email,
    description: paymentDescription(ctx, order.number),
    locale: order.locale,
    returnUrl: earlierReturnUrl(ctx, payments.at(-1)?.returnUrl),
    expiresAt: null,
    customerId: order.customerId,
    saveInstrument: false,
    instrumentId: null,
  });
}

const newestFirst = (payments: readonly PaymentRow[]): PaymentRow[] => payments.filter((row) => !row.givenBack).reverse();

/** Reduces authorisations, newest payment first. Returns the rest of the excess, which is captured. */
async function reduceAuthorizations(ctx: Ctx, payments: readonly PaymentRow[], excess: number): Promise<number> {
  let remaining = excess;
  for (const row of newestFirst(payments)) {
    const reduction = Math.min(remaining, uncapturedAmount(row));
    if (reduction === 0) continue;
    remaining -= reduction;
    const amount = row.amount.amount - reduction;
    if (amount > 0) await ctx.rows(payment).update(row.id, { amount: { amount, currency: row.amount.currency } });
    else {
      await transition(ctx, row, 'voided', { voiding: true, givenBack: true }, 'order_edited');
      await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
    }
  }
  return remaining;
}

async function refundCaptured(ctx: Ctx, payments: readonly PaymentRow[], excess: number, key: string): Promise<void> {
  let remaining = excess;
  const refundableAmounts = await refundableByPayment(ctx, payments);
  for (const row of newestFirst(payments)) {
    const amount = Math.min(remaining, refundableAmounts.get(row.id) ?? 0);
    if (amount === 0) continue;
    await reserveRefund(ctx, row, { amount, reason: editReason, key: `${row.id}:${key}` });
    remaining -= amount;
  }
}

/** edit.commit: requests or refunds the difference to the new total, and captures the rest if the edit leaves nothing to ship. */
export const editPayment: TapFn<typeof editCommit> = async (ctx, input) => {
  if (input.reason === paymentMethodReason) return;
  // orders has written the new totals at stage 70.
  const order = await ctx.require(orders).get(input.order.id);
  if (!order) throw new Error(`Order ${input.order.id} doesn't exist`);
  if (input.difference !== 0 || order.refundedBeyond !== undefined) await payDifference(ctx, order, input);
  await captureRest(ctx, order);
};

async function payDifference(ctx: Ctx, order: OrderView, input: EditInput): Promise<void> {
  const payments = await orderPayments(ctx, order.id);
  const due = amountDue(order, await coveredAmount(ctx, payments));
  if (due > 0) return requestMore(ctx, order, payments, due);
  const pending = payments.find(isPending);
  if (pending) await cancelPending(ctx, pending, 'order_edited');
  // At most the price reduction of this edit: an earlier excess is for staff to resolve.
  const excess = Math.min(-due, Math.max(0, -input.difference));
  if (excess <= 0) return;
  const captured = await reduceAuthorizations(ctx, payments, excess);
  if (input.refund && captured > 0) await refundCaptured(ctx, payments, captured, `edit:${ctx.requestId}:${order.total}`);
}
