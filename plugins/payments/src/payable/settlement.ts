import { settlePayable } from '@storeloom/commerce';
import type { Ctx, Job } from '@storeloom/plugin-sdk';
import { lockSubject, orderType, type PaymentRow, subjectOf } from '../payment/payment.ts';
import { release } from '../payment/release.ts';
import { queued, type Settlement } from '../queued.ts';
import { refundableByPayment } from '../refund/refund.ts';

export function enqueueSettlement(ctx: Ctx, settlement: Settlement): Promise<void> {
  const { for: subject, ended } = settlement;
  return ctx.enqueue(queued.settle, settlement, { key: `${subject.type} ${subject.id} ${ended}` });
}

/** Money was captured for another plugin's subject. Orders settle in the capturing transaction instead. */
export const settleCaptured = (ctx: Ctx, row: PaymentRow): Promise<void> =>
  row.forType === orderType
    ? Promise.resolve()
    : enqueueSettlement(ctx, { for: subjectOf(row), reason: 'late_payment', ended: false });

/** Lets the owner of the subject accept or refuse captured money, and refunds it if refused. */
export const settleJob: Job<Settlement> = {
  async run(ctx, { for: subject, reason, ended }) {
    // Payments are locked before the owner's rows, as in every capture.
    const { payments } = await lockSubject(ctx, subject);
    const hasMoney = [...(await refundableByPayment(ctx, payments)).values()].some((amount) => amount > 0);
    const decision = hasMoney ? await ctx.call(settlePayable, { for: subject }) : undefined;
    if (decision === 'refused' || (ended && decision === undefined)) await release(ctx, subject, { refund: true, reason });
  },
};
