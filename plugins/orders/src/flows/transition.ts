import { type OrderStatus, orderEvents } from '@storeloom/commerce';
import type { Ctx, EventData } from '@storeloom/plugin-sdk';
import { dropPlacedOrder, type LineRow, loadLines, type OrderRow } from '../load.ts';
import { history, order } from '../tables.ts';

/** Payload of the public order events. */
function orderEvent(row: OrderRow, lines: readonly LineRow[]): EventData<typeof orderEvents.placed> {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    customerId: row.customerId,
    email: row.email,
    total: row.total,
    country: row.country,
    placedAt: row.placedAt,
    lines: lines.map(({ variantId, productId, sku, quantity }) => ({ variantId, productId, sku, quantity })),
  };
}

export type OrderEventName = keyof typeof orderEvents;

export async function emitOrderEvent(
  ctx: Ctx,
  row: OrderRow,
  event: OrderEventName,
  more: Record<string, unknown> = {},
): Promise<void> {
  await emitOrderEventWith(ctx, row, await loadLines(ctx, row.id), event, more);
}
export async function emitOrderEventWith(
  ctx: Ctx,
  row: OrderRow,
  lines: readonly LineRow[],
  event: OrderEventName,
  more: Record<string, unknown> = {},
): Promise<void> {
  await ctx.emit(orderEvents[event], { id: row.id, data: { ...orderEvent(row, lines), ...more } });
}

function actorOf(ctx: Ctx): { actorType: string; actorId: string | null } {
  const { actor } = ctx;
  switch (actor.type) {
    case 'staff':
    case 'operator':
      return { actorType: actor.type, actorId: actor.userId };
    case 'customer':
      return { actorType: 'customer', actorId: actor.customerId };
    case 'provider':
      return { actorType: 'provider', actorId: actor.provider };
    case 'system':
      return { actorType: 'system', actorId: actor.reason };
    case 'guest':
      return { actorType: 'guest', actorId: null };
  }
}
/** The author of a refund or a note. */
export function authorOf(ctx: Ctx): string | null {
  return actorOf(ctx).actorId?.slice(0, 80) ?? null;
}

export async function recordStatus(
  ctx: Ctx,
  orderId: string,
  from: OrderStatus | null,
  to: OrderStatus,
  reason: string | null,
): Promise<void> {
  const actor = actorOf(ctx);
  await ctx.rows(history).insert({
    orderId,
    fromStatus: from,
    toStatus: to,
    actorType: actor.actorType,
    actorId: actor.actorId?.slice(0, 80) ?? null,
    reason: reason?.slice(0, 500) ?? null,
  });
  await ctx.history({ entity: 'orders.order', entityId: orderId, from, to, reason });
}

const eventOf: Record<OrderStatus, OrderEventName> = {
  pending: 'updated',
  confirmed: 'confirmed',
  processing: 'updated',
  shipped: 'shipped',
  delivered: 'delivered',
  completed: 'completed',
  on_hold: 'on_hold',
  cancelled: 'cancelled',
};

/** Writes a checked transition: status, timestamps, history and event. The row must be locked. */
export async function writeMove(
  ctx: Ctx,
  row: OrderRow,
  to: OrderStatus,
  reason: string | null,
  more: { columns?: Partial<OrderRow>; event?: Record<string, unknown> } = {},
): Promise<OrderRow> {
  dropPlacedOrder(ctx, row.id);
  const now = ctx.clock.now();
  const change: Partial<OrderRow> = { status: to, previousStatus: null, holdReason: null, ...more.columns };
  if (to === 'on_hold') Object.assign(change, { previousStatus: row.status, holdReason: reason?.slice(0, 500) ?? null });
  if (to === 'shipped') change.shippedAt = row.shippedAt ?? now;
  if (to === 'delivered') change.deliveredAt = now;
  if (to === 'completed') change.completedAt = now;
  if (to === 'cancelled') Object.assign(change, { cancelledAt: now, cancelReason: reason?.slice(0, 500) ?? null });
  // A parcel was returned, so the order isn't shipped any more.
  if (row.status === 'shipped' && to === 'processing') change.shippedAt = null;
  const moved = await ctx.rows(order).update(row.id, change);
  await recordStatus(ctx, row.id, row.status, to, reason);
  const released = row.status === 'on_hold' && to !== 'cancelled';
  await emitOrderEvent(ctx, moved, released ? 'updated' : eventOf[to], more.event);
  return moved;
}
