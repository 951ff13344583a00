import { bundlePrice } from '../bundle/math.ts';
import type { Sellable } from './sellable.ts';
import type { Quantities } from './tiers.ts';
import { type Buyer, type PriceSource, type UnitPrice, unitPrice } from './unit-price.ts';

const oneUnit: Quantities = { variant: 1, product: 1 };

/** Unit price of a variant for a buyer. A bundle with pricing `sum` or `sum_minus_percent` adds up the buyer's component prices. */
export function priceFor(item: Sellable, parts: ReadonlyMap<string, Sellable>, buyer: Buyer, quantities: Quantities): UnitPrice {
  return unitPrice(priceSourceOf(item, parts, buyer), buyer, quantities);
}

/** Converts an amount in the variant's base currency to the buyer's currency. */
export function amountFor(item: Sellable, buyer: Buyer, amount: number): number {
  const { currency } = item.source.base;
  return currency === buyer.currency ? amount : buyer.convert({ amount, currency });
}
/** The variant's compare-at price in the buyer's currency. */
export function compareAtFor(item: Sellable, buyer: Buyer): number | null {
  return item.compareAt === null ? null : amountFor(item, buyer, item.compareAt);
}

/** Price source of a variant. The base price of a bundle without a fixed price is computed from its components. */
function priceSourceOf(item: Sellable, parts: ReadonlyMap<string, Sellable>, buyer: Buyer): PriceSource {
  if (item.type !== 'bundle' || item.bundlePricing === 'fixed') return item.source;
  const components = item.components.flatMap(({ variantId, quantity }) => {
    const part = parts.get(variantId);
    return part ? [{ unitPrice: unitPrice(part.source, buyer, oneUnit).unitPrice, quantity }] : [];
  });
  const amount = bundlePrice(item.bundlePricing, item.bundlePercentBp, components);
  return {
    ...item.source,
    base: { amount, currency: buyer.currency },
    prices: item.source.prices.filter(({ priceListCode }) => priceListCode !== null),
  };
}
