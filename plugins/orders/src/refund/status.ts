import { orderRefundEvents, type RefundAllocation, type RefundView } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { creditRefund } from '../invoice/credit.ts';
import { addQuantities, type OrderRow, withData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { refund } from '../tables.ts';
import { type RefundRow, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { outcomeOf } from './outcome.ts';

/** The money is back: credit note where an invoice stands, and a mail. */
async function succeeded(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status: 'succeeded', settledAt: ctx.clock.now() });
  // The credit note of a cancelled order covers everything already.
  if (order.status !== 'cancelled') await creditRefund(ctx, await withData(ctx, order), done);
  await ctx.emit(orderRefundEvents.succeeded, { id: order.id, data: told(row, order) });
  return done;
}

/** The provider refused: the units may be given back again. */
async function failed(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status: 'failed', settledAt: ctx.clock.now() });
  for (const { lineId, quantity } of row.lines as { lineId: string; quantity: number }[])
    await addQuantities(ctx, lineId, { refunded: -quantity });
  await ctx.emit(orderRefundEvents.failed, { id: order.id, data: told(row, order) });
  return done;
}

const told = (row: RefundRow, order: OrderRow) => ({
  id: row.id,
  orderId: order.id,
  number: order.number,
  amount: row.amount,
  method: row.method,
});

async function settle(ctx: Ctx, row: RefundRow, order: OrderRow, theirs: readonly RefundView[]): Promise<RefundRow> {
  if (row.status !== 'pending') return row;
  const asked = (row.allocations as unknown as RefundAllocation[]).filter((part) => part.type === 'payment').length;
  const parts = theirs.filter((each) => each.groupId === row.id && each.method === row.method);
  const outcome = outcomeOf(parts, asked);
  if (outcome === 'succeeded') return succeeded(ctx, row, order);
  return outcome === 'failed' ? failed(ctx, row, order) : row;
}

/** Where no provider has to do anything, a refund has its end at once. The order must be locked. */
export async function settleRefund(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<RefundRow> {
  return settle(ctx, row, order, await paymentRefundsOf(ctx, order.id));
}

/** Payments told that a refund of the order moved on. Safe to repeat. */
export async function reconcileRefunds(ctx: Ctx, orderId: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const order = await refreshFigures(ctx, row);
  const waiting = await ctx.rows(refund).find({ orderId, status: 'pending' }, { orderBy: ['createdAt', 'id'] });
  if (waiting.length === 0) return;
  const theirs = await paymentRefundsOf(ctx, orderId);
  for (const each of waiting) await settle(ctx, each, order, theirs);
}
