import type { PaymentView } from '@storeloom/commerce';
import { type Ctx, notFound, problem } from '@storeloom/plugin-sdk';
import { reach } from '../jobs.ts';
import { ProviderError } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';
import { apply } from './apply.ts';
import { assertOutside, type PaymentRow, payment, viewOf } from './payment.ts';

/** Asks the provider and takes over what it says. The payment before and after. */
export async function syncRow(ctx: Ctx, id: string, reason: string): Promise<{ before: PaymentRow; after: PaymentRow }> {
  const before = await ctx.transaction((ctx) => ctx.rows(payment).get(id), { readOnly: true });
  if (!before) throw notFound();
  if (!isOnline(before.provider) || before.providerRef === null) return { before, after: before };
  const reached = await reach(ctx, id);
  if (!reached) throw notFound();
  const truth = await reached.adapter.status(reached.call, before.providerRef);
  return { before, after: await ctx.transaction((ctx) => apply(ctx, id, truth, reason)) };
}

/**
 * Contract `sync`, safe beside the notification and beside itself.
 * @throws Problem 503 `unavailable` while the provider doesn't answer, 404 for an unknown payment
 */
export async function sync(ctx: Ctx, id: string): Promise<PaymentView> {
  assertOutside(ctx, 'sync');
  try {
    return viewOf(ctx, (await syncRow(ctx, id, 'asked')).after);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, code: error.code }, 'the provider could not be asked');
    throw problem('unavailable', { detail: 'The payment provider did not respond. Try again later.', retryAfter: 5 });
  }
}
