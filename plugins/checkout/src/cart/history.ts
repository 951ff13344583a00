import type { Ctx } from '@storeloom/plugin-sdk';
import type { CartStatus } from './table.ts';

/** A cart goes from one state to another; nothing where it stays. */
export async function recordMove(
  ctx: Ctx,
  { id, status }: { id: string; status: CartStatus },
  to: CartStatus,
  reason: string | null = null,
): Promise<void> {
  if (status !== to) await ctx.history({ entity: 'checkout.cart', entityId: id, from: status, to, reason });
}
