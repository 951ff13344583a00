import { orderMembers, type PaymentView, payments as paymentsService, type RefundView } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { allowedFor } from '../flows/order-machine.ts';
import { invoiceSummaries } from '../invoice/view.ts';
import { type FulfillmentData, loadFulfillments, loadOrder, type OrderData } from '../load.ts';
import { history, internalNote, refund } from '../tables.ts';
import type { RefundRow } from './figures.ts';
import { paymentRefundsOf, paymentsOf } from './order-payments.ts';
import type { AdminOrder } from './shapes.ts';
import { wireLine, wireSheet } from './wire.ts';

export function wireFulfillment({ row, lines }: FulfillmentData) {
  const { id, status, warehouseId, awbNumber, trackingNumber, carrier, packedAt, shippedAt, deliveredAt, createdAt, version } =
    row;
  return {
    id,
    status,
    warehouseId,
    lines,
    awbNumber,
    trackingNumber,
    carrier,
    packedAt,
    shippedAt,
    deliveredAt,
    createdAt,
    version,
  };
}

export function wireRefund(row: RefundRow, providerRef: string | null = null) {
  const allocations = row.allocations;
  const payments = allocations.filter((part) => part.type === 'payment');
  const { shipping } = row.preview as { shipping?: { amount: number } | null };
  const { currency } = row.amount;
  return {
    id: row.id,
    paymentId: payments.length === 1 ? (payments[0]?.paymentId ?? null) : null,
    amount: row.amount,
    tax: row.tax,
    status: row.status,
    reason: row.reason,
    method: row.method,
    lines: row.lines.map(({ lineId, quantity, restock }) => ({ lineId, quantity, restock })),
    shipping: shipping ? money(shipping.amount, currency) : null,
    payments: payments.map(({ paymentId, amount }) => ({ paymentId, amount: money(amount, currency) })),
    providerRef,
    by: row.by,
    createdAt: row.createdAt,
  };
}
function wirePayment(payment: PaymentView, currency: string) {
  const { id, methodCode, provider, providerRef, status, amount, expiresAt, error, createdAt } = payment;
  return {
    id,
    methodCode,
    provider,
    providerRef,
    status,
    amount,
    authorizedAmount: money(payment.authorizedAmount, currency),
    capturedAmount: money(payment.capturedAmount, currency),
    refundedAmount: money(payment.refundedAmount, currency),
    expiresAt,
    error,
    createdAt,
  };
}

/** An automatic refund of payments, without a refund of the order. */
export function wirePaymentRefund({ id, paymentId, amount, status, reason, method, providerRef, by, createdAt }: RefundView) {
  return {
    id,
    paymentId,
    amount,
    tax: null,
    status,
    reason,
    method,
    lines: [],
    shipping: null,
    payments: [{ paymentId, amount }],
    providerRef,
    by,
    createdAt,
  };
}

/** Refunds of the order, and automatic ones of payments: after an edit, a cancellation or a duplicate payment. */
async function refundsOf(ctx: Ctx, orderId: string) {
  const refunds = await ctx.rows(refund).find({ orderId }, { orderBy: ['createdAt', 'id'] });
  const paymentRefunds = await paymentRefundsOf(ctx, orderId);
  const known = new Set(refunds.map((row) => row.id));
  return [
    ...refunds.map((row) =>
      wireRefund(row, paymentRefunds.find(({ id, groupId }) => (groupId ?? id) === row.id)?.providerRef ?? null),
    ),
    ...paymentRefunds.filter(({ id, groupId }) => !known.has(groupId ?? id)).map(wirePaymentRefund),
  ].sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
}

/** The order for staff. */
export async function adminView(ctx: Ctx, data: OrderData): Promise<AdminOrder> {
  const { row, lines, sheet, pricing } = data;
  const members = await ctx.call(orderMembers, { orderId: row.id });
  const membersOf = (name: 'returns' | 'vendorSplits') =>
    members.flatMap((each) => (each.member === name ? [each.value] : []))[0] ?? null;
  const payments = ctx.use(paymentsService)
    ? (await paymentsOf(ctx, row.id)).map((each) => wirePayment(each, row.currency))
    : null;
  const notes = await ctx.rows(internalNote).find({ orderId: row.id }, { orderBy: ['createdAt', 'id'] });
  const moves = await ctx.rows(history).find({ orderId: row.id }, { orderBy: ['createdAt', 'id'] });
  const { fx, vat } = pricing.context;
  // Leaves out the buyer's token, the search text, and amounts that are in `totals`.
  const { tokenHash: _, tokenExpiresAt: __, searchText: ___, total: ____, amountDue: _____, ...columns } = row;
  return {
    ...columns,
    allowed: allowedFor(row),
    lines: lines.map((line) => wireLine(line, sheet)),
    ...wireSheet(row, sheet, pricing),
    payments,
    refunds: await refundsOf(ctx, row.id),
    fulfillments: (await loadFulfillments(ctx, row.id)).map(wireFulfillment),
    returns: membersOf('returns'),
    invoices: await invoiceSummaries(ctx, row.id),
    internalNotes: notes.map(({ id, text, by, createdAt }) => ({ id, text, by, createdAt })),
    fx: fx ? { rate: fx.rate, rateId: fx.rateId, baseCurrency: pricing.baseCurrency } : null,
    taxTreatment: pricing.treatment,
    taxReason: pricing.taxReason,
    vat: vat ? { ...vat, checkedAt: vat.checkedAt ?? null, consultationNumber: vat.consultationNumber ?? null } : null,
    vendorSplits: membersOf('vendorSplits'),
    risk: members.find((each) => each.member === 'risk')?.value ?? null,
    history: moves.map((each) => ({
      from: each.fromStatus,
      to: each.toStatus,
      at: each.createdAt,
      actor: { type: each.actorType, id: each.actorId },
      reason: each.reason,
    })),
  };
}

export async function adminViewOf(ctx: Ctx, id: string): Promise<AdminOrder> {
  return adminView(ctx, await loadOrder(ctx, id));
}
