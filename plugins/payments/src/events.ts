import { paymentEvents, paymentRefundEvents } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { type PaymentRow, subjectOf } from './payment/payment.ts';
import type { RefundRow } from './refund/refund.ts';

export const emits = [paymentEvents, paymentRefundEvents].flatMap((events) => Object.values(events));

type PaymentEvent = 'authorized' | 'captured' | 'failed' | 'repaired';

export function publishPayment(
  ctx: Ctx,
  event: PaymentEvent,
  row: PaymentRow,
  extra: Record<string, unknown> = {},
): Promise<void> {
  return ctx.emit(paymentEvents[event], {
    id: row.id,
    data: {
      id: row.id,
      for: subjectOf(row),
      methodCode: row.methodCode,
      provider: row.provider,
      status: row.status,
      amount: row.amount,
      authorizedAmount: row.authorizedAmount,
      capturedAmount: row.capturedAmount,
      late: false,
      error: row.error,
      ...extra,
    },
  });
}

/** Audits and publishes that a difference between shop and provider was reconciled. */
export async function recordRepair(ctx: Ctx, row: PaymentRow, repair: string, refund: MoneyValue | null = null): Promise<void> {
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.repair',
    extra: { repair, refund, for: subjectOf(row) },
  });
  await publishPayment(ctx, 'repaired', row, { repair, refund });
}

export function publishRefund(ctx: Ctx, refund: RefundRow, row: PaymentRow): Promise<void> {
  const data = {
    id: refund.id,
    paymentId: row.id,
    for: subjectOf(row),
    amount: refund.amount,
    method: refund.method,
    reason: refund.reason,
  };
  const failed = refund.status !== 'succeeded';
  return failed
    ? ctx.emit(paymentRefundEvents.failed, { id: refund.id, data: { ...data, error: refund.error } })
    : ctx.emit(paymentRefundEvents.succeeded, { id: refund.id, data });
}
