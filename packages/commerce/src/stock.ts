import { type RawBuilder, service } from '@storeloom/plugin-sdk';
import type { StockRule } from './catalog/variant.ts';

/** See `availabilities`. */
export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';

/** Stock of a variant as the storefront sees it. */
export interface StockView {
  variantId: string;
  /**
   * onHand − reserved − safetyStock, summed over active warehouses; where the shop doesn't split shipments, of the warehouse with the most.
   * Negative while backorders wait. Null when stock isn't tracked. For a bundle: the number that its scarcest component allows.
   */
  available: number | null;
  availability: Availability;
  /** Units to show; null unless the setting `showStockCount` is on. */
  stock: number | null;
}

/** Totals of a variant's levels: available as in `StockView`, and units on backorder. */
export type StockLevel = readonly [available: number, backordered: number];

/** A change of stock on hand. Without `warehouseId`: the default warehouse. */
export interface StockMove {
  variantId: string;
  warehouseId?: string;
  delta: number;
  reason: 'received' | 'damage' | 'count' | 'correction' | 'return' | 'sale' | 'restock';
  reference: string | null;
  note?: string | null;
}

/** Units of a variant in an order line. A bundle stands for its components. */
export interface StockItem {
  variantId: string;
  quantity: number;
  orderLineId: string;
}

/** `input.results.inventory` after the tap of `placeCommit`: the warehouse of each line. */
export interface PlacedStock {
  allotments: { orderLineId: string; variantId: string; warehouseId: string; quantity: number; backordered: number }[];
}

/**
 * Stock. Provided by plugin inventory. Each call locks the levels of its variants in ascending (variant, warehouse) id. Pass all variants
 * in one call: several calls in one transaction can deadlock.
 */
export interface Stock {
  /**
   * Availability by variant id. `known` (from `Catalog.stockRules`) and `levels` (from `levelOf` or `levelsOf` in the caller's statement)
   * save the queries for them.
   */
  availability(
    variantIds: readonly string[],
    known?: readonly StockRule[],
    levels?: ReadonlyMap<string, StockLevel | null>,
  ): Promise<Map<string, StockView>>;
  /**
   * SQL of a variant's `StockLevel` as JSON, null where it has none, for a statement that reads variants. `variantId` is an SQL expression
   * in that statement.
   */
  levelOf(variantId: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The same for several variants: `[variantId, available, backordered][]` or null. `variantIds` is an SQL expression of type uuid[]. */
  levelsOf(variantIds: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Adds to the reservations of an order. Writes all or nothing. @throws Problem 409 `insufficient_stock {available, lines}` */
  reserve(items: readonly StockItem[], options: { orderId: string; expiresAt: string | null; country?: string }): Promise<void>;
  /** Releases the reservations of an order. */
  release(orderId: string, reason: string): Promise<void>;
  /**
   * Puts shipped units back (a received return, a parcel that came back). Each unit is restocked once at most, however many refunds and
   * returns name it. `again`: reserves them for the order, which will be shipped again. Returns the number of units.
   */
  restock(
    orderId: string,
    items: readonly StockItem[],
    options: { reason: 'return' | 'restock'; reference: string | null; again?: boolean },
  ): Promise<number>;
  /** Records movements (POS, imports, recipes). */
  move(moves: readonly StockMove[]): Promise<void>;
  /** Sets the stock on hand over all warehouses: the first stock of a variant, or a count. The default warehouse gets the difference. */
  set(variantId: string, onHand: number, options: { reference: string; reason: 'count' | 'received' }): Promise<void>;
  /** The same for several variants, each at most once. */
  setMany(
    counts: readonly { variantId: string; onHand: number }[],
    options: { reference: string; reason: 'count' | 'received' },
  ): Promise<void>;
  levels(
    variantIds: readonly string[],
  ): Promise<{ variantId: string; warehouseId: string; onHand: number; reserved: number; available: number }[]>;
}

/** Token of `Stock`. */
export const stock = service<Stock>('inventory:stock');
