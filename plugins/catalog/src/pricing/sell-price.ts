import { bundlePrice } from '../bundle/math.ts';
import type { Sellable } from './sellable.ts';
import type { Quantities } from './tiers.ts';
import { type Buyer, type PriceSource, type UnitPrice, unitPrice } from './unit-price.ts';

const one: Quantities = { variant: 1, product: 1 };

/** Unit price of a variant for a buyer. A bundle that costs what its parts cost adds up this buyer's prices of them. */
export function priceFor(item: Sellable, parts: ReadonlyMap<string, Sellable>, buyer: Buyer, quantities: Quantities): UnitPrice {
  return unitPrice(sourceOf(item, parts, buyer), buyer, quantities);
}

/** An amount of a variant's base currency, in the buyer's. */
export function amountFor(item: Sellable, buyer: Buyer, amount: number): number {
  const { currency } = item.source.base;
  return currency === buyer.currency ? amount : buyer.convert({ amount, currency });
}
/** What staff say the price is reduced from. */
export function compareAtFor(item: Sellable, buyer: Buyer): number | null {
  return item.compareAt === null ? null : amountFor(item, buyer, item.compareAt);
}

/** Where the prices of a variant come from: its own, or for such a bundle the sum of its parts. */
function sourceOf(item: Sellable, parts: ReadonlyMap<string, Sellable>, buyer: Buyer): PriceSource {
  if (item.type !== 'bundle' || item.bundlePricing === 'fixed') return item.source;
  const components = item.components.flatMap(({ variantId, quantity }) => {
    const part = parts.get(variantId);
    return part ? [{ unitPrice: unitPrice(part.source, buyer, one).unitPrice, quantity }] : [];
  });
  const amount = bundlePrice(item.bundlePricing, item.bundlePercentBp, components);
  return {
    ...item.source,
    base: { amount, currency: buyer.currency },
    prices: item.source.prices.filter(({ priceListCode }) => priceListCode !== null),
  };
}
