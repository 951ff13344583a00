import { checkPositive, percentBp } from './rounding.ts';
import { grossOf, netOf, rateSet, type TaxRate } from './tax-rate.ts';

/** A change of a unit price by a catalogue promotion: a percentage off, an amount off, or the new price itself. */
export type PriceChange = { percentBp: number } | { amount: number } | { price: number };

/**
 * Steps of the catalogue stage (R6, step 1) on one unit price, in the order given. Percentages are rounded as discounts (R5), and follow
 * each other, or with `parallel` all count on the price before the first percentage (R7). The result is never below 0, nor below
 * `minPrice` unless the price was already (R17).
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
 * The tier for a value: the one with the largest `min` that the value reaches, undefined below all of them. It depends on the value
 * alone, so a price by the total quantity is the same whatever the path of adding and removing (P24). For volume prices (`min` units)
 * and tiered promotions (`min` units or minor units).
 */
export function tierFor<T extends { min: number }>(tiers: readonly T[], value: number): T | undefined {
  let best: T | undefined;
  for (const tier of tiers) if (tier.min <= value && (!best || tier.min > best.min)) best = tier;
  return best;
}

/**
 * R9 `constant_net`: a gross catalogue price of the shop's own country as the gross price in another one: the net stays, the tax is the
 * destination's. No rates at the destination: the net price (2000 with 7 % included → 1869). Always call it with the catalogue price,
 * so that A → B → A gives the first totals. With `constant_gross` the price needs no change.
 */
export function constantNetPrice(gross: number, origin: readonly TaxRate[], destination: readonly TaxRate[]): number {
  return grossOf(netOf(checkPositive(gross, 'a price'), rateSet(origin)), rateSet(destination));
}
