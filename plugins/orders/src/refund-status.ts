import type { Ctx } from '@storeloom/plugin-sdk';
import type { RefundAllocation } from './contract.ts';
import { creditRefund } from './credit.ts';
import { type RefundRow, refreshFigures } from './figures.ts';
import { addQuantities, type OrderRow, withData } from './load.ts';
import { lockOrder } from './lock.ts';
import { paymentRefundsOf } from './neighbours.ts';
import { matchRefunds, outcomeOf } from './refund-match.ts';
import { refund } from './tables.ts';

const allocationsOf = (row: RefundRow): RefundAllocation[] => row.allocations as unknown as RefundAllocation[];

/** The money is back: credit note where an invoice stands, and a mail. */
export async function refundSucceeded(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<RefundRow> {
  const done = await ctx.rows(refund).update(row.id, { status: 'succeeded', settledAt: ctx.clock.now() });
  // The credit note of a cancelled order covers everything already.
  if (order.status !== 'cancelled') await creditRefund(ctx, await withData(ctx, order), done);
  await ctx.emit('orders.refund.succeeded', {
    id: order.id,
    data: { id: row.id, orderId: order.id, number: order.number, amount: row.amount, method: row.method },
  });
  return done;
}

/** The provider refused: the units may be given back again. */
async function refundFailed(ctx: Ctx, row: RefundRow, order: OrderRow): Promise<void> {
  await ctx.rows(refund).update(row.id, { status: 'failed', settledAt: ctx.clock.now() });
  for (const { lineId, quantity } of row.lines as { lineId: string; quantity: number }[])
    await addQuantities(ctx, lineId, { refunded: -quantity });
  await ctx.emit('orders.refund.failed', {
    id: order.id,
    data: { id: row.id, orderId: order.id, number: order.number, amount: row.amount, method: row.method },
  });
}

/** Payments told that a refund of the order moved on. Safe to repeat. */
export async function reconcileRefunds(ctx: Ctx, orderId: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const order = await refreshFigures(ctx, row);
  const own = await ctx.rows(refund).find({ orderId }, { orderBy: ['createdAt', 'id'] });
  const waiting = own.filter((each) => each.status === 'pending');
  if (waiting.length === 0) return;
  const matched = matchRefunds(
    own.map((each) => ({ id: each.id, createdAt: each.createdAt, allocations: allocationsOf(each) })),
    await paymentRefundsOf(ctx, orderId),
  );
  for (const each of waiting) {
    const wanted = allocationsOf(each).filter((part) => part.type === 'payment').length;
    const outcome = outcomeOf(matched.get(each.id) ?? [], wanted);
    if (outcome === 'succeeded') await refundSucceeded(ctx, each, order);
    if (outcome === 'failed') await refundFailed(ctx, each, order);
  }
}
