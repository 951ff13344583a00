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
import { authorOf } from '../flows/transition.ts';
import { refreshFulfillment } from '../fulfillment/fulfillment.ts';
import { addQuantities, type OrderData, type OrderRow } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order, refund } from '../tables.ts';
import { isLive, moneyRefunds, orderPayments, type RefundRow, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { orderView } from '../view/view.ts';
import { allocateRefund, preview, type RefundablePayment, refundSelection, tendersLeft } from './plan.ts';
import { refundedBeyond, withinCost } from './refunded-beyond.ts';
import { planRestock } from './restock.ts';
import { settleRefund } from './status.ts';
import { cancelUncharged, nothingRefunded } from './uncharged.ts';

const allocationsOf = (row: RefundRow): RefundAllocation[] => row.allocations;

/** @throws 422 `method_unavailable` if the plugin of the method is off */
function checkMethod(ctx: Ctx, method: RefundInput['method']): void {
  const owner = method === 'store_credit' || method === 'gift_card' ? 'gift-cards' : 'payments';
  if (!ctx.isOn(owner)) throw domainError('/method', 'method_unavailable', `can't be used: ${owner} is off`);
}

/** Units to cancel and to restock per line. @throws 409 `quantity_exceeds_unfulfilled` if the units are in a parcel */
function planRestocks(data: OrderData, request: RefundRequest, lines: RefundPreview['lines']): RefundInput['lines'] {
  const units = lines.filter(({ quantity }) => quantity > 0);
  return units.map(({ lineId, quantity, amount, tax }) => {
    const line = data.lines.find((each) => each.id === lineId);
    const restocked = (request.lines ?? []).filter((each) => each.lineId === lineId && each.restock);
    const stocked = restocked.reduce((sum, each) => sum + each.quantity, 0);
    const plan = line && planRestock(line, { restocked: stocked, kept: quantity - stocked });
    if (!plan)
      throw problem('quantity_exceeds_unfulfilled', {
        detail: 'Some units are in a parcel or have already been restocked. Cancel the parcel first.',
        lines: [{ lineId }],
      });
    return {
      lineId,
      quantity,
      amount,
      tax,
      restock: stocked > 0,
      restockUnshipped: plan.unshipped,
      restockShipped: plan.shipped,
    };
  });
}

/**
 * Refunds an amount, or units of lines at the price paid (R13). Unshipped units of an order that is captured on shipment are cancelled out of
 * the authorisation instead. The order's row lock keeps concurrent refunds within the captured amount.
 * Payments calls the provider after the commit.
 */
export async function refundOrder(ctx: Ctx, id: string, request: RefundRequest): Promise<{ refund: RefundRow; order: OrderRow }> {
  const method = request.method ?? 'original';
  checkMethod(ctx, method);
  const before = await lockOrder(ctx, id);
  // The whole request is checked before a part of it has an effect.
  refundSelection(request, new Set(before.lines.map((line) => line.id)));
  const uncharged = await cancelUncharged(ctx, before, request);
  if (!uncharged) return refundCharged(ctx, before, method, request);
  const locked = await lockOrder(ctx, id);
  const { cancelled, rest } = uncharged;
  if (rest.amount === undefined && rest.lines === undefined && !rest.shipping)
    return { refund: nothingRefunded(ctx, locked, request, cancelled), order: locked.row };
  return refundCharged(ctx, locked, method, rest);
}

async function refundCharged(
  ctx: Ctx,
  locked: Awaited<ReturnType<typeof lockOrder>>,
  method: RefundInput['method'],
  request: RefundRequest,
): Promise<{ refund: RefundRow; order: OrderRow }> {
  const { id } = locked.row;
  const row = await refreshFigures(ctx, locked.row);
  const data = { ...locked, row };
  const { currency } = row;
  const earlier = (await ctx.rows(refund).find({ orderId: id }, { orderBy: ['createdAt', 'id'] })).filter(isLive);
  const previous = earlier.map((each) => each.preview);
  const selected = preview(
    data.sheet,
    {
      paid: row.captured.amount + row.tendered.amount,
      refunded: row.refunded.amount,
      previous: withinCost(previous, refundedBeyond(data.sheet, previous)),
    },
    refundSelection(request, new Set(data.lines.map((line) => line.id))),
  );
  const allocations = allocateRefund(
    selected.amount,
    method,
    request.paymentId ?? null,
    await refundablePayments(ctx, data),
    tendersLeft(data.sheet.totals.tenders, earlier.flatMap(allocationsOf)),
  );
  const lines = planRestocks(data, request, selected.lines);
  const money = (amount: number) => ({ amount, currency });
  const created = await ctx.rows(refund).insert({
    id: uuidv7(ctx.clock.ms()),
    orderId: id,
    status: 'pending',
    amount: money(selected.amount),
    tax: money(selected.tax),
    method,
    paymentId: request.paymentId ?? null,
    allocations: allocations.map((part) => ({ ...part })),
    preview: { ...selected },
    lines: lines.map(({ lineId, quantity, restock, restockUnshipped }) => ({ lineId, quantity, restock, restockUnshipped })),
    reason: request.reason,
    by: authorOf(ctx),
  });
  await ctx.call(refundCommit, {
    order: orderView(data),
    lines,
    shipping: selected.shipping?.amount ?? 0,
    amount: selected.amount,
    overpaid: selected.amount - selected.taxSummary.reduce((sum, { base, tax }) => sum + base + tax, 0),
    refundId: created.id,
    method,
    paymentId: request.paymentId ?? null,
    allocations,
    reason: request.reason,
  });
  const after = await refreshFigures(ctx, await ctx.rows(order).require(id, { lock: true }));
  if (after.refunded.amount !== row.refunded.amount + selected.amount)
    throw new Error(`requested a refund of ${selected.amount}, recorded ${after.refunded.amount - row.refunded.amount}`);
  await ctx.audit({
    entity: 'orders.order',
    entityId: id,
    action: 'orders.order.refund',
    extra: { amount: money(selected.amount), method, reason: request.reason, refundId: created.id },
  });
  await ctx.emit(orderRefundEvents.created, {
    id,
    data: { id: created.id, orderId: id, number: row.number, amount: money(selected.amount), method },
  });
  return settleRefund(ctx, created, after);
}

/** refund.commit, stage 70: updates refunded, cancelled and restocked quantities. */
export const refundTap: TapFn<typeof refundCommit> = async (ctx: Ctx, input: RefundInput) => {
  for (const each of input.lines)
    await addQuantities(ctx, each.lineId, {
      refunded: each.quantity,
      cancelled: each.restockUnshipped,
      restocked: each.restockShipped,
    });
  await refreshFulfillment(ctx, await ctx.rows(order).require(input.order.id, { lock: true }));
};

/** Payments, newest first, each with its pending and succeeded refunds. */
async function refundablePayments(
  ctx: Ctx,
  data: { row: OrderRow; payments: readonly PaymentView[] },
): Promise<RefundablePayment[]> {
  const payments = orderPayments(data.payments);
  const refunds = moneyRefunds(payments, await paymentRefundsOf(ctx, data.row.id));
  return payments.map((payment) => ({
    id: payment.id,
    captured: payment.capturedAmount,
    refunded: refunds.reduce((sum, each) => sum + (each.paymentId === payment.id ? each.amount.amount : 0), 0),
  }));
}
