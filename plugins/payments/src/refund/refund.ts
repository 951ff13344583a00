import { orders, type RefundView } from '@storeloom/commerce';
import { type Actor, type Ctx, f, invalid, type MoneyValue, problem, type TableRow, table } from '@storeloom/plugin-sdk';
import { MoneyError } from '@storeloom/plugin-sdk/money';
import { publishRefund } from '../events.ts';
import { lockPayment, type PaymentRow, payment } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';

export const refund = table(
  'refund',
  {
    paymentId: f.id(),
    amount: f.money({ min: 1 }),
    status: f.oneOf(['pending', 'succeeded', 'failed', 'cancelled']),
    reason: f.text({ max: 500 }),
    method: f.oneOf(['original', 'store_credit', 'gift_card', 'manual']),
    key: f.text({ max: 200 }),
    /** The refund request that this is part of, if it was split over several payments. */
    groupId: f.id().optional(),
    providerRef: f.text({ max: 255 }).optional(),
    requestedBy: f.text({ max: 100 }).optional(),
    error: f.text({ max: 100 }).optional(),
    attempts: f.int({ min: 0 }).default(0),
  },
  {
    uniques: [{ fields: ['key'] }],
    indexes: [
      { name: 'payments_refund_payment_idx', fields: ['paymentId', 'id'] },
      { name: 'payments_refund_pending_idx', fields: ['createdAt'], where: "status = 'pending'" },
    ],
  },
);
export type RefundRow = TableRow<typeof refund>;

export function refundView(row: RefundRow): RefundView {
  const { id, paymentId, amount, status, reason, method, groupId, providerRef, createdAt } = row;
  return { id, paymentId, amount, status, reason, method, groupId, providerRef, by: row.requestedBy, createdAt };
}

function actorId(actor: Actor): string | null {
  if (actor.type === 'staff' || actor.type === 'operator') return actor.userId;
  return actor.type === 'system' || actor.type === 'guest' ? null : actor.type;
}

const creditMethods: RefundRow['method'][] = ['store_credit', 'gift_card'];
const moneyMethods: RefundRow['method'][] = ['original', 'manual'];
const sumOf = (rows: readonly RefundRow[]): number => rows.reduce((sum, one) => sum + one.amount.amount, 0);

/** Refunds in money; store credit is recorded by the order. */
export const moneyRefunds = (ctx: Ctx, ids: readonly string[]): Promise<RefundRow[]> =>
  ctx.rows(refund).find({ paymentId: ids, method: moneyMethods }, { orderBy: ['id'] });

/** The captured amount that isn't refunded or reserved for a refund. The payment's row must be locked. */
export async function refundable(ctx: Ctx, row: PaymentRow): Promise<number> {
  return row.capturedAmount - sumOf((await moneyRefunds(ctx, [row.id])).filter(isLive));
}
const isLive = ({ status }: RefundRow): boolean => status === 'pending' || status === 'succeeded';

/**
 * Amounts that may be refunded automatically after a cancellation or price reduction: the refundable amount of each payment less
 * credit already given. Newest payment first.
 */
export async function refundableByPayment(ctx: Ctx, payments: readonly PaymentRow[]): Promise<Map<string, number>> {
  let credited = sumOf(
    await ctx.rows(refund).find({ paymentId: payments.map(({ id }) => id), method: creditMethods, status: 'succeeded' }),
  );
  const left = new Map<string, number>();
  for (const row of [...payments].reverse()) {
    const amount = Math.max(0, await refundable(ctx, row));
    const kept = Math.min(credited, amount);
    credited -= kept;
    left.set(row.id, amount - kept);
  }
  return left;
}

/** Records credit given instead of money, so that the same amount isn't refunded again. No payment changes. */
export async function recordCredit(
  ctx: Ctx,
  row: PaymentRow,
  input: { amount: number; method: RefundRow['method']; reason: string; groupId: string },
): Promise<void> {
  await ctx.rows(refund).insert({
    paymentId: row.id,
    amount: { amount: input.amount, currency: row.amount.currency },
    status: 'succeeded',
    reason: input.reason.slice(0, 500),
    method: input.method,
    key: `${input.groupId}:credit`,
    groupId: input.groupId,
    requestedBy: actorId(ctx.actor),
  });
}

export interface RefundInput {
  amount: number;
  reason: string;
  /** Idempotency key. */
  key: string;
  method?: 'original' | 'manual';
  groupId?: string;
  id?: string;
}

/**
 * Reserves a refund on a locked payment. A job sends it to the provider after the commit; one of an offline payment stays pending
 * until staff confirm the transfer. A `manual` refund has been paid already, so it succeeds immediately.
 *
 * @throws 409 `refund_exceeds_captured {refundable}`
 */
export async function reserveRefund(ctx: Ctx, row: PaymentRow, input: RefundInput): Promise<RefundRow> {
  const known = await ctx.rows(refund).first({ key: input.key });
  if (known) {
    if (known.paymentId !== row.id || known.amount.amount !== input.amount) throw problem('idempotency_key_reused');
    return known;
  }
  const left = await refundable(ctx, row);
  if (input.amount > left)
    throw new MoneyError('refund_exceeds_captured', 'The refund exceeds the refundable amount of the payment', {
      refundable: Math.max(0, left),
    });
  const method = input.method ?? 'original';
  const created = await ctx.rows(refund).insert({
    ...(input.id === undefined ? {} : { id: input.id }),
    paymentId: row.id,
    amount: { amount: input.amount, currency: row.amount.currency },
    status: 'pending',
    reason: input.reason.slice(0, 500),
    method,
    key: input.key,
    groupId: input.groupId ?? null,
    requestedBy: actorId(ctx.actor),
  });
  await ctx.history({ entity: 'payments.refund', entityId: created.id, from: null, to: 'pending', reason: input.reason });
  await ctx.audit({
    entity: 'payments.refund',
    entityId: created.id,
    action: 'payments.payment.refund',
    extra: { amount: created.amount, paymentId: row.id, reason: input.reason, method },
  });
  if (method === 'manual') return settleRefund(ctx, created, row, 'succeeded');
  if (isOnline(row.provider)) await ctx.enqueue(queued.refund, { refundId: created.id }, { key: created.id });
  return created;
}

/** Completes a pending refund: counts it, or releases its reservation. Order and payment must be locked. Idempotent. */
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
  await publishRefund(ctx, settled, row);
  return settled;
}

/** Contract `refund`: for subjects other than orders, or by payment. Idempotent by its key. */
export async function requestRefund(
  ctx: Ctx,
  request: { paymentId: string; amount: MoneyValue; reason: string; key: string },
): Promise<RefundView> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, request.paymentId);
    if (request.amount.currency !== row.amount.currency)
      throw invalid('/amount/currency', 'currency_mismatch', `the payment was created in ${row.amount.currency}`);
    if (!Number.isSafeInteger(request.amount.amount) || request.amount.amount <= 0)
      throw invalid('/amount/amount', 'money_invalid', 'must be greater than 0');
    const { amount, reason, key } = request;
    const created = await reserveRefund(ctx, row, { amount: amount.amount, reason, key: `${row.id}:${key}` });
    if (order) await ctx.require(orders).refundChanged(order.id);
    return refundView(created);
  });
}
