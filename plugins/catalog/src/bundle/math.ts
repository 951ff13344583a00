import { percentBp } from '@storeloom/plugin-sdk/money';

export type BundlePricing = 'fixed' | 'sum' | 'sum_minus_percent';

/** P25: available bundles, the minimum of floor(available / quantity). Components with `available` null aren't tracked and don't count. */
export function bundleAvailability(components: readonly { available: number | null; quantity: number }[]): number | null {
  let least: number | null = null;
  for (const { available, quantity } of components) {
    if (available === null) continue;
    const bundles = Math.max(0, Math.floor(available / quantity));
    if (least === null || bundles < least) least = bundles;
  }
  return least;
}

/** Bundle price from the component prices, in minor units. Applies the percentage to the sum, not to each component (R5). */
export function bundlePrice(
  pricing: Exclude<BundlePricing, 'fixed'>,
  percent: number | null,
  components: readonly { unitPrice: number; quantity: number }[],
): number {
  const sum = components.reduce((total, { unitPrice, quantity }) => total + unitPrice * quantity, 0);
  return pricing === 'sum' ? sum : sum - percentBp(sum, percent ?? 0);
}
