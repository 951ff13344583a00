import { levelEvents, stockEvents } from '@storeloom/commerce';
import type { Ctx, EventData } from '@storeloom/plugin-sdk';
import { type Arrival, announceArrivals } from '../flows/arrivals.ts';
import { settings } from '../settings.ts';
import type { Book } from './book.ts';
import { availableAt, type Level, sellable } from './level.ts';

function payloadOf(at: Level): EventData<typeof levelEvents.changed> {
  const { id, variantId, warehouseId, onHand, reserved } = at;
  return { id, variantId, warehouseId, onHand, reserved, available: availableAt(at) };
}

/**
 * Publishes the events that follow from changed levels. Reservations alone publish nothing: subscribers to sales use the orders'
 * events. An event is published when onHand changes, and when a variant sells out or becomes available again; only then are cached
 * storefront responses stale.
 */
export async function publishChanges(ctx: Ctx, book: Book): Promise<void> {
  const { allowSplitShipment, lowStockThreshold } = ctx.settings(settings);
  const changed = book.changed();
  const published = new Set<Level>(changed.filter((each) => each.onHand !== book.before(each).onHand));
  const arrivals: Arrival[] = [];
  for (const [variantId, levels] of Map.groupBy(changed, (each) => each.variantId)) {
    const variantLevels = book.ofVariant(variantId);
    const after = sellable(variantLevels, allowSplitShipment);
    const before = sellable(
      variantLevels.map((each) => ({ ...each, ...book.before(each) })),
      allowSplitShipment,
    );
    const availabilityChanged = before > 0 !== after > 0;
    if (availabilityChanged) {
      for (const each of levels) published.add(each);
      ctx.dropCache('catalog');
    }
    if (availabilityChanged && after > 0)
      await ctx.emit(stockEvents.restocked, { id: variantId, data: { variantId, available: after } });
    const units = Math.max(0, after) - Math.max(0, before);
    if (units > 0) arrivals.push({ variantId, units, wasSoldOut: before <= 0 });
  }
  for (const each of published) await ctx.emit(levelEvents.changed, { id: each.id, data: payloadOf(each) });
  for (const each of changed) {
    const threshold = each.reorderPoint ?? lowStockThreshold;
    if (availableAt({ ...each, ...book.before(each) }) > threshold && availableAt(each) <= threshold)
      await ctx.emit(levelEvents.low, { id: each.id, data: { ...payloadOf(each), threshold } });
  }
  await announceArrivals(ctx, arrivals);
}
