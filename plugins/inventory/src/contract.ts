import { service } from '@storeloom/plugin-sdk';

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';
export interface StockView {
  variantId: string;
  /** Sum over active warehouses of onHand − reserved − safetyStock; null when stock isn't tracked. */
  available: number | null;
  availability: Availability;
  /** Shown only with setting showStockCount. */
  stock: number | null;
}

export interface StockMove {
  variantId: string;
  warehouseId?: string;
  delta: number;
  reason: 'received' | 'damage' | 'count' | 'correction' | 'return' | 'sale' | 'restock';
  reference: string | null;
  note?: string | null;
}

export interface Stock {
  /** Of variants; bundles get min floor(component/quantity). */
  availability(variantIds: readonly string[]): Promise<Map<string, StockView>>;
  /** Conditional updates in ascending variant id; 409 `insufficient_stock {available, lines}` and nothing is written. */
  reserve(
    items: readonly { variantId: string; quantity: number; orderLineId: string }[],
    options: { orderId: string; expiresAt: string | null; country?: string },
  ): Promise<void>;
  release(orderId: string, reason: string): Promise<void>;
  /** Movements by other plugins (POS, imports, restaurant recipes). */
  move(moves: readonly StockMove[]): Promise<void>;
  /** First stock of a new variant, or a count (`set`). */
  set(variantId: string, onHand: number, options: { reference: string; reason: 'count' | 'received' }): Promise<void>;
  levels(
    variantIds: readonly string[],
  ): Promise<{ variantId: string; warehouseId: string; onHand: number; reserved: number; available: number }[]>;
}
export const stock = service<Stock>('inventory:stock');
