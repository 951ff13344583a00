import { orderRefundEvents, type RefundView, refundCommit } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { loadOrder, type OrderRow } from '../load.ts';
import { refund } from '../tables.ts';
import { isLive, moneyRefunds, orderPayments, previewOf, type RefundRow } from '../view/figures.ts';
import { paymentsOf } from '../view/order-payments.ts';
import { orderView } from '../view/view.ts';
import { preview } from './plan.ts';
import { refundedBeyond, withinCost } from './refunded-beyond.ts';

const madeAtProvider = ({ groupId, reason, status }: RefundView): boolean =>
  groupId === null && reason === 'made_at_provider' && status === 'succeeded';

/**
 * Records refunds that were made in the provider's dashboard as pending refunds of the order by amount, with the ids of the payment
 * refunds, once each. The order must be locked and its figures current. A cancelled order is credited as a whole and gets none.
 */
export async function recordProviderRefunds(
  ctx: Ctx,
  order: OrderRow,
  paymentRefunds: readonly RefundView[],
): Promise<RefundRow[]> {
  if (order.status === 'cancelled' || !paymentRefunds.some(madeAtProvider)) return [];
  const data = await loadOrder(ctx, order.id);
  const known = await ctx.rows(refund).find({ orderId: order.id }, { orderBy: ['createdAt', 'id'] });
  const isKnown = new Set(known.map(({ id }) => id));
  const missing = moneyRefunds(orderPayments(await paymentsOf(ctx, order.id)), paymentRefunds).filter(
    (each) => madeAtProvider(each) && !isKnown.has(each.id),
  );
  let refunded = missing.reduce((sum, { amount }) => sum - amount.amount, order.refunded.amount);
  const previous = known.filter(isLive).map(previewOf);
  const created: RefundRow[] = [];
  for (const { id, paymentId, amount, method, reason } of missing) {
    // The provider has refunded the money: pending refunds of the order reserve nothing against it.
    const paid = Math.max(order.captured.amount + order.tendered.amount, refunded + amount.amount);
    const state = { paid, refunded, previous: withinCost(previous, refundedBeyond(data.sheet, previous)) };
    const selected = preview(data.sheet, state, { amount: amount.amount, shipping: 0 });
    const row = await ctx.rows(refund).insert({
      id,
      orderId: order.id,
      status: 'pending',
      amount,
      tax: { amount: selected.tax, currency: amount.currency },
      method,
      paymentId,
      allocations: [{ type: 'payment', paymentId, amount: amount.amount }],
      preview: { ...selected },
      lines: [],
      reason,
    });
    // No allocations: payments has the refund already.
    await ctx.call(refundCommit, {
      order: orderView(data),
      lines: [],
      shipping: 0,
      amount: amount.amount,
      overpaid: amount.amount - selected.taxSummary.reduce((sum, { base, tax }) => sum + base + tax, 0),
      refundId: id,
      method,
      paymentId,
      allocations: [],
      reason,
    });
    await ctx.emit(orderRefundEvents.created, {
      id: order.id,
      data: { id, orderId: order.id, number: order.number, amount, method },
    });
    refunded += amount.amount;
    previous.push(selected);
    created.push(row);
  }
  return created;
}
