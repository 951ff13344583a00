import type { Ctx } from '@storeloom/plugin-sdk';
import { unshipped } from '../flows/states.ts';
import { writeMove } from '../flows/transition.ts';
import { type LineRow, loadLines, type OrderRow } from '../load.ts';
import { refund } from '../tables.ts';

export function allDelivered(lines: readonly LineRow[]): boolean {
  return lines.every((line) => !line.ships || line.quantityDelivered >= line.quantity - line.quantityCancelled);
}

/**
 * Moves an order to `shipped`, and to `delivered`, once no unit is left to ship: after a shipment, or after an edit or refund that cancels
 * the last unshipped units, or when a hold ends. Not while units of a pending refund can come back: its settlement calls this again. Returns
 * the order after it. The row must be locked.
 */
export async function completeShipping(ctx: Ctx, row: OrderRow, reason: string): Promise<OrderRow> {
  if (row.status !== 'pending' && row.status !== 'confirmed' && row.status !== 'processing') return row;
  const lines = await loadLines(ctx, row.id);
  const isShipped = lines.some((line) => line.quantityShipped > 0) && !lines.some((line) => unshipped(line) > 0);
  if (!isShipped) return row;
  const pending = await ctx.rows(refund).find({ orderId: row.id, status: 'pending' });
  if (pending.some((one) => one.lines.some(({ restockUnshipped }) => (restockUnshipped ?? 0) > 0))) return row;
  const processing = row.status === 'processing' ? row : await writeMove(ctx, row, 'processing', null);
  const shipped = await writeMove(ctx, processing, 'shipped', reason);
  return allDelivered(lines) ? writeMove(ctx, shipped, 'delivered', reason) : shipped;
}
