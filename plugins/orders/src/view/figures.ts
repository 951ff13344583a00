import { type PaymentView, payments, type RefundView } from '@storeloom/commerce';
import type { Ctx, TableRow } from '@storeloom/plugin-sdk';
import type { PricedSheet, RefundPreview } from '@storeloom/plugin-sdk/money';
import { paymentStatusOf } from '../flows/states.ts';
import { emitOrderEvent } from '../flows/transition.ts';
import { loadRevision, type OrderRow } from '../load.ts';
import { refundedBeyond, sumOfParts } from '../refund/refunded-beyond.ts';
import { order, refund } from '../tables.ts';
import { paymentRefundsOf, paymentsOf } from './order-payments.ts';

export type RefundRow = TableRow<typeof refund>;

/** Whether a refund counts against the captured amount: pending or succeeded. */
export const isLive = ({ status }: { status: string }): boolean => status === 'pending' || status === 'succeeded';

const isPending = ({ status }: { status: string }): boolean => status === 'pending';

/** Whether money leaves a payment. Payments records credit too, which counts once, as a refund of the order. */
const isMoney = ({ method }: { method: string }): boolean => method === 'original' || method === 'manual';

/** The part of a refund outside payments: to a gift card, store credit or points. */
function creditAmount(row: Pick<RefundRow, 'method' | 'amount' | 'allocations'>): number {
  if (row.method === 'store_credit' || row.method === 'gift_card') return row.amount.amount;
  const allocations = row.allocations;
  return allocations.reduce((sum, part) => sum + (part.type === 'tender' ? part.amount : 0), 0);
}

export interface MoneyFigures {
  captured: number;
  /** Pending and succeeded refunds. */
  refunded: number;
  /** The pending part of `refunded`, without refunds by edits. */
  pendingRefunds: number;
  /** The part of `refunded` that edits refunded. */
  refundedByEdits: number;
  /** The part of it that exceeds the present price of the refunded units. */
  beyond: number;
  authorized: number;
  voided: boolean;
}

/** Payments of the order, without late and duplicate ones, which are refunded automatically. */
export const orderPayments = (payments: readonly PaymentView[]): PaymentView[] =>
  payments.filter((payment) => !payment.givenBack);
/** Pending and succeeded money refunds of these payments. */
export function moneyRefunds(payments: readonly PaymentView[], refunds: readonly RefundView[]): RefundView[] {
  const ids = new Set(payments.map(({ id }) => id));
  return refunds.filter((each) => isLive(each) && isMoney(each) && ids.has(each.paymentId));
}

/** Whether payments refunded the price reduction of an edit; refunds by staff have a group. */
const isByEdit = ({ reason, groupId }: RefundView): boolean => reason === 'order_edited' && groupId === null;
const creditOf = (refunds: readonly RefundRow[]): number => refunds.reduce((sum, each) => sum + creditAmount(each), 0);
const sumOf = (refunds: readonly RefundView[]): number => refunds.reduce((sum, each) => sum + each.amount.amount, 0);

function figuresOf(
  all: readonly PaymentView[],
  paymentRefunds: readonly RefundView[],
  refunds: readonly RefundRow[],
): Omit<MoneyFigures, 'beyond'> {
  const payments = orderPayments(all);
  const waiting = payments.filter(({ status }) => status === 'authorized' || status === 'partially_captured');
  const back = moneyRefunds(payments, paymentRefunds);
  const live = payments.some(({ status }) => ['created', 'requires_action', 'authorized', 'partially_captured'].includes(status));
  return {
    captured: payments.reduce((sum, payment) => sum + payment.capturedAmount, 0),
    refunded: sumOf(back) + creditOf(refunds.filter(isLive)),
    pendingRefunds: sumOf(back.filter((each) => isPending(each) && !isByEdit(each))) + creditOf(refunds.filter(isPending)),
    refundedByEdits: sumOf(back.filter(isByEdit)),
    // An edit may have reduced the amount to capture below the authorised amount.
    authorized: waiting.reduce(
      (sum, { authorizedAmount, amount, capturedAmount }) =>
        sum + Math.max(0, Math.min(authorizedAmount, amount.amount) - capturedAmount),
      0,
    ),
    voided: !live && payments.some(({ status }) => status === 'voided'),
  };
}

