import { lateMoney, type OrderView, orders, settlePayable } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { recordRepair } from '../events.ts';
import { orderType, type PaymentRow, payment, subjectOf, uncapturedAmount } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { moneyRefunds, refundable, reserveRefund } from '../refund/refund.ts';

/** Why captured money doesn't belong to its subject. */
export type MisplacedReason = 'late_payment' | 'duplicate_payment';

/** Whether the payment counts for its subject: not if its money is returned. */
const isCounted = (row: PaymentRow): boolean => !row.givenBack && row.released !== 'refund';

/** Reason of refunds after an edit that lowered the total. */
export const editReason = 'order_edited';

/**
 * The amount covered by payments: captured or authorised. Refunds by edits reduce it, so that the amount is due again after a price
 * increase; other refunds don't.
 */
export async function coveredAmount(ctx: Ctx, payments: readonly PaymentRow[]): Promise<number> {
  const counted = payments.filter(isCounted);
  const total = counted.reduce((sum, row) => sum + row.capturedAmount + uncapturedAmount(row), 0);
  const captured = counted.filter((row) => row.capturedAmount > 0).map(({ id }) => id);
  if (captured.length === 0) return total;
  const byEdits = (await moneyRefunds(ctx, captured)).filter(
    ({ reason, groupId, status }) =>
      reason === editReason && groupId === null && (status === 'pending' || status === 'succeeded'),
  );
  return byEdits.reduce((rest, { amount }) => rest - amount.amount, total);
}

/** The amount due beside `covered`; negative if too much is covered. */
export const amountDue = (order: OrderView, covered: number): number =>
  order.total + (order.refundedBeyond ?? 0) - order.tendered - covered;

/**
 * Returns why the money of `row` is misplaced, undefined if it isn't. For an order it isn't while an amount is due without it; for
 * another subject unless it was released or another payment covers the amount.
 */
export async function misplacedReason(
  ctx: Ctx,
  row: PaymentRow,
  others: readonly PaymentRow[],
  order: OrderView | undefined,
  { ended }: { ended: boolean },
): Promise<MisplacedReason | undefined> {
  if (order?.status === 'cancelled' || row.released !== null) return 'late_payment';
  const covered = await coveredAmount(ctx, others);
  if (order) return amountDue(order, covered) <= 0 ? 'duplicate_payment' : undefined;
  return ended && covered >= row.amount.amount ? 'duplicate_payment' : undefined;
}

/**
 * Refunds misplaced money immediately, or holds a late payment for staff if the shop chose `hold`. Offline payments can't be
 * refunded automatically. The caller has locked the payment. Idempotent.
 */
export async function returnMoney(
  ctx: Ctx,
  row: PaymentRow,
  reason: MisplacedReason,
  order: OrderView | undefined,
): Promise<PaymentRow> {
  const amountLeft = await refundable(ctx, row);
  if (amountLeft <= 0 || (row.givenBack && row.error === reason)) return row;
  const policy = await policyFor(ctx, row, reason);
  const marked = await ctx.rows(payment).update(row.id, { error: reason, givenBack: policy === 'refund' });
  const amount = { amount: amountLeft, currency: row.amount.currency };
  if (policy === 'refund')
    await reserveRefund(ctx, marked, { amount: amountLeft, reason, key: `${row.id}:${reason}:${row.capturedAmount}` });
  await recordRepair(
    ctx,
    marked,
    policy === 'refund' ? `${reason}_refunded` : `${reason}_held`,
    policy === 'refund' ? amount : null,
  );
  if (order) await ctx.require(orders).refundChanged(order.id);
  return marked;
}

/**
 * After a settlement whose order lost its stock: cancels the order, which refunds the payment, or keeps it on hold for staff, as
 * the shop chose.
 */
export async function resolveUnfillable(ctx: Ctx, row: PaymentRow, orderId: string): Promise<void> {
  const order = await ctx.require(orders).get(orderId);
  if (order?.status !== 'on_hold' || order.holdReason !== 'late_payment') return;
  if ((await policyFor(ctx, row, 'late_payment')) === 'refund') {
    await ctx.require(orders).move(orderId, 'cancelled', { reason: 'late_payment', refund: true });
    await recordRepair(ctx, row, 'unfillable_refunded', { amount: row.capturedAmount, currency: row.amount.currency });
  } else if (row.error !== 'late_payment') {
    const marked = await ctx.rows(payment).update(row.id, { error: 'late_payment' });
    await recordRepair(ctx, marked, 'unfillable_held');
  }
}

async function policyFor(ctx: Ctx, row: PaymentRow, reason: MisplacedReason): Promise<'refund' | 'hold'> {
  if (!isOnline(row.provider)) return 'hold';
  if (reason === 'duplicate_payment') return 'refund';
  const subject = subjectOf(row);
  const decision = subject.type === orderType ? undefined : await ctx.call(settlePayable, { for: subject });
  if (decision !== undefined) return decision === 'accepted' ? 'hold' : 'refund';
  return (await ctx.call(lateMoney, { for: subject, paymentId: row.id })) ?? 'refund';
}
