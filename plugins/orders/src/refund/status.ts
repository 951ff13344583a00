import { orderRefundEvents, type RefundView } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { creditRefund } from '../invoice/credit.ts';
import { addQuantities, type OrderRow, withData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order, refund } from '../tables.ts';
import { type RefundRow, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { outcomeOf } from './outcome.ts';

/** Issues the credit note of an invoiced order and publishes the event, which sends the e-mail. */
async function markSucceeded(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status: 'succeeded', settledAt: ctx.clock.now() });
  // The credit note of a cancelled order covers the whole order.
  if (order.status !== 'cancelled') await creditRefund(ctx, await withData(ctx, order), done);
  await ctx.emit(orderRefundEvents.succeeded, { id: order.id, data: refundEventData(row, order) });
  return done;
}

/** Releases the units, so that they can be refunded again. */
async function markFailed(ctx: Ctx, row: RefundRow, order: OrderRow, status: 'failed' | 'cancelled'): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status, settledAt: ctx.clock.now() });
  for (const { lineId, quantity } of row.lines as { lineId: string; quantity: number }[])
    await addQuantities(ctx, lineId, { refunded: -quantity });
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
  if (outcome === 'succeeded') return markSucceeded(ctx, row, order);
  return outcome === undefined ? row : markFailed(ctx, row, order, outcome);
}

/** Settles a refund without pending parts immediately. Returns it with the order after it. The order must be locked. */
export async function settleRefund(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<{ refund: RefundRow; order: OrderRow }> {
  const settled = await settle(ctx, row, order, await paymentRefundsOf(ctx, order.id));
  return { refund: settled, order: settled.status === row.status ? order : await refreshCurrent(ctx, order.id) };
}

/** Settles pending refunds from the state of their payment refunds. Idempotent. */
export async function reconcileRefunds(ctx: Ctx, orderId: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const current = await refreshFigures(ctx, row);
  const waiting = await ctx.rows(refund).find({ orderId, status: 'pending' }, { orderBy: ['createdAt', 'id'] });
  if (waiting.length === 0) return;
  const paymentRefunds = await paymentRefundsOf(ctx, orderId);
  for (const each of waiting) await settle(ctx, each, current, paymentRefunds);
  await refreshCurrent(ctx, orderId);
}

/** A settled refund changes the payment status, also for parts outside payments. */
async function refreshCurrent(ctx: Ctx, orderId: string): Promise<OrderRow> {
  return refreshFigures(ctx, await ctx.rows(order).require(orderId, { lock: true }));
}
