import type { PricingLine } from '@storeloom/commerce';
import { adjustPrice, type PriceChange } from '@storeloom/plugin-sdk/money';
import { amountOf, combines, combiningSets, type Rule, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import { type Goods, matchesLine } from './matching.ts';

export interface CatalogPriceOptions {
  currency: string;
  mode: PromotionMode;
  percentStacking: 'sequential' | 'parallel';
}
export interface CatalogPrice {
  unitPrice: number;
  discounts: NonNullable<PricingLine['catalogDiscounts']>;
  /** Start of the earliest applied promotion. */
  since: string;
}

/**
 * Applies catalogue promotions to a unit price: percentages, amounts and fixed prices in rank order, never below the minimum price
 * (R6, R7, R17). An exclusive promotion applies alone to its variant; with `best_deal` the lowest price wins. The caller has
 * screened the rules for the buyer. Returns undefined without a reduction.
 */
export function catalogPrice(
  price: number,
  minPrice: number | undefined,
  goods: Goods,
  rules: readonly Rule[],
  options: CatalogPriceOptions,
): CatalogPrice | undefined {
  const matching = rules.filter((rule) => matchesLine(rule, goods)).sort(rank);
  if (matching.length === 0) return undefined;
  const priceWith = (set: readonly Rule[]): CatalogPrice => applyRules(price, minPrice, set, options);
  const exclusive = matching.filter((rule) => rule.exclusive);
  const others = matching.filter((rule) => !rule.exclusive);
  let best = priceWith(exclusive.length > 0 ? exclusive.slice(0, 1) : combinable(others));
  if (options.mode === 'best_deal') {
    for (const set of [...exclusive.map((rule) => [rule]), ...combiningSets(others).map(combinable)]) {
      const other = priceWith(set);
      if (other.unitPrice < best.unitPrice) best = other;
    }
  }
  return best.discounts.length > 0 ? best : undefined;
}

/** Rules in rank order that combine with all rules before them; `stopFurther` ends the list. */
function combinable(rules: readonly Rule[]): Rule[] {
  const taken: Rule[] = [];
  for (const rule of rules) {
    if (!taken.every((other) => combines(other, rule))) continue;
    taken.push(rule);
    if (rule.stopFurther) break;
  }
  return taken;
}

function applyRules(
  price: number,
  minPrice: number | undefined,
  rules: readonly Rule[],
  options: CatalogPriceOptions,
): CatalogPrice {
  const changes: PriceChange[] = [];
  const discounts: CatalogPrice['discounts'] = [];
  const floor = { percentStacking: options.percentStacking, ...(minPrice === undefined ? {} : { minPrice }) };
  let unitPrice = price;
  let since = '';
  for (const rule of rules) {
    const change = priceChange(rule, options.currency);
    const next = adjustPrice(price, [...changes, change], floor);
    // A fixed price above the current price isn't a reduction.
    if (next >= unitPrice) continue;
    changes.push(change);
    discounts.push({ promotionId: rule.id, name: rule.name, amount: unitPrice - next });
    unitPrice = next;
    if (since === '' || rule.since < since) since = rule.since;
  }
  return { unitPrice, discounts, since };
}

function priceChange(rule: Rule, currency: string): PriceChange {
  if (rule.type === 'percentage') return { percentBp: rule.value.percentBp! };
  const amount = amountOf(rule, currency)!;
  return rule.type === 'fixed_price' ? { price: amount } : { amount };
}
