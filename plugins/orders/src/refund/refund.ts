import {
  orderRefundEvents,
  type PaymentView,
  type RefundAllocation,
  type RefundInput,
  type RefundRequest,
  refundCommit,
} from '@storeloom/commerce';
import { type Ctx, domainError, problem, type TapFn, uuidv7 } from '@storeloom/plugin-sdk';
import type { RefundPreview } from '@storeloom/plugin-sdk/money';
import { byOf } from '../flows/transition.ts';
import { refreshFulfillment } from '../fulfillment/fulfillment.ts';
import { addQuantities, type OrderData, type OrderRow } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order, refund } from '../tables.ts';
import { isLive, moneyBack, paying, type RefundRow, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { orderView } from '../view/view.ts';
import { allocateRefund, type PaidBy, preview, refundSelection, tendersLeft } from './plan.ts';
import { refundedBeyond, withinCost } from './refunded-beyond.ts';
import { planRestock } from './restock.ts';
import { settleRefund } from './status.ts';

const allocationsOf = (row: RefundRow): RefundAllocation[] => row.allocations as unknown as RefundAllocation[];

/** 422 `method_unavailable` when the plugin that would give the money back is off. */
function checkMethod(ctx: Ctx, method: RefundInput['method']): void {
  const owner = method === 'store_credit' || method === 'gift_card' ? 'gift-cards' : 'payments';
  if (!ctx.isOn(owner)) throw domainError('/method', 'method_unavailable', `can't be used: ${owner} is off`);
}

/** Per line what goes to the shelf; 409 when the units asked for wait in a parcel. */
function restockOf(data: OrderData, request: RefundRequest, lines: RefundPreview['lines']): RefundInput['lines'] {
  return lines.map(({ lineId, quantity, amount, tax }) => {
    const line = data.lines.find((each) => each.id === lineId);
    const wanted = (request.lines ?? []).filter((each) => each.lineId === lineId && each.restock);
    const units = wanted.reduce((sum, each) => sum + each.quantity, 0);
    const plan = line && planRestock(line, units);
    if (!plan)
      throw problem('quantity_exceeds_unfulfilled', {
        detail: 'Some units are in a parcel or have already been restocked. Cancel the parcel first.',
        lines: [{ lineId }],
      });
    return { lineId, quantity, amount, tax, restock: units > 0, restockUnshipped: plan.unshipped, restockShipped: plan.shipped };
  });
}

/**
 * Gives money back: an amount, or units of lines at what they were paid (R13). Under the order's row lock, so that refunds at once never
 * give back more than came in. The provider is called after the commit, by payments.
 */
export async function refundOrder(ctx: Ctx, id: string, request: RefundRequest): Promise<{ refund: RefundRow; order: OrderRow }> {
  const locked = await lockOrder(ctx, id);
  const method = request.method ?? 'original';
  checkMethod(ctx, method);
  const row = await refreshFigures(ctx, locked.row);
  const data = { ...locked, row };
  const { currency } = row;
  const earlier = (await ctx.rows(refund).find({ orderId: id }, { orderBy: ['createdAt', 'id'] })).filter(isLive);
  const previous = earlier.map((each) => each.preview as unknown as RefundPreview);
  const given = preview(
    data.sheet,
    {
      paid: row.captured.amount + row.tendered.amount,
      refunded: row.refunded.amount,
      previous: withinCost(previous, refundedBeyond(data.sheet, previous)),
    },
    refundSelection(request, new Set(data.lines.map((line) => line.id))),
  );
  const allocations = allocateRefund(
    given.amount,
    method,
    request.paymentId ?? null,
    await paidBy(ctx, data),
    tendersLeft(data.sheet.totals.tenders, earlier.flatMap(allocationsOf)),
  );
  const lines = restockOf(data, request, given.lines);
  const money = (amount: number) => ({ amount, currency });
  const made = await ctx.rows(refund).insert({
    id: uuidv7(ctx.clock.ms()),
    orderId: id,
    status: 'pending',
    amount: money(given.amount),
    tax: money(given.tax),
    method,
    paymentId: request.paymentId ?? null,
    allocations: allocations.map((part) => ({ ...part })),
    preview: { ...given },
    lines: lines.map(({ lineId, quantity, restock }) => ({ lineId, quantity, restock })),
    reason: request.reason,
    by: byOf(ctx),
  });
  await ctx.call(refundCommit, {
    order: orderView(data),
    lines,
    shipping: given.shipping?.amount ?? 0,
    amount: given.amount,
    refundId: made.id,
    method,
    paymentId: request.paymentId ?? null,
    allocations,
    reason: request.reason,
  });
  const after = await refreshFigures(ctx, await ctx.rows(order).require(id, { lock: true }));
  if (after.refunded.amount !== row.refunded.amount + given.amount)
    throw new Error(`a refund of ${given.amount} was asked for, ${after.refunded.amount - row.refunded.amount} was taken`);
  await ctx.audit({
    entity: 'orders.order',
    entityId: id,
    action: 'orders.order.refund',
    extra: { amount: money(given.amount), method, reason: request.reason, refundId: made.id },
  });
  await ctx.emit(orderRefundEvents.created, {
    id,
    data: { id: made.id, orderId: id, number: row.number, amount: money(given.amount), method },
  });
  return { refund: await settleRefund(ctx, made, after), order: after };
}

/** refund.commit, stage 70: what was given back, and what needn't be sent any more. */
export const refundTap: TapFn<typeof refundCommit> = async (ctx: Ctx, input: RefundInput) => {
  for (const each of input.lines)
    await addQuantities(ctx, each.lineId, {
      refunded: each.quantity,
      cancelled: each.restockUnshipped,
      restocked: each.restockShipped,
    });
  await refreshFulfillment(ctx, await ctx.rows(order).require(input.order.id, { lock: true }));
};

/** Payments newest first, each with what is on its way back or went back. */
async function paidBy(ctx: Ctx, data: { row: OrderRow; payments: readonly PaymentView[] }): Promise<PaidBy[]> {
  const payments = paying(data.payments);
  const refunds = moneyBack(payments, await paymentRefundsOf(ctx, data.row.id));
  return payments.map((payment) => ({
    id: payment.id,
    captured: payment.capturedAmount,
    refunded: refunds.reduce((sum, each) => sum + (each.paymentId === payment.id ? each.amount.amount : 0), 0),
  }));
}
