import { orders } from '@storeloom/commerce';
import type { Ctx, Job, JobData } from '@storeloom/plugin-sdk';
import { queued } from '../queued.ts';
import { checkVat } from './check.ts';
import { parseVat } from './number.ts';

const minute = 60;
const hour = 60 * minute;
/** Seconds between the attempts to prove the VAT number of an order: about a week in all. */
const delays = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, ...Array<number>(6).fill(24 * hour)];

/**
 * Asks the register again for the VAT number of an order that was taxed because the register didn't respond. A proof corrects the order;
 * a number that the register denies stays taxed.
 */
export async function requestProof(ctx: Ctx, orderId: string, number: string, attempt = 0): Promise<void> {
  const startAfter = delays[attempt];
  if (startAfter === undefined) return;
  await ctx.enqueue(queued.proveVat, { orderId, number, attempt }, { startAfter, key: `prove ${orderId} ${number}` });
}

export const proveVatJob: Job<JobData<typeof queued.proveVat>> = {
  transaction: 'none',
  async run(ctx, { orderId, number, attempt }) {
    const { status, checkedAt, consultationNumber } = await checkVat(ctx, parseVat(number));
    await ctx.transaction(async (inner) => {
      if (status === 'unavailable') await requestProof(inner, orderId, number, attempt + 1);
      if (status === 'valid') await inner.use(orders)?.confirmVat(orderId, { number, checkedAt, consultationNumber });
    });
  },
};
