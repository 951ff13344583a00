import { orderRefundEvents, type RefundView, refundUndoCommit } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { completeShipping } from '../fulfillment/complete.ts';
import { refreshFulfillment } from '../fulfillment/fulfillment.ts';
import { creditRefund } from '../invoice/credit.ts';
import { addQuantities, type OrderRow, withData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order as orderTable, refund } from '../tables.ts';
import { previewOf, type RefundRow, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { orderView } from '../view/view.ts';
import { outcomeOf, reducedPreview } from './outcome.ts';
import { recordProviderRefunds } from './provider-refunds.ts';

/** Issues the credit note of an invoiced order and publishes the event, which sends the e-mail. */
async function markSucceeded(ctx: Ctx, row: RefundRow, order: OrderRow, missing: number): Promise<RefundRow> {
  const { currency } = row.amount;
  const reduced = missing === 0 ? undefined : reducedPreview(previewOf(row), row.amount.amount - missing);
  const done = await ctx.rows(refund).update(row.id, {
    status: 'succeeded',
    settledAt: ctx.clock.now(),
    ...(reduced
      ? { amount: { amount: reduced.amount, currency }, tax: { amount: reduced.tax, currency }, preview: { ...reduced } }
      : {}),
  });
  // The credit note of a cancelled order covers the whole order.
  if (order.status !== 'cancelled') await creditRefund(ctx, await withData(ctx, order), done);
  await ctx.emit(orderRefundEvents.succeeded, { id: order.id, data: refundEventData(done, order) });
  return done;
}

const hasLeft: readonly OrderRow['status'][] = ['shipped', 'delivered', 'completed', 'cancelled'];

/**
 * Releases the refunded units, so that they can be refunded again. The order, if it isn't shipped completely, has its unshipped units again.
 * Returned goods stay in stock.
 */
async function markFailed(ctx: Ctx, row: RefundRow, order: OrderRow, status: 'failed' | 'cancelled'): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status, settledAt: ctx.clock.now() });
  const lines = row.lines.map(({ lineId, quantity, restockUnshipped }) => ({
    lineId,
    refunded: quantity,
    quantity: hasLeft.includes(order.status) ? 0 : (restockUnshipped ?? 0),
  }));
  for (const { lineId, refunded, quantity } of lines)
    await addQuantities(ctx, lineId, { refunded: -refunded, cancelled: -quantity });
  const restored = lines.flatMap(({ lineId, quantity }) => (quantity > 0 ? [{ lineId, quantity }] : []));
  if (restored.length > 0) {
    const current = await refreshFulfillment(ctx, await ctx.rows(orderTable).require(order.id, { lock: true }));
    await ctx.call(refundUndoCommit, { order: orderView(await withData(ctx, current)), lines: restored, refundId: row.id });
  }
  await ctx.emit(orderRefundEvents.failed, { id: order.id, data: refundEventData(row, order) });
  return done;
}

const refundEventData = (row: RefundRow, order: OrderRow) => ({
  id: row.id,
  orderId: order.id,
  number: order.number,
  amount: row.amount,
  method: row.method,
});

async function settle(ctx: Ctx, row: RefundRow, order: OrderRow, paymentRefunds: readonly RefundView[]): Promise<RefundRow> {
  if (row.status !== 'pending') return row;
  const expected = row.allocations.filter((part) => part.type === 'payment').length;
  const parts = paymentRefunds.filter((each) => each.groupId === row.id && each.method === row.method);
  const outcome = outcomeOf(parts, expected);
  if (outcome === undefined) return row;
  const { status, missing } = outcome;
  return status === 'succeeded' ? markSucceeded(ctx, row, order, missing) : markFailed(ctx, row, order, status);
}

/** Settles a refund without pending parts immediately. Returns it with the order after it. The order must be locked. */
export async function settleRefund(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<{ refund: RefundRow; order: OrderRow }> {
  const settled = await settle(ctx, row, order, await paymentRefundsOf(ctx, order.id));
  return { refund: settled, order: settled.status === row.status ? order : await refreshCurrent(ctx, order.id) };
}

/** Settles pending refunds from the state of their payment refunds, and records those made at the provider. Idempotent. */
export async function reconcileRefunds(ctx: Ctx, orderId: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const current = await refreshFigures(ctx, row);
  const paymentRefunds = await paymentRefundsOf(ctx, orderId);
  const waiting = await ctx.rows(refund).find({ orderId, status: 'pending' }, { orderBy: ['createdAt', 'id'] });
  const atProvider = await recordProviderRefunds(ctx, current, paymentRefunds);
  for (const each of waiting) await settle(ctx, each, current, paymentRefunds);
  for (const each of atProvider) await markSucceeded(ctx, each, current, 0);
  if (waiting.length + atProvider.length > 0) await refreshCurrent(ctx, orderId);
}

/** A settled refund changes the payment status, also for parts outside payments. It may have cancelled the last units to ship. */
async function refreshCurrent(ctx: Ctx, orderId: string): Promise<OrderRow> {
  const row = await refreshFigures(ctx, await ctx.rows(orderTable).require(orderId, { lock: true }));
  return completeShipping(ctx, row, 'refunded');
}
