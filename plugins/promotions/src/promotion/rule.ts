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

/** A promotion prepared for evaluation. */
export interface Rule
  extends Omit<PromotionRow, 'createdAt' | 'updatedAt' | 'version' | 'metadata' | 'showToPublic' | 'enabledAt' | 'conditions'> {
  createdAt: string;
  /** Effective start: the start date, or when it was last enabled, whichever is later. */
  since: string;
  excluded: ReadonlySet<string>;
  goods: readonly GoodsCondition[];
  /** Conditions on the buyer, and minimums. */
  buyer: readonly Condition[];
  minimums: readonly Condition[];
}

const goodsConditions: readonly ConditionType[] = ['product', 'category', 'brand'];
const totalConditions: readonly ConditionType[] = ['min_subtotal', 'min_quantity'];

export function ruleOf(row: PromotionRow): Rule {
  const { updatedAt: _, version: __, metadata: ___, showToPublic: ____, enabledAt, conditions, ...rest } = row;
  const switchedOn = enabledAt ?? row.createdAt;
  return {
    ...rest,
    since: row.startsAt !== null && row.startsAt > switchedOn ? row.startsAt : switchedOn,
    excluded: new Set(row.excludedProductIds),
    goods: conditions
      .filter(({ type }) => goodsConditions.includes(type))
      .map((condition) => ({
        type: condition.type as GoodsCondition['type'],
        positive: isPositive(condition.op),
        ids: new Set(valuesOf(condition) as string[]),
      })),
    buyer: conditions.filter(({ type }) => !goodsConditions.includes(type) && !totalConditions.includes(type)),
    minimums: conditions.filter(({ type }) => totalConditions.includes(type)),
  };
}

/** R6: sort order by priority, then age, then id. */
export function rank(a: Rule, b: Rule): number {
  return b.priority - a.priority || compareText(a.createdAt, b.createdAt) || compareText(a.id, b.id);
}
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** R7: two promotions combine only if each lists the other's target. An exclusive one never combines. */
export function combines(a: Rule, b: Rule): boolean {
  return !a.exclusive && !b.exclusive && a.combineWith.includes(b.target) && b.combineWith.includes(a.target);
}

/** Maximum number of combining sets that are compared. */
const maxSets = 64;

/**
 * Maximal sets of rules that all combine with each other (Bron–Kerbosch with a pivot), sets of higher-ranked rules first. The rules
 * must be in rank order.
 */
export function combiningSets(rules: readonly Rule[]): Rule[][] {
  const sets: Rule[][] = [];
  const grow = (set: Rule[], candidates: readonly Rule[], excluded: readonly Rule[]): void => {
    const [pivot] = candidates;
    if (!pivot) {
      if (excluded.length === 0 && set.length > 0 && sets.length < maxSets) sets.push(set);
      return;
    }
    if (sets.length >= maxSets) return;
    const done: Rule[] = [];
    // Every maximal set contains the pivot or a rule that doesn't combine with it, so only these start a set.
    for (const rule of candidates.filter((each) => each === pivot || !combines(pivot, each))) {
      const combinesWithRule = (each: Rule): boolean => combines(rule, each);
      grow(
        [...set, rule],
        candidates.filter((each) => each !== rule && !done.includes(each) && combinesWithRule(each)),
        [...excluded, ...done].filter(combinesWithRule),
      );
      done.push(rule);
    }
  };
  grow([], rules, []);
  return sets.map((set) => set.sort(rank));
}

export interface RuleContext {
  at: string;
  /** The currency of the sale, and the shop's. */
  currency: string;
  home: string;
  buyer: Buyer;
}

/** The reason why a promotion isn't active at an instant; undefined if it is. */
export function inactiveReason(rule: Pick<Rule, 'enabled' | 'archived' | 'startsAt' | 'endsAt'>, at: string): Reason | undefined {
  if (!rule.enabled || rule.archived) return 'coupon_not_found';
  if (rule.startsAt !== null && rule.startsAt > at) return 'coupon_not_started';
  return rule.endsAt !== null && rule.endsAt <= at ? 'coupon_expired' : undefined;
}

/** Checks status, dates, currency and the conditions on the buyer. Limits and goods are checked separately. */
export function screen(rule: Rule, situation: RuleContext): Reason | undefined {
  const { at, buyer } = situation;
  const inactive = inactiveReason(rule, at);
  if (inactive) return inactive;
  if (!hasCurrency(rule, situation)) return 'coupon_not_eligible';
  return rule.buyer.every((condition) => holdsForBuyer(condition, buyer)) ? undefined : 'coupon_not_eligible';
}

/** Properties of the purchase that are unknown until checkout. */
export type PendingProperty = 'payment_method' | 'country';

/** The properties that must be known before a promotion can apply, if all else about the buyer holds; empty if it is refused anyway. */
export function pendingProperties(rule: Rule, situation: RuleContext): PendingProperty[] {
  const { buyer } = situation;
  if (inactiveReason(rule, situation.at) || !hasCurrency(rule, situation)) return [];
  const failed = rule.buyer.filter((condition) => !holdsForBuyer(condition, buyer)).map(({ type }) => type);
  const isPending = (type: ConditionType): type is PendingProperty =>
    (type === 'payment_method' && buyer.paymentMethod === undefined) || (type === 'country' && buyer.country === undefined);
  return failed.every(isPending) ? [...new Set(failed.filter(isPending))] : [];
}

/** A promotion with amounts applies only in currencies that it has an amount for. */
function hasCurrency(rule: Rule, { currency, home }: Pick<RuleContext, 'currency' | 'home'>): boolean {
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
/**
 * The tiers of a currency. With the basis amount, `min` is in the currency of the tier's own amount, or without one in the shop's.
 */
export function tiersIn({ value, basis }: Pick<Rule, 'value' | 'basis'>, currency: string, home: string): Tier[] {
  const defaultCurrency = basis === 'amount' ? home : currency;
  return (value.tiers ?? []).filter(({ amount }) => (amount?.currency ?? defaultCurrency) === currency);
}
