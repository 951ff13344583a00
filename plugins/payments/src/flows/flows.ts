import type { refundCommit, settleCommit } from '@storeloom/commerce';
import { problem, type TapFn } from '@storeloom/plugin-sdk';
import { orderPayments } from '../payment/payment.ts';
import { noteCredit, reserveRefund } from '../refund/refund.ts';

/** settle.commit: what settles an order is a payment of it, in its currency, as it stands in the row. Everything else is a mix-up. */
export const checkSettlement: TapFn<typeof settleCommit> = async (ctx, { order, payment: told }) => {
  const payments = await orderPayments(ctx, order.id);
  // Nothing was due: gift cards or points have paid it all.
  if (payments.length === 0) return;
  const row = payments.find(({ id }) => id === told.id);
  if (!row) throw new Error(`the payment ${told.id} is none of order ${order.id}`);
  if (row.amount.currency !== order.currency)
    throw problem('currency_mismatch', { detail: `The order is in ${order.currency}, the payment in ${row.amount.currency}.` });
  if (row.capturedAmount !== told.capturedAmount || row.authorizedAmount !== told.authorizedAmount)
    throw problem('conflict', { detail: 'The payment has changed in the meantime.' });
};

/**
 * refund.commit: reserves the money on the payments that orders has chosen, and has the provider asked after the commit. What is given as
 * credit leaves the payments as they are.
 */
export const refundPayments: TapFn<typeof refundCommit> = async (ctx, input) => {
  const { order, refundId: groupId, method, reason } = input;
  const payments = await orderPayments(ctx, order.id);
  if (method === 'store_credit' || method === 'gift_card') {
    const row = payments.findLast(({ capturedAmount }) => capturedAmount > 0);
    if (row) await noteCredit(ctx, row, { amount: input.amount, method, reason, groupId });
    return;
  }
  const parts = input.allocations.filter((part) => part.type === 'payment');
  for (const { paymentId, amount } of parts) {
    const row = payments.find(({ id }) => id === paymentId);
    if (!row) throw new Error(`the payment ${paymentId} is none of order ${order.id}`);
    // One part keeps the id that orders knows.
    const id = parts.length === 1 ? { id: groupId } : {};
    await reserveRefund(ctx, row, { ...id, amount, reason, method, groupId, key: `${groupId}:${paymentId}` });
  }
};
