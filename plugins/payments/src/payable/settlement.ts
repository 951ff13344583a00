import { settlePayable } from '@storeloom/commerce';
import type { Ctx, Job } from '@storeloom/plugin-sdk';
import { lockThing, orderType, type PaymentRow, thingOf } from '../payment/payment.ts';
import { release } from '../payment/release.ts';
import { queued, type Settlement } from '../queued.ts';
import { owed } from '../refund/refund.ts';

export function enqueueSettlement(ctx: Ctx, settlement: Settlement): Promise<void> {
  const { for: subject, ended } = settlement;
  return ctx.enqueue(queued.settle, settlement, { key: `${subject.type} ${subject.id} ${ended}` });
}

/** Money was captured for a subject of another plugin; orders settle in the transaction of the capture. */
export const settleCaptured = (ctx: Ctx, row: PaymentRow): Promise<void> =>
  row.forType === orderType
    ? Promise.resolve()
    : enqueueSettlement(ctx, { for: thingOf(row), reason: 'late_payment', ended: false });

/** Asks the owner of the subject about captured money, and gives back what is refused. */
export const settleJob: Job<Settlement> = {
  async run(ctx, { for: subject, reason, ended }) {
    // Payments are locked before the rows of the owner, here as by every capture.
    const { payments } = await lockThing(ctx, subject);
    const hasMoney = [...(await owed(ctx, payments)).values()].some((amount) => amount > 0);
    const answer = hasMoney ? await ctx.call(settlePayable, { for: subject }) : undefined;
    if (answer === 'refused' || (ended && answer === undefined)) await release(ctx, subject, { refund: true, reason });
  },
};
