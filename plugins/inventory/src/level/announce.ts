import { levelEvents, stockEvents } from '@storeloom/commerce';
import type { Ctx, EventData } from '@storeloom/plugin-sdk';
import { type Arrival, announceArrivals } from '../flows/arrivals.ts';
import { settings } from '../settings.ts';
import type { Book } from './book.ts';
import { availableAt, type Level, sellable } from './level.ts';

function snapshotOf(at: Level): EventData<typeof levelEvents.changed> {
  const { id, variantId, warehouseId, onHand, reserved } = at;
  return { id, variantId, warehouseId, onHand, reserved, available: availableAt(at) };
}

/**
 * What follows from a change of levels. A plain sale says nothing: whoever follows sales listens to orders. An event goes out when goods
 * come or go, and when a variant sells out or can be had again; only then do public answers go stale.
 */
export async function announce(ctx: Ctx, book: Book): Promise<void> {
  const { allowSplitShipment, lowStockThreshold } = ctx.settings(settings);
  const changed = book.changed();
  const told = new Set<Level>(changed.filter((each) => each.onHand !== book.was(each).onHand));
  const more: Arrival[] = [];
  for (const [variantId, levels] of Map.groupBy(changed, (each) => each.variantId)) {
    const own = book.levels.filter((each) => each.variantId === variantId);
    const after = sellable(own, allowSplitShipment);
    const before = sellable(
      own.map((each) => ({ ...each, ...book.was(each) })),
      allowSplitShipment,
    );
    const turned = before > 0 !== after > 0;
    if (turned) {
      for (const each of levels) told.add(each);
      ctx.dropCache('catalog');
    }
    if (turned && after > 0) await ctx.emit(stockEvents.restocked, { id: variantId, data: { variantId, available: after } });
    const units = Math.max(0, after) - Math.max(0, before);
    if (units > 0) more.push({ variantId, units, turned });
  }
  for (const each of told) await ctx.emit(levelEvents.changed, { id: each.id, data: snapshotOf(each) });
  for (const each of changed) {
    const threshold = each.reorderPoint ?? lowStockThreshold;
    if (availableAt({ ...each, ...book.was(each) }) > threshold && availableAt(each) <= threshold)
      await ctx.emit(levelEvents.low, { id: each.id, data: { ...snapshotOf(each), threshold } });
  }
  await announceArrivals(ctx, more);
}
