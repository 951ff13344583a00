import { type Ctx, type EventType, f, type MoneyValue } from '@storeloom/plugin-sdk';
import { type PaymentRow, thingOf } from './payment/payment.ts';
import type { RefundRow } from './refund/refund.ts';

const thing = f.object({ type: f.text(), id: f.id() });
const paymentData = {
  id: f.id(),
  for: thing,
  methodCode: f.text(),
  provider: f.text(),
  status: f.text(),
  amount: f.money(),
  authorizedAmount: f.int(),
  capturedAmount: f.int(),
  /** The money came after its payment had ended. */
  late: f.bool(),
  error: f.text().optional(),
};
const refundData = {
  id: f.id(),
  paymentId: f.id(),
  for: thing,
  amount: f.money(),
  method: f.text(),
  reason: f.text(),
};

export const emits: Readonly<Record<string, EventType>> = {
  'payments.payment.authorized': { public: true, title: 'A payment was authorised', data: paymentData },
  'payments.payment.captured': { public: true, title: 'Money of a payment was taken', data: paymentData },
  'payments.payment.failed': { public: true, title: 'A payment failed', data: paymentData },
  'payments.payment.repaired': {
    public: true,
    title: 'A difference between shop and provider was repaired',
    data: { ...paymentData, repair: f.text(), refund: f.money().optional() },
  },
  'payments.refund.succeeded': { public: true, title: 'Money was given back', data: refundData },
  'payments.refund.failed': { public: true, title: 'A refund failed', data: { ...refundData, error: f.text().optional() } },
};

type PaymentEvent = 'authorized' | 'captured' | 'failed' | 'repaired';

export function announce(ctx: Ctx, event: PaymentEvent, row: PaymentRow, extra: Record<string, unknown> = {}): Promise<void> {
  return ctx.emit(`payments.payment.${event}`, {
    id: row.id,
    data: {
      id: row.id,
      for: thingOf(row),
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

/** A repair of the difference between what shop and provider know: provable, and told to who listens. */
export async function repaired(ctx: Ctx, row: PaymentRow, repair: string, refund: MoneyValue | null = null): Promise<void> {
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.repair',
    extra: { repair, refund, for: thingOf(row) },
  });
  await announce(ctx, 'repaired', row, { repair, refund });
}

export function announceRefund(ctx: Ctx, refund: RefundRow, row: PaymentRow): Promise<void> {
  const data = {
    id: refund.id,
    paymentId: row.id,
    for: thingOf(row),
    amount: refund.amount,
    method: refund.method,
    reason: refund.reason,
  };
  const failed = refund.status !== 'succeeded';
  return ctx.emit(`payments.refund.${failed ? 'failed' : 'succeeded'}`, {
    id: refund.id,
    data: failed ? { ...data, error: refund.error } : data,
  });
}
