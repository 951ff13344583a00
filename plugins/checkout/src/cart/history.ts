import type { Ctx } from '@storeloom/plugin-sdk';
import type { CartStatus } from './table.ts';

/** Records a change of a cart's status in the history. Does nothing when the status stays the same. */
export async function recordTransition(
  ctx: Ctx,
  { id, status }: { id: string; status: CartStatus },
  to: CartStatus,
  reason: string | null = null,
): Promise<void> {
  if (status !== to) await ctx.history({ entity: 'checkout.cart', entityId: id, from: status, to, reason });
}
