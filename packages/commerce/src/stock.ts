import { type RawBuilder, service } from '@storeloom/plugin-sdk';
import type { StockRule } from './catalog/variant.ts';

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';

export interface StockView {
  variantId: string;
  /**
   * Sum over active warehouses of onHand − reserved − safetyStock, the best one where the shop doesn't split shipments; below zero while
   * backorders wait. Null when stock isn't tracked. Of a bundle: as many as the scarcest component makes.
   */
  available: number | null;
  availability: Availability;
  /** Shown only with setting showStockCount. */
  stock: number | null;
}

/** What a variant's levels come to: available over its warehouses as in `StockView`, and units on backorder. */
export type StockLevel = readonly [available: number, backordered: number];

export interface StockMove {
  variantId: string;
  warehouseId?: string;
  delta: number;
  reason: 'received' | 'damage' | 'count' | 'correction' | 'return' | 'sale' | 'restock';
  reference: string | null;
  note?: string | null;
}

/** Units of a variant behind an order line. A bundle may be named as it is: its components are meant. */
export interface StockItem {
  variantId: string;
  quantity: number;
  orderLineId: string;
}

/** Left by the tap of place.commit at `input.results.inventory`: where each line comes from. */
export interface PlacedStock {
  allotments: { orderLineId: string; variantId: string; warehouseId: string; quantity: number; backordered: number }[];
}

/**
 * Every call locks the levels of its variants in ascending (variant, warehouse) id. A transaction that calls several times with other
 * variants each time gives that order up: call once with all of them.
 */
export interface Stock {
  /**
   * Of variants; bundles get min floor(component/quantity). What the caller has read already isn't asked again: `known`, the catalogue's
   * rules (`catalog:catalog` stockRules), and `levels`, what its statement gave for `levelOf` or `levelsOf`.
   */
  availability(
    variantIds: readonly string[],
    known?: readonly StockRule[],
    levels?: ReadonlyMap<string, StockLevel | null>,
  ): Promise<Map<string, StockView>>;
  /**
   * SQL of the `StockLevel` of one variant, as JSON, null where it has none, for a statement that reads variants anyway. `variantId` is
   * an SQL expression of the caller's.
   */
  levelOf(variantId: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The same of several at once: `[variantId, available, backordered][]`, null where none has any. `variantIds` gives a uuid[]. */
  levelsOf(variantIds: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Adds to what the order holds. Conditional updates in ascending variant id; 409 `insufficient_stock {available, lines}` and nothing is written. */
  reserve(items: readonly StockItem[], options: { orderId: string; expiresAt: string | null; country?: string }): Promise<void>;
  release(orderId: string, reason: string): Promise<void>;
  /**
   * Goods that left for the order are back (a received return, a parcel that came home): each unit goes on the shelf once at most, whatever
   * refunds and returns ask for it. `again`: they are reserved for the order, which is to be sent once more. Gives the units put back.
   */
  restock(
    orderId: string,
    items: readonly StockItem[],
    options: { reason: 'return' | 'restock'; reference: string | null; again?: boolean },
  ): Promise<number>;
  /** Movements by other plugins (POS, imports, restaurant recipes). */
  move(moves: readonly StockMove[]): Promise<void>;
  /** First stock of a new variant, or a count (`set`). */
  set(variantId: string, onHand: number, options: { reference: string; reason: 'count' | 'received' }): Promise<void>;
  levels(
    variantIds: readonly string[],
  ): Promise<{ variantId: string; warehouseId: string; onHand: number; reserved: number; available: number }[]>;
}

export const stock = service<Stock>('inventory:stock');
