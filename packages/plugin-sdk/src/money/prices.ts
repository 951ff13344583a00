import { checkPositive, percentBp } from './rounding.ts';
import { grossOf, netOf, rateSet, type TaxRate } from './tax-rate.ts';

/** A change of a unit price by a catalogue promotion: basis points off, minor units off, or the new price. */
export type PriceChange = { percentBp: number } | { amount: number } | { price: number };

/**
 * Applies catalogue promotions to one unit price, in the given order. Percentages are rounded as discounts (R5); they apply one
 * after the other, or with `parallel` all to the price before the first percentage (R7). The result is never below 0, nor below
 * `minPrice` unless the price was already (R17). Step 1 of R6.
 */
export function adjustPrice(
  price: number,
  changes: readonly PriceChange[],
  options: { minPrice?: number; percentStacking?: 'sequential' | 'parallel' } = {},
): number {
  const floor = Math.min(checkPositive(options.minPrice ?? 0, 'a minimum price'), price);
  let current = checkPositive(price, 'a price');
  let percentOff = 0;
  for (const change of changes) {
    if ('percentBp' in change) {
      const base = options.percentStacking === 'parallel' ? current + percentOff : current;
      const discount = Math.min(percentBp(base, change.percentBp), current);
      percentOff += discount;
      current -= discount;
    } else if ('amount' in change) {
      current -= Math.min(checkPositive(change.amount, 'a discount'), current);
    } else {
      current = checkPositive(change.price, 'a price');
    }
  }
  return Math.max(current, floor);
}

/**
 * Returns the tier with the largest `min` that the value reaches; undefined below all of them. For volume prices (`min` units)
 * and tiered promotions (`min` units or minor units).
 */
export function tierFor<T extends { min: number }>(tiers: readonly T[], value: number): T | undefined {
  let best: T | undefined;
  for (const tier of tiers) if (tier.min <= value && (!best || tier.min > best.min)) best = tier;
  return best;
}

/**
 * Converts a gross catalogue price of the shop's country into the gross price of another country: the net amount stays the same,
 * the tax is that of the destination (R9 `constant_net`). Without rates at the destination it returns the net price (2000 with 7
 * % included → 1869). Always pass the catalogue price, so that changing the country and back gives the first price again.
 */
export function constantNetPrice(gross: number, origin: readonly TaxRate[], destination: readonly TaxRate[]): number {
  return grossOf(netOf(checkPositive(gross, 'a price'), rateSet(origin)), rateSet(destination));
}
