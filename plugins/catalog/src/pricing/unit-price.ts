import { type Money, percentBp } from '@storeloom/plugin-sdk/money';
import { inWindow, priceUnder, type Quantities, type Tier, type TierContext, tierPrice, tiersFor, winningTier } from './tiers.ts';

/** An additional price of a variant: for a price list, in another currency, or for a period. */
export interface VariantPrice extends Money {
  priceListCode: string | null;
  startsAt: string | null;
  endsAt: string | null;
}

/** Prices and tiers of one variant. */
export interface PriceSource {
  variantId: string;
  productId: string;
  /** General price in the variant's base currency. */
  base: Money;
  prices: readonly VariantPrice[];
  tiers: readonly Tier[];
}

/** Buyer attributes that select the price level and the currency. */
export interface Buyer {
  at: string;
  currency: string;
  /** Price list of the customer's company. */
  companyList: string | null;
  /** Price list of the customer's group. */
  groupList: string | null;
  /** In order of precedence. */
  groupIds: readonly string[];
  /** Discount on the general price. Applies only if the group has no price list. */
  groupDiscountBp: number | null;
  /**
   * Returns minor units of `currency`.
   *
   * @throws 422 `currency_mismatch` without an exchange rate
   */
  convert(money: Money): number;
}

export type Level = 'company' | 'group' | 'general';
/** Prices in minor units of the buyer's currency. `listPrice` is the price of the level before tiers and catalogue promotions. */
export interface UnitPrice {
  unitPrice: number;
  listPrice: number;
  level: Level;
  tier: { id: string; minQuantity: number } | null;
}

/**
 * Unit price before catalogue promotions. The first level with a price applies: company (price list) → group (price list or tier) →
 * general. Within a level, the tier with the highest minimum that the quantity reaches overrides the list price. A price in the buyer's
 * currency precedes a converted base-currency price.
 */
export function unitPrice(source: PriceSource, buyer: Buyer, quantities: Quantities): UnitPrice {
  const company = buyer.companyList === null ? undefined : listPrice(source, buyer, buyer.companyList);
  if (company !== undefined) return { unitPrice: company, listPrice: company, level: 'company', tier: null };

  const general = generalPrice(source, buyer);
  const groupList = buyer.groupList === null ? undefined : listPrice(source, buyer, buyer.groupList);
  for (const group of buyer.groupIds) {
    const found = priceWithTier(source, buyer, group, groupList ?? general, quantities);
    if (found) return { ...found, listPrice: groupList ?? general, level: 'group' };
  }
  if (groupList !== undefined) return { unitPrice: groupList, listPrice: groupList, level: 'group', tier: null };

  const found = priceWithTier(source, buyer, null, general, quantities) ?? { unitPrice: general, tier: null };
  if (buyer.groupDiscountBp && buyer.groupList === null) {
    const discounted = (price: number): number => price - percentBp(price, buyer.groupDiscountBp ?? 0);
    return { unitPrice: discounted(found.unitPrice), listPrice: discounted(general), level: 'group', tier: found.tier };
  }
  return { ...found, listPrice: general, level: 'general' };
}

/** Volume prices for the buyer, one per minimum quantity, in ascending order. */
export function tierLadder(source: PriceSource, buyer: Buyer): { minQuantity: number; price: number }[] {
  const levels = new Set([null, ...buyer.groupIds]);
  const mins = new Set(
    source.tiers
      .filter((tier) => levels.has(tier.customerGroupId) && (tier.variantId === null || tier.variantId === source.variantId))
      .map((tier) => tier.minQuantity),
  );
  const ladder: { minQuantity: number; price: number }[] = [];
  for (const min of [...mins].sort((a, b) => a - b)) {
    const price = unitPrice(source, buyer, { variant: min, product: min });
    if (price.tier?.minQuantity === min) ladder.push({ minQuantity: min, price: stepPrice(source, buyer, price) });
  }
  return ladder;
}

/** Price of a unit within the tier. For a graduated tier, `unitPrice` is the average over all units instead. */
function stepPrice(source: PriceSource, buyer: Buyer, price: UnitPrice): number {
  const tier = source.tiers.find(({ id }) => id === price.tier?.id);
  return tier?.mode === 'graduated' ? tierPrice(tier, tierContext(source, buyer, price.listPrice)) : price.unitPrice;
}

function priceWithTier(
  source: PriceSource,
  buyer: Buyer,
  group: string | null,
  list: number,
  quantities: Quantities,
): Pick<UnitPrice, 'unitPrice' | 'tier'> | undefined {
  const context = tierContext(source, buyer, list);
  const tiers = tiersFor(source.tiers, group, buyer.at, context);
  const winner = winningTier(tiers, quantities, context);
  return (
    winner && {
      unitPrice: priceUnder(winner, tiers, quantities, context),
      tier: { id: winner.id, minQuantity: winner.minQuantity },
    }
  );
}

export function tierContext(source: PriceSource, buyer: Buyer, list: number): TierContext {
  return {
    variantId: source.variantId,
    listPrice: list,
    currency: buyer.currency,
    baseCurrency: source.base.currency,
    convert: (money) => (money.currency === buyer.currency ? money.amount : buyer.convert(money)),
  };
}

/** General unit price without tiers. */
export function generalPrice(source: PriceSource, buyer: Pick<Buyer, 'at' | 'currency' | 'convert'>): number {
  const found = listPrice(source, buyer, null);
  if (found !== undefined) return found;
  return source.base.currency === buyer.currency ? source.base.amount : buyer.convert(source.base);
}

/** Active price of a price list (null: general). The latestPrice start precedes, then the lower amount. */
function listPrice(
  source: PriceSource,
  buyer: Pick<Buyer, 'at' | 'currency' | 'convert'>,
  code: string | null,
): number | undefined {
  const now = source.prices.filter((price) => price.priceListCode === code && inWindow(price, buyer.at));
  const own = latestPrice(now.filter((price) => price.currency === buyer.currency));
  if (own) return own.amount;
  const base = latestPrice(now.filter((price) => price.currency === source.base.currency));
  return base && buyer.convert(base);
}
function latestPrice(prices: readonly VariantPrice[]): VariantPrice | undefined {
  return [...prices].sort((a, b) =>
    (a.startsAt ?? '') === (b.startsAt ?? '') ? a.amount - b.amount : (a.startsAt ?? '') < (b.startsAt ?? '') ? 1 : -1,
  )[0];
}
