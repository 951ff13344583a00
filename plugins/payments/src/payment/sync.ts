import type { PaymentView } from '@storeloom/commerce';
import { type Ctx, notFound, problem } from '@storeloom/plugin-sdk';
import { loadProviderCall } from '../jobs.ts';
import { ProviderError } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';
import { apply } from './apply.ts';
import { assertNoTransaction, type PaymentRow, payment, viewOf } from './payment.ts';

/** Reads the provider's state and applies it. Returns the payment before and after. */
export async function syncRow(ctx: Ctx, id: string, reason: string): Promise<{ before: PaymentRow; after: PaymentRow }> {
  const before = await ctx.transaction((ctx) => ctx.rows(payment).get(id), { readOnly: true });
  if (!before) throw notFound();
  if (!isOnline(before.provider) || before.providerRef === null) return { before, after: before };
  const loaded = await loadProviderCall(ctx, id);
  if (!loaded) throw notFound();
  const reported = await loaded.adapter.status(loaded.call, before.providerRef);
  return { before, after: await ctx.transaction((ctx) => apply(ctx, id, reported, reason)) };
}

/**
 * Contract `sync`; safe to run concurrently with notifications and itself. Throws 503 `unavailable` while the provider doesn't
 * respond, 404 for an unknown payment.
 */
export async function sync(ctx: Ctx, id: string): Promise<PaymentView> {
  assertNoTransaction(ctx, 'sync');
  try {
    return viewOf(ctx, (await syncRow(ctx, id, 'asked')).after);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, code: error.code }, 'The payment provider is unavailable');
    throw problem('unavailable', { detail: "The payment provider didn't respond. Try again later.", retryAfter: 5 });
  }
}
