import { f, table } from '@storeloom/plugin-sdk';

/** Stock of one variant in one warehouse. `available` = onHand − reserved − safetyStock is computed, not stored. */
export const level = table(
  'level',
  {
    variantId: f.id(),
    warehouseId: f.id(),
    onHand: f.int({ min: 0 }).default(0),
    /** Units of active reservations. */
    reserved: f.int({ min: 0 }).default(0),
    /** Reserved units that wait for a receipt: only these may exceed `onHand`. */
    backordered: f.int({ min: 0 }).default(0),
    incoming: f.int({ min: 0 }).default(0),
    safetyStock: f.int({ min: 0 }).default(0),
    reorderPoint: f.int({ min: 0 }).optional(),
  },
  {
    uniques: [{ fields: ['variantId', 'warehouseId'] }],
    indexes: [
      { name: 'inventory_level_created_idx', fields: ['createdAt', 'id'] },
      { name: 'inventory_level_warehouse_idx', fields: ['warehouseId'] },
    ],
  },
);

export type MovementReason = 'received' | 'damage' | 'count' | 'correction' | 'return' | 'sale' | 'restock';
export const movementReasons = ['received', 'damage', 'count', 'correction', 'return', 'sale', 'restock'] as const;

/** Append-only: the sum of a level's deltas is its onHand. */
export const movement = table(
  'movement',
  {
    levelId: f.id(),
    variantId: f.id(),
    warehouseId: f.id(),
    delta: f.int(),
    reason: f.oneOf(movementReasons),
    before: f.int({ min: 0 }),
    after: f.int({ min: 0 }),
    actorType: f.text({ max: 20 }),
    actorId: f.text({ max: 100 }).optional(),
    reference: f.text().optional(),
    note: f.text({ max: 1000 }).optional(),
    source: f.text().optional(),
  },
  {
    uniques: [{ name: 'inventory_movement_source_key', fields: ['levelId', 'source'], where: 'source is not null' }],
    indexes: [{ name: 'inventory_movement_variant_idx', fields: ['variantId', 'createdAt', 'id'] }],
    appendOnly: true,
  },
);

/** A level with the properties of its warehouse. */
export interface Level {
  readonly id: string;
  readonly variantId: string;
  readonly warehouseId: string;
  onHand: number;
  reserved: number;
  backordered: number;
  safetyStock: number;
  reorderPoint: number | null;
  /** The warehouse is active and not removed. */
  readonly active: boolean;
  /** The warehouse was removed. */
  readonly gone: boolean;
  readonly priority: number;
  /** Countries that the warehouse serves; null: all. */
  readonly countries: readonly string[] | null;
}

/** Sellable units; negative while backorders exceed the stock. */
export const availableAt = (at: Pick<Level, 'onHand' | 'reserved' | 'safetyStock'>): number =>
  at.onHand - at.reserved - at.safetyStock;
/** Units in stock that aren't reserved, safety stock included. */
export const freeAt = (at: Pick<Level, 'onHand' | 'reserved' | 'backordered'>): number =>
  at.onHand - (at.reserved - at.backordered);

export const serves = (at: Pick<Level, 'active' | 'countries'>, country: string | null): boolean =>
  at.active && (country === null || at.countries === null || at.countries.length === 0 || at.countries.includes(country));

/** Sorts by the warehouse's priority, then its id. */
export function compareWarehouses(
  a: Pick<Level, 'priority' | 'warehouseId'>,
  b: Pick<Level, 'priority' | 'warehouseId'>,
): number {
  return a.priority - b.priority || (a.warehouseId < b.warehouseId ? -1 : a.warehouseId > b.warehouseId ? 1 : 0);
}

/** Units of a variant that one order can get: the sum of all warehouses, or without split shipments the largest one. */
export function sellable(levels: readonly Level[], split: boolean): number {
  const amounts = levels.filter((each) => each.active).map(availableAt);
  if (amounts.length === 0) return 0;
  return split ? amounts.reduce((sum, each) => sum + each, 0) : Math.max(...amounts);
}
