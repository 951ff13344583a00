import { orders, type RefundView } from '@storeloom/commerce';
import { type Actor, type Ctx, f, invalid, type MoneyValue, problem, type TableRow, table } from '@storeloom/plugin-sdk';
import { MoneyError } from '@storeloom/plugin-sdk/money';
import { announceRefund } from '../events.ts';
import { lockPayment, type PaymentRow, payment } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';

export const refund = table('refund', {
  paymentId: f.id(),
  amount: f.money({ min: 1 }),
  status: f.oneOf(['pending', 'succeeded', 'failed', 'cancelled']),
  reason: f.text({ max: 500 }),
  method: f.oneOf(['original', 'store_credit', 'gift_card', 'manual']),
  key: f.text({ max: 200 }),
  /** The wish that this is part of, where it was spread over several payments. */
  groupId: f.id().optional(),
  providerRef: f.text({ max: 255 }).optional(),
  requestedBy: f.text({ max: 100 }).optional(),
  error: f.text({ max: 100 }).optional(),
  attempts: f.int({ min: 0 }).default(0),
});
export type RefundRow = TableRow<typeof refund>;

export function refundView(row: RefundRow): RefundView {
  const { id, paymentId, amount, status, reason, method, groupId, providerRef, createdAt } = row;
  return { id, paymentId, amount, status, reason, method, groupId, providerRef, by: row.requestedBy, createdAt };
}

function nameOf(actor: Actor): string | null {
  if (actor.type === 'staff' || actor.type === 'operator') return actor.userId;
  return actor.type === 'system' || actor.type === 'guest' ? null : actor.type;
}

const credit: RefundRow['method'][] = ['store_credit', 'gift_card'];
const money: RefundRow['method'][] = ['original', 'manual'];
const sumOf = (rows: readonly RefundRow[]): number => rows.reduce((sum, one) => sum + one.amount.amount, 0);

/** Refunds by which money leaves a payment: credit that the shop gave instead is the order's. */
export const moneyRefunds = (ctx: Ctx, ids: readonly string[]): Promise<RefundRow[]> =>
  ctx.rows(refund).find({ paymentId: ids, method: money }, { orderBy: ['id'] });

/** Taken and neither given back nor about to be. The payment's row must be locked. */
export async function refundable(ctx: Ctx, row: PaymentRow): Promise<number> {
  return row.capturedAmount - sumOf((await moneyRefunds(ctx, [row.id])).filter(isLive));
}
const isLive = ({ status }: RefundRow): boolean => status === 'pending' || status === 'succeeded';

/**
 * What may go back by itself when the order is cancelled or made cheaper: what is left of each payment, less the credit that was given
 * for it already. Newest payment first.
 */
export async function owed(ctx: Ctx, payments: readonly PaymentRow[]): Promise<Map<string, number>> {
  let given = sumOf(
    await ctx.rows(refund).find({ paymentId: payments.map(({ id }) => id), method: credit, status: 'succeeded' }),
  );
  const left = new Map<string, number>();
  for (const row of [...payments].reverse()) {
    const amount = Math.max(0, await refundable(ctx, row));
    const kept = Math.min(given, amount);
    given -= kept;
    left.set(row.id, amount - kept);
  }
  return left;
}

/** Credit that was given instead of money: no payment is touched, but the same money won't go back a second time. */
export async function noteCredit(
  ctx: Ctx,
  row: PaymentRow,
  wish: { amount: number; method: RefundRow['method']; reason: string; groupId: string },
): Promise<void> {
  await ctx.rows(refund).insert({
    paymentId: row.id,
    amount: { amount: wish.amount, currency: row.amount.currency },
    status: 'succeeded',
    reason: wish.reason.slice(0, 500),
    method: wish.method,
    key: `${wish.groupId}:credit`,
    groupId: wish.groupId,
    requestedBy: nameOf(ctx.actor),
  });
}

export interface RefundInput {
  amount: number;
  reason: string;
  /** Natural key: a wish is fulfilled once. */
  key: string;
  method?: 'original' | 'manual';
  groupId?: string;
  id?: string;
}

/**
 * Reserves the amount on the payment, whose row must be locked, and has the provider asked after the commit. Money that no provider can
 * send back (paid offline, or given as credit) is booked at once.
 * @throws Problem 409 `refund_exceeds_captured {refundable}`
 */
export async function reserveRefund(ctx: Ctx, row: PaymentRow, wish: RefundInput): Promise<RefundRow> {
  const known = await ctx.rows(refund).first({ key: wish.key });
  if (known) {
    if (known.paymentId !== row.id || known.amount.amount !== wish.amount) throw problem('idempotency_key_reused');
    return known;
  }
  const left = await refundable(ctx, row);
  if (wish.amount > left)
    throw new MoneyError('refund_exceeds_captured', 'the payment has less left to give back', { refundable: Math.max(0, left) });
  const method = wish.method ?? 'original';
  const asks = method === 'original' && isOnline(row.provider);
  const made = await ctx.rows(refund).insert({
    ...(wish.id === undefined ? {} : { id: wish.id }),
    paymentId: row.id,
    amount: { amount: wish.amount, currency: row.amount.currency },
    status: 'pending',
    reason: wish.reason.slice(0, 500),
    method,
    key: wish.key,
    groupId: wish.groupId ?? null,
    requestedBy: nameOf(ctx.actor),
  });
  await ctx.history({ entity: 'payments.refund', entityId: made.id, from: null, to: 'pending', reason: wish.reason });
  await ctx.audit({
    entity: 'payments.refund',
    entityId: made.id,
    action: 'payments.payment.refund',
    extra: { amount: made.amount, paymentId: row.id, reason: wish.reason, method },
  });
  if (!asks) return settleRefund(ctx, made, row, 'succeeded');
  await ctx.enqueue(queued.refund, { refundId: made.id }, { key: made.id });
  return made;
}

/** The end of a refund: it counts, or frees what it had reserved. Order and payment must be locked. A second word changes nothing. */
export async function settleRefund(
  ctx: Ctx,
  pending: RefundRow,
  row: PaymentRow,
  status: 'succeeded' | 'failed' | 'cancelled',
  change: { providerRef?: string; error?: string } = {},
): Promise<RefundRow> {
  if (pending.status !== 'pending') return pending;
  const settled = await ctx.rows(refund).update(pending.id, { ...change, status });
  await ctx.history({
    entity: 'payments.refund',
    entityId: settled.id,
    from: 'pending',
    to: status,
    reason: change.error ?? null,
  });
  if (status === 'succeeded') {
    const current = await ctx.rows(payment).require(row.id);
    await ctx.rows(payment).update(row.id, { refundedAmount: current.refundedAmount + settled.amount.amount });
  }
  await announceRefund(ctx, settled, row);
  return settled;
}

/** Contract `refund`: for plugins whose things aren't orders, or that refund by payment. Safe to repeat by its key. */
export async function requestRefund(
  ctx: Ctx,
  request: { paymentId: string; amount: MoneyValue; reason: string; key: string },
): Promise<RefundView> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, request.paymentId);
    if (request.amount.currency !== row.amount.currency)
      throw invalid('/amount/currency', 'currency_mismatch', `the payment was made in ${row.amount.currency}`);
    if (!Number.isSafeInteger(request.amount.amount) || request.amount.amount <= 0)
      throw invalid('/amount/amount', 'money_invalid', 'must be greater than 0');
    const { amount, reason, key } = request;
    const made = await reserveRefund(ctx, row, { amount: amount.amount, reason, key: `${row.id}:${key}` });
    if (order) await ctx.require(orders).refundChanged(order.id);
    return refundView(made);
  });
}
