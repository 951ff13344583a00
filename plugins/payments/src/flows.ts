import type { refundCommit, settleCommit } from '@storeloom/plugin-orders/contract';
import { type Ctx, problem, type TapFn } from '@storeloom/plugin-sdk';
import { spreadRefund } from '@storeloom/plugin-sdk/money';
import { orderPayments, type PaymentRow } from './payment.ts';
import { refundable, reserveRefund } from './refund.ts';

/** settle.commit: what settles an order is a payment of it, in its currency, as it stands in the row. Everything else is a mix-up. */
export const checkSettlement: TapFn<typeof settleCommit> = async (ctx, { order, payment: told }) => {
  const payments = await orderPayments(ctx, order.id);
  // Nothing was due: gift cards or points have paid it all.
  if (payments.length === 0) return;
  const row = payments.find(({ id }) => id === told.id);
  if (!row) throw new Error(`the payment ${told.id} is none of order ${order.id}`);
  if (row.amount.currency !== order.currency)
    throw problem('currency_mismatch', { detail: `The order is in ${order.currency}, its payment in ${row.amount.currency}.` });
  if (row.capturedAmount !== told.capturedAmount || row.authorizedAmount !== told.authorizedAmount)
    throw problem('conflict', { detail: 'The payment has moved on since it was read.' });
};

/**
 * refund.commit: reserves the money on the payments it came by, newest first unless one is named, and has the provider asked after the
 * commit. Credit and refunds by hand take from the payments too, so that no money goes back twice.
 */
export const refundPayments: TapFn<typeof refundCommit> = async (ctx, input) => {
  const { order, refundId: groupId, method, reason, paymentId, allocations } = input;
  const payments = await orderPayments(ctx, order.id);
  const parts =
    method === 'original'
      ? allocations.flatMap((part) => (part.type === 'payment' ? [{ id: part.paymentId, amount: part.amount }] : []))
      : await byHand(ctx, input.amount, payments.filter((row) => paymentId === null || row.id === paymentId).reverse());
  for (const { id, amount } of parts) {
    const row = payments.find((one: PaymentRow) => one.id === id);
    if (!row) throw new Error(`the payment ${id} is none of order ${order.id}`);
    await reserveRefund(ctx, row, { amount, reason, method, groupId, key: `${groupId}:${id}` });
  }
};

/** What payments brought of the amount; the rest was paid by tenders, whose plugins give it back. */
async function byHand(ctx: Ctx, amount: number, newest: readonly PaymentRow[]): Promise<{ id: string; amount: number }[]> {
  const rooms: { id: string; captured: number; refunded: number }[] = [];
  for (const row of newest) if (!row.givenBack) rooms.push({ id: row.id, captured: await refundable(ctx, row), refunded: 0 });
  const most = rooms.reduce((sum, { captured }) => sum + Math.max(0, captured), 0);
  return most === 0 ? [] : spreadRefund(Math.min(amount, most), rooms);
}
