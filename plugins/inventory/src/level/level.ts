import { f, table } from '@storeloom/plugin-sdk';

/** Units of one variant in one warehouse. `available` = onHand − reserved − safetyStock, computed, never stored. */
export const level = table('level', {
  variantId: f.id(),
  warehouseId: f.id(),
  onHand: f.int({ min: 0 }).default(0),
  /** Units of active reservations. */
  reserved: f.int({ min: 0 }).default(0),
  /** Those of them that wait for a receipt: only they may go beyond `onHand`. */
  backordered: f.int({ min: 0 }).default(0),
  incoming: f.int({ min: 0 }).default(0),
  safetyStock: f.int({ min: 0 }).default(0),
  reorderPoint: f.int({ min: 0 }).optional(),
});

export type MovementReason = 'received' | 'damage' | 'count' | 'correction' | 'return' | 'sale' | 'restock';
export const movementReasons = ['received', 'damage', 'count', 'correction', 'return', 'sale', 'restock'] as const;

/** Append-only: Σ delta of a level = its onHand. */
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
  { appendOnly: true },
);

/** A level as the plans see it, with what its warehouse says. */
export interface Level {
  readonly id: string;
  readonly variantId: string;
  readonly warehouseId: string;
  onHand: number;
  reserved: number;
  backordered: number;
  safetyStock: number;
  reorderPoint: number | null;
  /** Its warehouse sells: active and there. */
  readonly active: boolean;
  /** Its warehouse was removed. */
  readonly gone: boolean;
  readonly priority: number;
  /** Countries the warehouse serves; null: all. */
  readonly countries: readonly string[] | null;
}

/** What can be sold; below zero while backorders wait. */
export const availableAt = (at: Pick<Level, 'onHand' | 'reserved' | 'safetyStock'>): number =>
  at.onHand - at.reserved - at.safetyStock;
/** What stands there and belongs to nobody, safety stock included. */
export const freeAt = (at: Pick<Level, 'onHand' | 'reserved' | 'backordered'>): number =>
  at.onHand - (at.reserved - at.backordered);

export const serves = (at: Pick<Level, 'active' | 'countries'>, country: string | null): boolean =>
  at.active && (country === null || at.countries === null || at.countries.length === 0 || at.countries.includes(country));

/** Warehouses by priority, then id. */
export function byWarehouse(a: Pick<Level, 'priority' | 'warehouseId'>, b: Pick<Level, 'priority' | 'warehouseId'>): number {
  return a.priority - b.priority || (a.warehouseId < b.warehouseId ? -1 : a.warehouseId > b.warehouseId ? 1 : 0);
}

/** What one order can get of a variant: the sum of all warehouses, or without split shipments the best one. */
export function sellable(levels: readonly Level[], split: boolean): number {
  const amounts = levels.filter((each) => each.active).map(availableAt);
  if (amounts.length === 0) return 0;
  return split ? amounts.reduce((sum, each) => sum + each, 0) : Math.max(...amounts);
}
