import type { cancelCommit, PaymentSubject } from '@storeloom/commerce';
import type { Ctx, TapFn } from '@storeloom/plugin-sdk';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { refundableByPayment, reserveRefund } from '../refund/refund.ts';
import { isAuthorized, isPending, lockSubject, orderPayments, type PaymentRow, payment, transition } from './payment.ts';

async function releasePayment(
  ctx: Ctx,
  row: PaymentRow,
  refund: boolean,
  reason: string,
  refundableAmount: number,
): Promise<void> {
  // A later release doesn't change the first decision.
  const released = row.released ?? (refund ? 'refund' : 'keep');
  const isAtProvider = isOnline(row.provider) && row.claimedAt !== null;
  let next = row;
  if (isPending(row)) {
    const to = reason === 'payment_timeout' && row.status === 'requires_action' ? 'expired' : 'cancelled';
    next = await transition(ctx, row, to, { released, voiding: isAtProvider }, reason);
  } else if (isAuthorized(row)) {
    next = await transition(ctx, row, 'voided', { released, voiding: isAtProvider }, reason);
    await ctx.audit({
      entity: 'payments.payment',
      entityId: row.id,
      action: 'payments.payment.void',
      extra: { amount: { amount: row.authorizedAmount - row.capturedAmount, currency: row.amount.currency }, reason },
    });
  } else if (row.released === null) next = await ctx.rows(payment).update(row.id, { released });
  if (next.voiding && !row.voiding) await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
  if (!refund || next.released !== 'refund' || row.givenBack) return;
  if (refundableAmount > 0)
    await reserveRefund(ctx, next, { amount: refundableAmount, reason, key: `${row.id}:release:${row.capturedAmount}` });
}

/**
 * Contract `release`: cancels pending payments, voids authorisations, and refunds captured money if `refund`. Runs in the caller's
 * transaction. Idempotent. Jobs call the provider.
 */
export async function release(
  ctx: Ctx,
  subject: PaymentSubject,
  { refund, reason }: { refund: boolean; reason: string },
): Promise<void> {
  const { payments } = await lockSubject(ctx, subject);
  await releaseAll(ctx, payments, refund, reason);
}

async function releaseAll(ctx: Ctx, payments: readonly PaymentRow[], refund: boolean, reason: string): Promise<void> {
  const amounts = await refundableByPayment(ctx, payments);
  for (const row of payments) await releasePayment(ctx, row, refund, reason, amounts.get(row.id) ?? 0);
}

/** cancel.commit, after the other money flows; the order is locked. */
export const releaseOrderPayments: TapFn<typeof cancelCommit> = async (ctx, { order, refund, reason }) => {
  await releaseAll(ctx, await orderPayments(ctx, order.id), refund, reason);
};
