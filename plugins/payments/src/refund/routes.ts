import { orders, refundMethods, refundStates } from '@storeloom/commerce';
import { type Ctx, f, list, problem, type RowOf, route, type Shape, sql } from '@storeloom/plugin-sdk';
import { lockPayment, type PaymentRow, payment, subjectOf } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { type RefundRow, refund, settleRefund } from './refund.ts';

const refundResponse = {
  id: f.id(),
  paymentId: f.id(),
  for: f.object({ type: f.text(), id: f.id() }),
  provider: f.text(),
  amount: f.money(),
  status: f.oneOf(refundStates),
  reason: f.text({ max: 500 }),
  method: f.oneOf(refundMethods),
  providerRef: f.text({ max: 255 }).optional(),
  by: f.text({ max: 100 }).optional(),
  error: f.text({ max: 100 }).optional(),
  createdAt: f.instant(),
} satisfies Shape;

const refundList = list({
  defaultSort: '-createdAt',
  filters: {
    id: { field: f.id(), column: 't.id', operators: ['eq', 'in'] },
    status: { field: f.oneOf(refundStates), column: 't.status' },
    method: { field: f.oneOf(refundMethods), column: 't.method' },
    provider: { field: f.text({ max: 60 }), column: 'p.provider', operators: ['eq', 'in'] },
    paymentId: { field: f.id(), column: 't.payment_id', operators: ['eq', 'in'] },
    forId: { field: f.id(), column: 'p.for_id', operators: ['eq', 'in'] },
    createdAt: { field: f.instant(), column: 't.created_at' },
  },
  sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' } },
});

/** With `status=pending` and offline providers: the transfers that staff have to make. */
export const listRefunds = route(
  'GET',
  '/payments/refunds',
  {
    permission: 'payments.refund.read',
    summary: 'List refunds of payments, newest first',
    additive: true,
    query: refundList,
    response: refundResponse,
    list: true,
  },
  (ctx, req) =>
    refundList.run<RowOf<typeof refundResponse>>(ctx, req.query, {
      select: sql`t.id, t.payment_id as "paymentId", jsonb_build_object('type', p.for_type, 'id', p.for_id) as "for", p.provider,
        jsonb_build_object('amount', t.amount_amount, 'currency', t.amount_currency) as amount, t.status, t.reason, t.method,
        t.provider_ref as "providerRef", t.requested_by as "by", t.error, t.created_at as "createdAt"`,
      from: sql`payments_refund t join payments_payment p on p.tenant_id = t.tenant_id and p.id = t.payment_id`,
      where: sql`t.tenant_id = ${ctx.tenant.id}`,
    }),
);

function refundResponseOf(row: RefundRow, paid: PaymentRow) {
  const { id, paymentId, amount, status, reason, method, providerRef, requestedBy: by, error, createdAt } = row;
  const { provider } = paid;
  return { id, paymentId, for: subjectOf(paid), provider, amount, status, reason, method, providerRef, by, error, createdAt };
}

/** Settles a pending refund of an offline payment under the locks of its order and payment. Idempotent. */
async function settleOffline(
  ctx: Ctx,
  refundId: string,
  status: 'succeeded' | 'cancelled',
  change: { providerRef?: string; error?: string },
) {
  const unlocked = await ctx.rows(refund).require(refundId);
  const { row: paid, order } = await lockPayment(ctx, unlocked.paymentId);
  const before = await ctx.rows(refund).require(refundId, { lock: true });
  if (before.status === status) return refundResponseOf(before, paid);
  if (isOnline(paid.provider))
    throw problem('invalid_transition', {
      detail: `The refund status comes from ${paid.provider} and can't be set manually.`,
      from: before.status,
      to: status,
      allowed: [],
    });
  if (before.status !== 'pending')
    throw problem('invalid_transition', {
      detail: `The refund is ${before.status}.`,
      from: before.status,
      to: status,
      allowed: [],
    });
  const settled = await settleRefund(ctx, before, paid, status, change);
  await ctx.audit({
    entity: 'payments.refund',
    entityId: refundId,
    action: status === 'succeeded' ? 'payments.refund.mark-paid' : 'payments.refund.cancel',
    extra: { amount: settled.amount, paymentId: paid.id, reference: change.providerRef ?? null, reason: change.error ?? null },
  });
  if (order) await ctx.require(orders).refundChanged(order.id);
  return refundResponseOf(settled, await ctx.rows(payment).require(paid.id));
}

/** Staff confirm refunds of offline payments by this route, because no provider reports them. */
export const markRefundPaid = route(
  'POST',
  '/payments/refunds/{id}/mark-paid',
  {
    permission: 'payments.refund.mark-paid',
    summary: 'Mark a refund of an offline payment as transferred',
    entity: 'payments.refund',
    additive: true,
    body: { reference: f.text({ max: 200 }).optional() },
    response: refundResponse,
    problems: ['invalid_transition'],
  },
  (ctx, req) => {
    const { reference } = req.body;
    return settleOffline(ctx, req.params.id as string, 'succeeded', reference === null ? {} : { providerRef: reference });
  },
);

export const cancelRefund = route(
  'POST',
  '/payments/refunds/{id}/cancel',
  {
    permission: 'payments.refund.cancel',
    summary: 'Cancel a pending refund of an offline payment',
    entity: 'payments.refund',
    additive: true,
    body: { reason: f.text({ max: 100 }) },
    response: refundResponse,
    problems: ['invalid_transition'],
  },
  (ctx, req) => settleOffline(ctx, req.params.id as string, 'cancelled', { error: req.body.reason }),
);
