import { percentBp } from '@storeloom/plugin-sdk/money';

export type BundlePricing = 'fixed' | 'sum' | 'sum_minus_percent';

/** P25: how many bundles the stock makes, min of floor(component / quantity). A component that isn't tracked (null) never limits. */
export function bundleAvailability(components: readonly { available: number | null; quantity: number }[]): number | null {
  let least: number | null = null;
  for (const { available, quantity } of components) {
    if (available === null) continue;
    const makes = Math.max(0, Math.floor(available / quantity));
    if (least === null || makes < least) least = makes;
  }
  return least;
}

/** Price of a bundle that costs what its parts cost, in minor units; the percentage comes off the sum (R5). */
export function bundlePrice(
  pricing: Exclude<BundlePricing, 'fixed'>,
  percent: number | null,
  components: readonly { unitPrice: number; quantity: number }[],
): number {
  const sum = components.reduce((total, { unitPrice, quantity }) => total + unitPrice * quantity, 0);
  return pricing === 'sum' ? sum : sum - percentBp(sum, percent ?? 0);
}
