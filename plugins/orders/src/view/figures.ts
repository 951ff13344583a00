import { type PaymentView, payments, type RefundAllocation, type RefundView } from '@storeloom/commerce';
import type { Ctx, TableRow } from '@storeloom/plugin-sdk';
import type { PricedSheet, RefundPreview } from '@storeloom/plugin-sdk/money';
import { paymentStatusOf } from '../flows/states.ts';
import { announce } from '../flows/transition.ts';
import { loadRevision, type OrderRow } from '../load.ts';
import { refundedBeyond, sumOfParts } from '../refund/refunded-beyond.ts';
import { order, refund } from '../tables.ts';
import { paymentRefundsOf, paymentsOf } from './order-payments.ts';

export type RefundRow = TableRow<typeof refund>;

/** Counts against what was captured: on its way, or done. */
export const isLive = ({ status }: { status: string }): boolean => status === 'pending' || status === 'succeeded';

/** Money that leaves a payment. Credit that was given instead is noted by payments too, and counts once: as the order's own. */
const isMoney = ({ method }: { method: string }): boolean => method === 'original' || method === 'manual';

/** The part of a refund that leaves no payment: back to a gift card, to store credit, to points. */
function besidePayments(row: Pick<RefundRow, 'method' | 'amount' | 'allocations'>): number {
  if (row.method === 'store_credit' || row.method === 'gift_card') return row.amount.amount;
  const allocations = row.allocations as unknown as RefundAllocation[];
  return allocations.reduce((sum, part) => sum + (part.type === 'tender' ? part.amount : 0), 0);
}

export interface MoneyFigures {
  captured: number;
  refunded: number;
  /** The part of `refunded` that an edit gave back. */
  givenByEdits: number;
  /** The part of it that went for what costs less by now. */
  beyond: number;
  authorized: number;
  voided: boolean;
}

/** Payments that pay the order: what came late or twice goes back by itself and is none of its money. */
export const paying = (payments: readonly PaymentView[]): PaymentView[] => payments.filter((payment) => !payment.givenBack);
/** Pending and succeeded refunds by which money left these payments. */
export function moneyBack(payments: readonly PaymentView[], refunds: readonly RefundView[]): RefundView[] {
  const ids = new Set(payments.map(({ id }) => id));
  return refunds.filter((each) => isLive(each) && isMoney(each) && ids.has(each.paymentId));
}

/** A refund that payments made because an edit had made the order cheaper; those that staff asked for are part of a group. */
const isByEdit = ({ reason, groupId }: RefundView): boolean => reason === 'order_edited' && groupId === null;
const sumOf = (refunds: readonly RefundView[]): number => refunds.reduce((sum, each) => sum + each.amount.amount, 0);

function figuresOf(
  all: readonly PaymentView[],
  paymentRefunds: readonly RefundView[],
  refunds: readonly RefundRow[],
): Omit<MoneyFigures, 'beyond'> {
  const payments = paying(all);
  const waiting = payments.filter(({ status }) => status === 'authorized' || status === 'partially_captured');
  const back = moneyBack(payments, paymentRefunds);
  const live = payments.some(({ status }) => ['created', 'requires_action', 'authorized', 'partially_captured'].includes(status));
  return {
    captured: payments.reduce((sum, payment) => sum + payment.capturedAmount, 0),
    refunded: sumOf(back) + refunds.filter(isLive).reduce((sum, each) => sum + besidePayments(each), 0),
    givenByEdits: sumOf(back.filter(isByEdit)),
    // Of a reservation that an edit cut, no more than the rest will be taken.
    authorized: waiting.reduce(
      (sum, { authorizedAmount, amount, capturedAmount }) =>
        sum + Math.max(0, Math.min(authorizedAmount, amount.amount) - capturedAmount),
      0,
    ),
    voided: !live && payments.some(({ status }) => status === 'voided'),
  };
}

const previewOf = ({ preview }: RefundRow): RefundPreview => preview as unknown as RefundPreview;

/** What refunds gave back beyond what its parts cost by this sheet. */
export async function beyondBy(ctx: Ctx, row: OrderRow, sheet: PricedSheet): Promise<Map<string, number>> {
  if (row.refunded.amount === 0) return new Map();
  const refunds = await ctx.rows(refund).find({ orderId: row.id });
  return refundedBeyond(sheet, refunds.filter(isLive).map(previewOf));
}

/** `priced`: by another sheet than the one in force. */
export async function moneyFigures(ctx: Ctx, row: OrderRow, priced?: PricedSheet): Promise<MoneyFigures> {
  const refunds = await ctx.rows(refund).find({ orderId: row.id });
  const live = refunds.filter(isLive);
  const sheet = priced ?? (live.length === 0 ? undefined : (await loadRevision(ctx, row.id, row.revision)).sheet);
  const beyond = sheet ? sumOfParts(refundedBeyond(sheet, live.map(previewOf))) : 0;
  // Payments were switched off: what they told last stands.
  if (!ctx.use(payments)) {
    const own = live.reduce((sum, each) => sum + each.amount.amount, 0);
    const refunded = Math.max(row.refunded.amount, own);
    return { captured: row.captured.amount, refunded, givenByEdits: 0, beyond, authorized: 0, voided: false };
  }
  return { ...figuresOf(await paymentsOf(ctx, row.id), await paymentRefundsOf(ctx, row.id), refunds), beyond };
}

/** What is still to be paid. A refund doesn't raise it, but what an edit gave back is due again when the next one makes the order dearer. */
export function dueOf(
  total: number,
  cashRounding: number,
  tendered: number,
  { captured, givenByEdits, beyond }: Pick<MoneyFigures, 'captured' | 'givenByEdits' | 'beyond'>,
): number {
  return Math.max(0, total + cashRounding - tendered - captured + givenByEdits + beyond);
}

/**
 * Captured, refunded, due and paymentStatus from what payments and refunds say now. The first time it is paid in full, `paid` is
 * announced. The row must be locked; gives the row after it.
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
  const paid = row.paidAt === null && row.status !== 'cancelled' && (paymentStatus === 'paid' || paymentStatus === 'overpaid');
  const same =
    figures.captured === row.captured.amount &&
    figures.refunded === row.refunded.amount &&
    amountDue === row.amountDue.amount &&
    paymentStatus === row.paymentStatus;
  if (same && !paid) return row;
  const changed = await ctx.rows(order).update(row.id, {
    captured: { amount: figures.captured, currency },
    refunded: { amount: figures.refunded, currency },
    amountDue: { amount: amountDue, currency },
    paymentStatus,
    ...(paid ? { paidAt: ctx.clock.now() } : {}),
  });
  if (paid) await announce(ctx, changed, 'paid');
  return changed;
}
