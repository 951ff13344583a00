import type { cancelCommit } from '@storeloom/commerce';
import type { Ctx, TapFn } from '@storeloom/plugin-sdk';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { owed, reserveRefund } from '../refund/refund.ts';
import { isReserved, isWaiting, lockThing, move, orderPayments, type PaymentRow, payment, type Thing } from './payment.ts';

async function releaseOne(ctx: Ctx, row: PaymentRow, refund: boolean, reason: string, left: number): Promise<void> {
  // What was meant to be kept stays kept, whoever releases again.
  const released = row.released ?? (refund ? 'refund' : 'keep');
  const asked = isOnline(row.provider) && row.claimedAt !== null;
  let next = row;
  if (isWaiting(row)) {
    const to = reason === 'payment_timeout' && row.status === 'requires_action' ? 'expired' : 'cancelled';
    next = await move(ctx, row, to, { released, voiding: asked }, reason);
  } else if (isReserved(row)) {
    next = await move(ctx, row, 'voided', { released, voiding: asked }, reason);
    await ctx.audit({
      entity: 'payments.payment',
      entityId: row.id,
      action: 'payments.payment.void',
      extra: { amount: { amount: row.authorizedAmount - row.capturedAmount, currency: row.amount.currency }, reason },
    });
  } else if (row.released === null) next = await ctx.rows(payment).update(row.id, { released });
  if (next.voiding && !row.voiding) await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
  if (!refund || next.released !== 'refund' || row.givenBack) return;
  if (left > 0) await reserveRefund(ctx, next, { amount: left, reason, key: `${row.id}:release:${row.capturedAmount}` });
}

/**
 * Contract `release`: the thing is given up. Nothing of it can be paid any more, what is reserved is let go, and what was taken goes back
 * if `refund` says so. In the caller's transaction; again changes nothing. The provider is told by jobs.
 */
export async function release(ctx: Ctx, thing: Thing, { refund, reason }: { refund: boolean; reason: string }): Promise<void> {
  const { payments } = await lockThing(ctx, thing);
  await releaseAll(ctx, payments, refund, reason);
}

async function releaseAll(ctx: Ctx, payments: readonly PaymentRow[], refund: boolean, reason: string): Promise<void> {
  const left = await owed(ctx, payments);
  for (const row of payments) await releaseOne(ctx, row, refund, reason, left.get(row.id) ?? 0);
}

/** cancel.commit, last of the money: the order's own lock is held. */
export const releaseOrder: TapFn<typeof cancelCommit> = async (ctx, { order, refund, reason }) => {
  await releaseAll(ctx, await orderPayments(ctx, order.id), refund, reason);
};
