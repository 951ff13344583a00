import { type OrderView, orders } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { type PaymentRow, payment } from '../payment/payment.ts';
import type { ProviderPayment } from '../provider/adapter.ts';
import { type RefundRow, refund, settleRefund } from './refund.ts';

/** Applies the provider's refunds: updates known ones and records those created at the provider. Order and payment are locked. */
export async function applyRefunds(
  ctx: Ctx,
  row: PaymentRow,
  reported: Pick<ProviderPayment, 'refunds'>,
  order: OrderView | undefined,
): Promise<PaymentRow> {
  if (reported.refunds.length === 0) return row;
  const stored = await ctx.rows(refund).find({ paymentId: row.id });
  let changed = false;
  for (const found of reported.refunds) {
    const known = stored.find((one) => one.id === found.refundId || one.providerRef === found.ref);
    const current = known ?? (await recordProviderRefund(ctx, row, found));
    changed ||= known === undefined;
    if (current.status !== 'pending' || found.status === 'pending') continue;
    await settleRefund(ctx, current, row, found.status, { providerRef: found.ref });
    changed = true;
  }
  if (!changed) return row;
  if (order) await ctx.require(orders).refundChanged(order.id);
  return ctx.rows(payment).require(row.id);
}

async function recordProviderRefund(ctx: Ctx, row: PaymentRow, found: ProviderPayment['refunds'][number]): Promise<RefundRow> {
  const created = await ctx.rows(refund).insert({
    paymentId: row.id,
    amount: { amount: found.amount, currency: row.amount.currency },
    status: 'pending',
    reason: 'made_at_provider',
    method: 'original',
    key: `provider:${row.provider}:${found.ref}`,
    providerRef: found.ref,
  });
  await ctx.history({ entity: 'payments.refund', entityId: created.id, from: null, to: 'pending', reason: 'made_at_provider' });
  await ctx.audit({
    entity: 'payments.refund',
    entityId: created.id,
    action: 'payments.payment.refund',
    extra: { amount: created.amount, paymentId: row.id, reason: 'made_at_provider' },
  });
  return created;
}
