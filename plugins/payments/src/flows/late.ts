import { lateMoney, type OrderView, orders, settlePayable } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { repaired } from '../events.ts';
import { orderType, type PaymentRow, payment, reservedAmount, thingOf } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { moneyRefunds, refundable, reserveRefund } from '../refund/refund.ts';

/** Why money isn't its thing's. */
export type Misplaced = 'late_payment' | 'duplicate_payment';

/** Payments that count for the thing: not those whose money goes back. */
const counts = (row: PaymentRow): boolean => !row.givenBack && row.released !== 'refund';

/** Reason of refunds by which an edit gives back what the order doesn't cost any more. */
export const editReason = 'order_edited';

/**
 * What payments bring: taken, or reserved. What an edit gave back covers nothing any more, so that it is due again when the next edit makes
 * the order dearer; what was given back for its own sake takes nothing away.
 */
export async function coveredBy(ctx: Ctx, payments: readonly PaymentRow[]): Promise<number> {
  const counting = payments.filter(counts);
  const brought = counting.reduce((sum, row) => sum + row.capturedAmount + reservedAmount(row), 0);
  const taken = counting.filter((row) => row.capturedAmount > 0).map(({ id }) => id);
  if (taken.length === 0) return brought;
  const byEdits = (await moneyRefunds(ctx, taken)).filter(
    ({ reason, groupId, status }) =>
      reason === editReason && groupId === null && (status === 'pending' || status === 'succeeded'),
  );
  return byEdits.reduce((left, { amount }) => left - amount.amount, brought);
}

/** What the order needs beside what covers it: less than nothing where that is too much. */
export const lackingOf = (order: OrderView, covered: number): number =>
  order.total + (order.refundedBeyond ?? 0) - order.tendered - covered;

/**
 * Whether the money of `row` has a place. Of an order that lives, as long as something is due without it; of another thing, unless it was
 * given up or another payment has brought as much already.
 */
export async function misplaced(
  ctx: Ctx,
  row: PaymentRow,
  others: readonly PaymentRow[],
  order: OrderView | undefined,
  { ended }: { ended: boolean },
): Promise<Misplaced | undefined> {
  if (order?.status === 'cancelled' || row.released !== null) return 'late_payment';
  const covered = await coveredBy(ctx, others);
  if (order) return lackingOf(order, covered) <= 0 ? 'duplicate_payment' : undefined;
  return ended && covered >= row.amount.amount ? 'duplicate_payment' : undefined;
}

/**
 * Gives back what has no place: at once, or, for a late payment where the shop chose `hold`, it stays and staff are told. Money that was
 * paid offline can't be sent back by a program. The payment's row must be locked; repeating it changes nothing.
 */
export async function giveBack(ctx: Ctx, row: PaymentRow, why: Misplaced, order: OrderView | undefined): Promise<PaymentRow> {
  const left = await refundable(ctx, row);
  if (left <= 0 || (row.givenBack && row.error === why)) return row;
  const policy = await policyFor(ctx, row, why);
  const marked = await ctx.rows(payment).update(row.id, { error: why, givenBack: policy === 'refund' });
  const amount = { amount: left, currency: row.amount.currency };
  if (policy === 'refund')
    await reserveRefund(ctx, marked, { amount: left, reason: why, key: `${row.id}:${why}:${row.capturedAmount}` });
  await repaired(ctx, marked, policy === 'refund' ? `${why}_refunded` : `${why}_held`, policy === 'refund' ? amount : null);
  if (order) await ctx.require(orders).refundChanged(order.id);
  return marked;
}

/**
 * After a settlement: the order's goods are gone, so the money has no place. By the shop's wish the order is cancelled, which gives the
 * money back, or stays on hold for staff.
 */
export async function repairUnfillable(ctx: Ctx, row: PaymentRow, orderId: string): Promise<void> {
  const order = await ctx.require(orders).get(orderId);
  if (order?.status !== 'on_hold' || order.holdReason !== 'late_payment') return;
  if ((await policyFor(ctx, row, 'late_payment')) === 'refund') {
    await ctx.require(orders).move(orderId, 'cancelled', { reason: 'late_payment', refund: true });
    await repaired(ctx, row, 'unfillable_refunded', { amount: row.capturedAmount, currency: row.amount.currency });
  } else if (row.error !== 'late_payment') {
    const marked = await ctx.rows(payment).update(row.id, { error: 'late_payment' });
    await repaired(ctx, marked, 'unfillable_held');
  }
}

async function policyFor(ctx: Ctx, row: PaymentRow, why: Misplaced): Promise<'refund' | 'hold'> {
  if (!isOnline(row.provider)) return 'hold';
  if (why === 'duplicate_payment') return 'refund';
  const subject = thingOf(row);
  const answer = subject.type === orderType ? undefined : await ctx.call(settlePayable, { for: subject });
  if (answer !== undefined) return answer === 'accepted' ? 'hold' : 'refund';
  return (await ctx.call(lateMoney, { for: subject, paymentId: row.id })) ?? 'refund';
}
