import type { PricingLine } from '@storeloom/commerce';
import { adjustPrice, type PriceChange } from '@storeloom/plugin-sdk/money';
import { amountOf, combines, combining, type Rule, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import { type Goods, matchesLine } from './matching.ts';

export interface ShelfOptions {
  currency: string;
  mode: PromotionMode;
  percentStacking: 'sequential' | 'parallel';
}
export interface ShelfPrice {
  unitPrice: number;
  discounts: NonNullable<PricingLine['catalogDiscounts']>;
  /** When the first of them began. */
  since: string;
}

/**
 * The catalogue stage on one unit price: percentages, amounts off and fixed prices by priority, never below the minimum price (R6, R7, R17).
 * An exclusive promotion wins alone for this variant; with `best_deal` the lowest price does. Rules have been screened for the buyer.
 */
export function shelfPrice(
  price: number,
  minPrice: number | undefined,
  goods: Goods,
  rules: readonly Rule[],
  options: ShelfOptions,
): ShelfPrice | undefined {
  const found = rules.filter((rule) => matchesLine(rule, goods)).sort(rank);
  if (found.length === 0) return undefined;
  const cost = (set: readonly Rule[]): ShelfPrice => step(price, minPrice, set, options);
  const exclusive = found.filter((rule) => rule.exclusive);
  const others = found.filter((rule) => !rule.exclusive);
  let best = cost(exclusive.length > 0 ? exclusive.slice(0, 1) : together(others));
  if (options.mode === 'best_deal') {
    for (const set of [...exclusive.map((rule) => [rule]), ...combining(others).map(together)]) {
      const other = cost(set);
      if (other.unitPrice < best.unitPrice) best = other;
    }
  }
  return best.discounts.length > 0 ? best : undefined;
}

/** By priority, each with all before it; `stopFurther` ends it. */
function together(rules: readonly Rule[]): Rule[] {
  const taken: Rule[] = [];
  for (const rule of rules) {
    if (!taken.every((other) => combines(other, rule))) continue;
    taken.push(rule);
    if (rule.stopFurther) break;
  }
  return taken;
}

function step(price: number, minPrice: number | undefined, rules: readonly Rule[], options: ShelfOptions): ShelfPrice {
  const changes: PriceChange[] = [];
  const discounts: ShelfPrice['discounts'] = [];
  const floor = { percentStacking: options.percentStacking, ...(minPrice === undefined ? {} : { minPrice }) };
  let unitPrice = price;
  let since = '';
  for (const rule of rules) {
    const change = changeOf(rule, options.currency);
    const next = adjustPrice(price, [...changes, change], floor);
    // A fixed price above what it costs now isn't an offer.
    if (next >= unitPrice) continue;
    changes.push(change);
    discounts.push({ promotionId: rule.id, name: rule.name, amount: unitPrice - next });
    unitPrice = next;
    if (since === '' || rule.since < since) since = rule.since;
  }
  return { unitPrice, discounts, since };
}

function changeOf(rule: Rule, currency: string): PriceChange {
  if (rule.type === 'percentage') return { percentBp: rule.value.percentBp! };
  const amount = amountOf(rule, currency)!;
  return rule.type === 'fixed_price' ? { price: amount } : { amount };
}
