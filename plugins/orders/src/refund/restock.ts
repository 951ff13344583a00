import type { LineQuantities } from '../flows/states.ts';

export interface RestockLine extends LineQuantities {
  quantityRestocked: number;
  quantityRefunded: number;
}

/**
 * Splits the refunded units of a line into unshipped ones, which are cancelled and whose reservation is released, and shipped ones to
 * restock (P20). Units to restock are first those outside parcels, then shipped ones that weren't restocked yet. Other units (`kept`) are
 * first shipped ones that weren't refunded yet, which stay with the buyer, then those outside parcels. Undefined if units in a parcel or
 * already restocked ones remain.
 */
export function planRestock(
  line: RestockLine,
  { restocked, kept = 0 }: { restocked: number; kept?: number },
): { unshipped: number; shipped: number } | undefined {
  const free = Math.max(0, line.quantity - line.quantityCancelled - line.quantityFulfilled);
  const unshipped = Math.min(restocked, free);
  const shipped = Math.min(restocked - unshipped, Math.max(0, line.quantityShipped - line.quantityRestocked));
  if (unshipped + shipped !== restocked) return undefined;
  // Units that don't ship have no reservation.
  if (!line.ships) return { unshipped, shipped };
  const refundedShipped = Math.max(0, line.quantityRefunded - line.quantityCancelled);
  const stays = Math.min(kept, Math.max(0, line.quantityShipped - refundedShipped - shipped));
  const cancelled = Math.min(kept - stays, free - unshipped);
  if (stays + cancelled < kept && line.quantityFulfilled > line.quantityShipped) return undefined;
  return { unshipped: unshipped + cancelled, shipped };
}