export const previewOf = ({ preview }: RefundRow): RefundPreview => preview;

/** Refunded amounts beyond the prices of the sheet, by part of the order. */
export async function beyondBy(ctx: Ctx, row: OrderRow, sheet: PricedSheet): Promise<Map<string, number>> {
  if (row.refunded.amount === 0) return new Map();
  const refunds = await ctx.rows(refund).find({ orderId: row.id });
  return refundedBeyond(sheet, refunds.filter(isLive).map(previewOf));
}

/** Money figures of an order. `priced`: a sheet other than the current one. */
export async function moneyFigures(ctx: Ctx, row: OrderRow, priced?: PricedSheet): Promise<MoneyFigures> {
  const refunds = await ctx.rows(refund).find({ orderId: row.id });
  const live = refunds.filter(isLive);
  const sheet = priced ?? (live.length === 0 ? undefined : (await loadRevision(ctx, row.id, row.revision)).sheet);
  const beyond = sheet ? sumOfParts(refundedBeyond(sheet, live.map(previewOf))) : 0;
  // Payments is off: the last known amounts apply.
  if (!ctx.use(payments)) {
    const orderRefunds = live.reduce((sum, each) => sum + each.amount.amount, 0);
    const refunded = Math.max(row.refunded.amount, orderRefunds);
    const pendingRefunds = live.filter(isPending).reduce((sum, each) => sum + each.amount.amount, 0);
    return { captured: row.captured.amount, refunded, pendingRefunds, refundedByEdits: 0, beyond, authorized: 0, voided: false };
  }
  return { ...figuresOf(await paymentsOf(ctx, row.id), await paymentRefundsOf(ctx, row.id), refunds), beyond };
}

/** The amount due. Refunds don't raise it, except those of an earlier edit, which are due again after a price increase. */
export function dueOf(
  total: number,
  cashRounding: number,
  tendered: number,
  { captured, refundedByEdits, beyond }: Pick<MoneyFigures, 'captured' | 'refundedByEdits' | 'beyond'>,
): number {
  return Math.max(0, total + cashRounding - tendered - captured + refundedByEdits + beyond);
}

/**
 * Updates captured, refunded, amount due and payment status. Publishes `paid` when the order is fully paid for the first time. The row must
 * be locked.
 */
export async function refreshFigures(ctx: Ctx, row: OrderRow): Promise<OrderRow> {
  const { sheet } = await loadRevision(ctx, row.id, row.revision);
  const figures = await moneyFigures(ctx, row, sheet);
  const { currency } = row;
  const { cashRounding } = sheet.totals;
  const tendered = row.tendered.amount;
  const total = row.total.amount;
  const paymentStatus = paymentStatusOf({ total: total + cashRounding, tendered, ...figures });
  const amountDue = dueOf(total, cashRounding, tendered, figures);
  // A refund before the rest was paid hides it from the payment status.
  const isCovered =
    paymentStatus === 'paid' || paymentStatus === 'overpaid' || (paymentStatus === 'partially_refunded' && amountDue === 0);
  const paid = row.paidAt === null && row.status !== 'cancelled' && isCovered;
  const isUnchanged =
    figures.captured === row.captured.amount &&
    figures.refunded === row.refunded.amount &&
    amountDue === row.amountDue.amount &&
    paymentStatus === row.paymentStatus;
  if (isUnchanged && !paid) return row;
  const changed = await ctx.rows(order).update(row.id, {
    captured: { amount: figures.captured, currency },
    refunded: { amount: figures.refunded, currency },
    amountDue: { amount: amountDue, currency },
    paymentStatus,
    ...(paid ? { paidAt: ctx.clock.now() } : {}),
  });
  if (paid) await emitOrderEvent(ctx, changed, 'paid');
  return changed;
}
