import type { PromotionReason } from '@storeloom/commerce';
import { type Buyer, holdsForBuyer, isPositive, valuesOf } from './conditions.ts';
import type { Condition, ConditionType, PromotionRow } from './promotion.ts';

export type Reason = PromotionReason;

/** A condition on goods. */
export interface GoodsCondition {
  type: 'product' | 'category' | 'brand';
  positive: boolean;
  ids: ReadonlySet<string>;
}

/** A promotion, ready to be evaluated. */
export interface Rule
  extends Omit<PromotionRow, 'createdAt' | 'updatedAt' | 'version' | 'metadata' | 'showToPublic' | 'enabledAt' | 'conditions'> {
  createdAt: string;
  /** When it began, as far as it has: its date, or when it was last switched on. */
  since: string;
  excluded: ReadonlySet<string>;
  goods: readonly GoodsCondition[];
  /** Conditions on the buyer, and minimums. */
  buyer: readonly Condition[];
  minimums: readonly Condition[];
}

const onGoods: readonly ConditionType[] = ['product', 'category', 'brand'];
const onTotals: readonly ConditionType[] = ['min_subtotal', 'min_quantity'];

export function ruleOf(row: PromotionRow): Rule {
  const { updatedAt: _, version: __, metadata: ___, showToPublic: ____, enabledAt, conditions, ...rest } = row;
  const switchedOn = enabledAt ?? row.createdAt;
  return {
    ...rest,
    since: row.startsAt !== null && row.startsAt > switchedOn ? row.startsAt : switchedOn,
    excluded: new Set(row.excludedProductIds),
    goods: conditions
      .filter(({ type }) => onGoods.includes(type))
      .map((condition) => ({
        type: condition.type as GoodsCondition['type'],
        positive: isPositive(condition.op),
        ids: new Set(valuesOf(condition) as string[]),
      })),
    buyer: conditions.filter(({ type }) => !onGoods.includes(type) && !onTotals.includes(type)),
    minimums: conditions.filter(({ type }) => onTotals.includes(type)),
  };
}

/** R6: which of two comes first. */
export function rank(a: Rule, b: Rule): number {
  return b.priority - a.priority || order(a.createdAt, b.createdAt) || order(a.id, b.id);
}
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** R7: two promotions combine only if each lists the other's target. An exclusive one combines with nothing. */
export function combines(a: Rule, b: Rule): boolean {
  return !a.exclusive && !b.exclusive && a.combineWith.includes(b.target) && b.combineWith.includes(a.target);
}

/** Sets that exclude each other are compared by what they save; more of them than this are not looked at. */
const maxSets = 64;

/** Maximal sets of rules that all combine with each other, those of stronger rules first. The rules come in their order. */
export function combining(rules: readonly Rule[]): Rule[][] {
  const sets: Rule[][] = [];
  const grow = (set: Rule[], candidates: readonly Rule[], excluded: readonly Rule[]): void => {
    const [pivot] = candidates;
    if (!pivot) {
      if (excluded.length === 0 && set.length > 0 && sets.length < maxSets) sets.push(set);
      return;
    }
    if (sets.length >= maxSets) return;
    const done: Rule[] = [];
    // Every maximal set holds the pivot or something that doesn't combine with it: only these are starts.
    for (const rule of candidates.filter((each) => each === pivot || !combines(pivot, each))) {
      const gets = (each: Rule): boolean => combines(rule, each);
      grow(
        [...set, rule],
        candidates.filter((each) => each !== rule && !done.includes(each) && gets(each)),
        [...excluded, ...done].filter(gets),
      );
      done.push(rule);
    }
  };
  grow([], rules, []);
  return sets.map((set) => set.sort(rank));
}

export interface Situation {
  at: string;
  /** What is paid in, and the shop's own. */
  currency: string;
  home: string;
  buyer: Buyer;
}

/** Switched off, over, or not begun. */
export function closedAt(rule: Pick<Rule, 'enabled' | 'archived' | 'startsAt' | 'endsAt'>, at: string): Reason | undefined {
  if (!rule.enabled || rule.archived) return 'coupon_not_found';
  if (rule.startsAt !== null && rule.startsAt > at) return 'coupon_not_started';
  return rule.endsAt !== null && rule.endsAt <= at ? 'coupon_expired' : undefined;
}

/** Dates, switches, currencies and the conditions that only look at the buyer. Limits and goods are asked elsewhere. */
export function screen(rule: Rule, situation: Situation): Reason | undefined {
  const { at, buyer } = situation;
  const closed = closedAt(rule, at);
  if (closed) return closed;
  if (!servesCurrency(rule, situation)) return 'coupon_not_eligible';
  return rule.buyer.every((condition) => holdsForBuyer(condition, buyer)) ? undefined : 'coupon_not_eligible';
}

/** Amounts are given in each currency that a promotion serves; in another one it does not exist. */
function servesCurrency(rule: Rule, { currency, home }: Pick<Situation, 'currency' | 'home'>): boolean {
  const { type, maxDiscount, budget } = rule;
  if (maxDiscount !== null && maxDiscount.currency !== currency) return false;
  if (budget !== null && budget.currency !== currency) return false;
  if (type === 'fixed_amount' || type === 'fixed_price') return amountOf(rule, currency) !== undefined;
  return type !== 'tiered' || tiersIn(rule, currency, home).length > 0;
}

export function amountOf({ value }: Pick<Rule, 'value'>, currency: string): number | undefined {
  return value.amounts?.find((one) => one.currency === currency)?.amount;
}

export type Tier = NonNullable<Rule['value']['tiers']>[number];
/** The tiers that count in a currency. Where they count amounts, `min` is in the currency of the tier's own amount, else in the shop's. */
export function tiersIn({ value, basis }: Pick<Rule, 'value' | 'basis'>, currency: string, home: string): Tier[] {
  const unless = basis === 'amount' ? home : currency;
  return (value.tiers ?? []).filter(({ amount }) => (amount?.currency ?? unless) === currency);
}
