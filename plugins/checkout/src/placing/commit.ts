import { cartEvents, type PlaceInput } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { recordTransition } from '../cart/history.ts';
import { cart } from '../cart/table.ts';
import { completeDraft } from '../drafts/placing.ts';

/** `placeCommit`, stage 99: locks a cart that waits for its payment, converts every other one. */
export async function completePlacing(ctx: Ctx, input: PlaceInput): Promise<void> {
  const { cart: source, draftId, orderId, payment } = input;
  const token = input.results.orders?.token;
  if (token === undefined) throw new Error('results.orders is missing: no tap of placeCommit wrote the order');
  const waits = payment?.online === true && !payment.paidLater;
  const sealed = ctx.seal(token);
  if (draftId !== null) await completeDraft(ctx, { draftId, orderId, orderToken: sealed, paymentDueAt: input.expiresAt, waits });
  if (source === null) return;
  const now = ctx.clock.now();
  const changed = await ctx.rows(cart).updateWhere(
    { id: source.id, status: ['open', 'abandoned'] },
    {
      status: waits ? 'locked' : 'converted',
      orderId,
      orderToken: sealed,
      email: input.email,
      shippingAddress: input.context.shippingAddress ? { ...input.context.shippingAddress } : null,
      shippingMethodId: input.context.shippingMethodId ?? null,
      lockedAt: waits ? now : null,
      convertedAt: waits ? null : now,
      paymentDueAt: input.expiresAt,
      lastActivityAt: now,
    },
  );
  // The row has been locked since step 2, so this is a defect and not a race.
  if (changed !== 1) throw problem('conflict');
  await recordTransition(ctx, source, waits ? 'locked' : 'converted');
  if (!waits) await ctx.emit(cartEvents.converted, { id: source.id, data: { cartId: source.id, orderId } });
}
