import type { refundCommit, settleCommit } from '@storeloom/commerce';
import { problem, type TapFn } from '@storeloom/plugin-sdk';
import { orderPayments } from '../payment/payment.ts';
import { recordCredit, reserveRefund } from '../refund/refund.ts';

/** settle.commit: verifies that the settling payment belongs to the order, has its currency and matches the stored amounts. */
export const verifySettlement: TapFn<typeof settleCommit> = async (ctx, { order, payment: settling }) => {
  const payments = await orderPayments(ctx, order.id);
  // Gift cards or points have paid the whole order.
  if (payments.length === 0) return;
  const row = payments.find(({ id }) => id === settling.id);
  if (!row) throw new Error(`Payment ${settling.id} doesn't belong to order ${order.id}`);
  if (row.amount.currency !== order.currency)
    throw problem('currency_mismatch', { detail: `The order is in ${order.currency}, the payment in ${row.amount.currency}.` });
  if (row.capturedAmount !== settling.capturedAmount || row.authorizedAmount !== settling.authorizedAmount)
    throw problem('conflict', { detail: 'The payment changed during the request. Try again.' });
};

/**
 * refund.commit: reserves the refund on the payments that orders has chosen; a job sends it to the provider after the commit. Store
 * credit changes no payment.
 */
export const refundPayments: TapFn<typeof refundCommit> = async (ctx, input) => {
  const { order, refundId: groupId, method, reason } = input;
  const payments = await orderPayments(ctx, order.id);
  if (method === 'store_credit' || method === 'gift_card') {
    const row = payments.findLast(({ capturedAmount }) => capturedAmount > 0);
    if (row) await recordCredit(ctx, row, { amount: input.amount, method, reason, groupId });
    return;
  }
  const parts = input.allocations.filter((part) => part.type === 'payment');
  for (const { paymentId, amount } of parts) {
    const row = payments.find(({ id }) => id === paymentId);
    if (!row) throw new Error(`Payment ${paymentId} doesn't belong to order ${order.id}`);
    // A refund of one part keeps the id of the order's refund.
    const id = parts.length === 1 ? { id: groupId } : {};
    await reserveRefund(ctx, row, { ...id, amount, reason, method, groupId, key: `${groupId}:${paymentId}` });
  }
};
