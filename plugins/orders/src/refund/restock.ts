import type { LineQuantities } from '../flows/states.ts';

export interface RestockLine extends LineQuantities {
  quantityRestocked: number;
}

/**
 * Splits `quantity` refunded units to restock (P20): first units outside parcels, whose reservation is released, then shipped units that
 * weren't restocked yet. Undefined if the remaining units are in a parcel.
 */
export function planRestock(line: RestockLine, quantity: number): { unshipped: number; shipped: number } | undefined {
  const free = line.quantity - line.quantityCancelled - line.quantityFulfilled;
  const unshipped = Math.min(quantity, Math.max(0, free));
  const shipped = Math.min(quantity - unshipped, Math.max(0, line.quantityShipped - line.quantityRestocked));
  return unshipped + shipped === quantity ? { unshipped, shipped } : undefined;
}
