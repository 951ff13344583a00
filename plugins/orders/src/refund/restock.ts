import type { LineQuantities } from '../flows/states.ts';

export interface RestockLine extends LineQuantities {
  quantityRestocked: number;
}

/**
 * Which of `quantity` units that are given back go to the shelf (P20): first those that no parcel holds, whose reservation is released,
 * then shipped ones that haven't been put back yet. Undefined when so many can't be had: the others wait in a parcel.
 */
export function planRestock(line: RestockLine, quantity: number): { unshipped: number; shipped: number } | undefined {
  const free = line.quantity - line.quantityCancelled - line.quantityFulfilled;
  const unshipped = Math.min(quantity, Math.max(0, free));
  const shipped = Math.min(quantity - unshipped, Math.max(0, line.quantityShipped - line.quantityRestocked));
  return unshipped + shipped === quantity ? { unshipped, shipped } : undefined;
}
