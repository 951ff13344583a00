import { type Money, percentBp } from '@storeloom/plugin-sdk/money';
import { inWindow, priceUnder, type Quantities, type Tier, type TierContext, tierPrice, tiersFor, winningTier } from './tiers.ts';

/** A further price of a variant: of a price list, in another currency, or for a time. */
export interface VariantPrice extends Money {
  priceListCode: string | null;
  startsAt: string | null;
  endsAt: string | null;
}

/** Everything that decides what one variant costs. */
export interface PriceSource {
  variantId: string;
  productId: string;
  /** The general price, in the shop's currency. */
  base: Money;
  prices: readonly VariantPrice[];
  /** Tiers of the product. */
  tiers: readonly Tier[];
}

/** Who buys: what decides the level and the currency. */
export interface Buyer {
  at: string;
  currency: string;
  /** Price list of the customer's company. */
  companyList: string | null;
  /** Price list of the customer's group. */
  groupList: string | null;
  /** The decisive one first. */
  groupIds: readonly string[];
  /** Lowers the general price when the group has no price list. */
  groupDiscountBp: number | null;
  /** Amount of the money in `currency`; 422 `currency_mismatch` when no rate is known. */
  convert(money: Money): number;
}

export type Level = 'company' | 'group' | 'general';
/** In minor units of the buyer's currency. `listPrice` is that of the level, before tiers and catalogue promotions. */
export interface UnitPrice {
  unitPrice: number;
  listPrice: number;
  level: Level;
  tier: { id: string; minQuantity: number } | null;
}

/**
 * The price of one unit before catalogue promotions. Levels, the first that has a price: company (price list) → group (price list or
 * tier) → general. Inside a level the tier with the highest minimum that the quantity reaches beats the list price. A price in the
 * buyer's currency is used as it is, else the one in the shop's currency is converted, once.
 */
export function unitPrice(source: PriceSource, buyer: Buyer, quantities: Quantities): UnitPrice {
  const company = buyer.companyList === null ? undefined : listPrice(source, buyer, buyer.companyList);
  if (company !== undefined) return { unitPrice: company, listPrice: company, level: 'company', tier: null };

  const general = generalPrice(source, buyer);
  const groupList = buyer.groupList === null ? undefined : listPrice(source, buyer, buyer.groupList);
  for (const group of buyer.groupIds) {
    const found = underTier(source, buyer, group, groupList ?? general, quantities);
    if (found) return { ...found, listPrice: groupList ?? general, level: 'group' };
  }
  if (groupList !== undefined) return { unitPrice: groupList, listPrice: groupList, level: 'group', tier: null };

  const found = underTier(source, buyer, null, general, quantities) ?? { unitPrice: general, tier: null };
  if (buyer.groupDiscountBp && buyer.groupList === null) {
    const off = (price: number): number => price - percentBp(price, buyer.groupDiscountBp ?? 0);
    return { unitPrice: off(found.unitPrice), listPrice: off(general), level: 'group', tier: found.tier };
  }
  return { ...found, listPrice: general, level: 'general' };
}

/** Quantity prices that this buyer sees, one a step, lowest first. */
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

/** What a unit of the step costs; of a graduated one that isn't the average over all units. */
function stepPrice(source: PriceSource, buyer: Buyer, price: UnitPrice): number {
  const tier = source.tiers.find(({ id }) => id === price.tier?.id);
  return tier?.mode === 'graduated' ? tierPrice(tier, tierContext(source, buyer, price.listPrice)) : price.unitPrice;
}

function underTier(
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

/** The general price of one unit without tiers. */
export function generalPrice(source: PriceSource, buyer: Pick<Buyer, 'at' | 'currency' | 'convert'>): number {
  const found = listPrice(source, buyer, null);
  if (found !== undefined) return found;
  return source.base.currency === buyer.currency ? source.base.amount : buyer.convert(source.base);
}

/** The price that a list has now: of several the one that began last, then the lower one. */
function listPrice(
  source: PriceSource,
  buyer: Pick<Buyer, 'at' | 'currency' | 'convert'>,
  code: string | null,
): number | undefined {
  const now = source.prices.filter((price) => price.priceListCode === code && inWindow(price, buyer.at));
  const own = latest(now.filter((price) => price.currency === buyer.currency));
  if (own) return own.amount;
  const base = latest(now.filter((price) => price.currency === source.base.currency));
  return base && buyer.convert(base);
}
function latest(prices: readonly VariantPrice[]): VariantPrice | undefined {
  return [...prices].sort((a, b) =>
    (a.startsAt ?? '') === (b.startsAt ?? '') ? a.amount - b.amount : (a.startsAt ?? '') < (b.startsAt ?? '') ? 1 : -1,
  )[0];
}
