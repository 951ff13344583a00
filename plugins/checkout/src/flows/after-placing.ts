import { type CancelInput, cartEvents, type flowLock, type lateMoney, type SettleInput } from '@storeloom/commerce';
import { type Ctx, type HookInput, type HookResult, sql } from '@storeloom/plugin-sdk';
import { noOrder } from '../cart/cart.ts';
import { recordTransition } from '../cart/history.ts';
import { type CartRow, cart } from '../cart/table.ts';
import { recordDraftAttempt, reopenDraft, settleDraft } from '../drafts/placing.ts';
import { isTaken } from '../payment/waiting-order.ts';
import { settings } from '../settings.ts';

async function cartOfOrder(ctx: Ctx, order: { id: string; cartId: string | null }): Promise<CartRow | undefined> {
  if (order.cartId === null) return undefined;
  const row = await ctx.rows(cart).get(order.cartId, { lock: true });
  return row?.orderId === order.id ? row : undefined;
}

/** `flowLock`: the cart or draft comes first in the lock order of every flow. */
export async function lockBeforeOrder(ctx: Ctx, { cartId, draftId }: HookInput<typeof flowLock>): Promise<void> {
  const { tenant } = ctx;
  if (cartId !== null)
    await ctx.db.rows(sql`select 1 from checkout_cart where tenant_id = ${tenant.id} and id = ${cartId} for update`);
  if (draftId !== null)
    await ctx.db.rows(sql`select 1 from checkout_draft_order where tenant_id = ${tenant.id} and id = ${draftId} for update`);
}

/** `settleCommit`, stage 90: converts the waiting cart once its payment is authorised or captured. */
export async function settleCart(ctx: Ctx, { order, payment, late }: SettleInput): Promise<void> {
  if (late?.impossible || !isTaken({ status: payment.status as 'captured' })) return;
  const row = await cartOfOrder(ctx, order);
  if (row) await ctx.rows(cart).update(row.id, { paymentDueAt: null, ...(row.status === 'locked' ? conversion(ctx) : {}) });
  if (row?.status === 'locked') await announceConverted(ctx, row.id, order.id);
  if (order.draftId !== null) await settleDraft(ctx, order.draftId, order.id);
}
const conversion = (ctx: Ctx) => ({ status: 'converted' as const, convertedAt: ctx.clock.now(), lockedAt: null });

async function announceConverted(ctx: Ctx, cartId: string, orderId: string): Promise<void> {
  await recordTransition(ctx, { id: cartId, status: 'locked' }, 'converted');
  await ctx.emit(cartEvents.converted, { id: cartId, data: { cartId, orderId } });
}

/** Records the next payment attempt, which is due at `dueAt` (null: no deadline). An offline method converts the cart. */
export async function recordAttempt(
  ctx: Ctx,
  order: { id: string; cartId: string | null; draftId: string | null },
  { online, dueAt }: { online: boolean; dueAt: string | null },
): Promise<void> {
  const row = await cartOfOrder(ctx, order);
  const converts = row?.status === 'locked' && !online;
  if (row) await ctx.rows(cart).update(row.id, { paymentDueAt: dueAt, ...(converts ? conversion(ctx) : {}) });
  if (row && converts) await announceConverted(ctx, row.id, order.id);
  if (order.draftId !== null) await recordDraftAttempt(ctx, order.draftId, order.id, { online, dueAt });
}

/** `cancelCommit`, stage 99: reopens a cart that was waiting for its payment. A converted cart stays converted. */
export async function cancelCart(ctx: Ctx, { order, reason }: CancelInput): Promise<void> {
  const row = await cartOfOrder(ctx, order);
  if (row?.status === 'locked') {
    await ctx.rows(cart).update(row.id, { status: 'open', ...noOrder });
    await recordTransition(ctx, row, 'open', reason);
  } else if (row?.paymentDueAt) await ctx.rows(cart).update(row.id, { paymentDueAt: null });
  if (order.draftId !== null) await reopenDraft(ctx, order.draftId, order.id);
}

/** `lateMoney`: the shop's setting for payments that arrive too late. */
export function latePaymentPolicy(ctx: Ctx): HookResult<typeof lateMoney> {
  return ctx.settings(settings).latePayment;
}
