import { type Ctx, type EventType, f } from '@storeloom/plugin-sdk';
import { type Arrival, announceArrivals } from '../flows/arrivals.ts';
import { settings } from '../settings.ts';
import type { Book } from './book.ts';
import { availableAt, type Level, sellable } from './level.ts';

const snapshot = {
  id: f.id(),
  variantId: f.id(),
  warehouseId: f.id(),
  onHand: f.int(),
  reserved: f.int(),
  available: f.int(),
};
export const emits: Record<string, EventType> = {
  'inventory.level.changed': {
    public: true,
    title: 'Goods came or went, or a variant sold out or can be had again',
    data: snapshot,
  },
  'inventory.level.low': {
    public: true,
    title: 'A stock fell to its reorder point',
    data: { ...snapshot, threshold: f.int() },
  },
  'inventory.variant.restocked': {
    public: true,
    title: 'A variant that was sold out can be had again',
    data: { variantId: f.id(), available: f.int() },
  },
  'inventory.warehouse.created': { title: 'A warehouse was made', data: { id: f.id() } },
  'inventory.warehouse.updated': { title: 'A warehouse changed', data: { id: f.id() } },
  'inventory.warehouse.deleted': { title: 'A warehouse was removed', data: { id: f.id() } },
};

function snapshotOf(at: Level): Record<string, unknown> {
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
    if (turned && after > 0)
      await ctx.emit('inventory.variant.restocked', { id: variantId, data: { variantId, available: after } });
    const units = Math.max(0, after) - Math.max(0, before);
    if (units > 0) more.push({ variantId, units, turned });
  }
  for (const each of told) await ctx.emit('inventory.level.changed', { id: each.id, data: snapshotOf(each) });
  for (const each of changed) {
    const threshold = each.reorderPoint ?? lowStockThreshold;
    if (availableAt({ ...each, ...book.was(each) }) > threshold && availableAt(each) <= threshold)
      await ctx.emit('inventory.level.low', { id: each.id, data: { ...snapshotOf(each), threshold } });
  }
  await announceArrivals(ctx, more);
}
