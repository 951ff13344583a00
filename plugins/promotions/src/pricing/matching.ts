import type { DiscountedLine } from '@storeloom/commerce';
import type { MoneyValue } from '@storeloom/plugin-sdk';
import { amountIn, compare } from '../promotion/conditions.ts';
import type { GoodsCondition, Reason, Rule } from '../promotion/rule.ts';

/** The properties of a line that promotions use. */
export interface Goods {
  id: string;
  productId: string | undefined;
  categoryIds: readonly string[];
  brandId: string | null;
  /** The catalogue or a catalogue promotion has reduced its price. */
  onSale: boolean;
  quantity: number;
  /** Excluded from discounts. */
  locked: boolean;
  /** Added by a promotion; doesn't count for conditions. */
  gift: boolean;
}

interface CatalogFacts {
  categoryIds?: readonly string[];
  brandId?: string | null;
  onSale?: boolean;
}

export function goodsOf(
  line: Pick<DiscountedLine, 'id' | 'productId' | 'quantity' | 'locked' | 'catalogDiscounts' | 'facts'>,
): Goods {
  const facts = (line.facts.catalog ?? {}) as CatalogFacts;
  return {
    id: line.id,
    productId: line.productId,
    categoryIds: facts.categoryIds ?? [],
    brandId: facts.brandId ?? null,
    onSale: facts.onSale === true || (line.catalogDiscounts ?? []).length > 0,
    quantity: line.quantity,
    locked: line.locked === true,
    gift: line.facts.gift !== undefined,
  };
}

function matchesCondition({ type, ids }: GoodsCondition, line: Goods): boolean {
  if (type === 'product') return line.productId !== undefined && ids.has(line.productId);
  if (type === 'brand') return line.brandId !== null && ids.has(line.brandId);
  return line.categoryIds.some((id) => ids.has(id));
}

function isEligible({ excluded, excludeSaleItems }: Rule, line: Goods): boolean {
  return !line.gift && !(line.productId !== undefined && excluded.has(line.productId)) && !(excludeSaleItems && line.onSale);
}

/** Whether an items promotion applies to this line: all of its conditions on goods hold. */
export function matchesLine(rule: Rule, line: Goods): boolean {
  return isEligible(rule, line) && rule.goods.every((condition) => matchesCondition(condition, line) === condition.positive);
}

export interface Match {
  /** The lines whose units and amounts count for minimums and tiers. */
  counted: readonly Goods[];
  /** The lines that the discount applies to. */
  targets: readonly Goods[];
}

/**
 * Matches a promotion with a cart; undefined if its conditions on goods don't hold. For items each line is matched separately. For
 * order and shipping one line must satisfy all positive conditions, and no line a negative one.
 */
export function match(rule: Rule, lines: readonly Goods[]): Match | undefined {
  if (rule.target === 'items') {
    const counted = lines.filter((line) => matchesLine(rule, line));
    return counted.length > 0 ? { counted, targets: counted.filter((line) => !line.locked) } : undefined;
  }
  const goods = lines.filter((line) => !line.gift);
  if (rule.goods.some((condition) => !condition.positive && goods.some((line) => matchesCondition(condition, line))))
    return undefined;
  const eligible = lines.filter((line) => isEligible(rule, line));
  const positive = rule.goods.filter((condition) => condition.positive);
  const counted = eligible.filter((line) => positive.every((condition) => matchesCondition(condition, line)));
  return counted.length > 0 ? { counted, targets: eligible.filter((line) => !line.locked) } : undefined;
}

export interface Shortfall {
  reason: Reason;
  extra: { missing?: MoneyValue; missingQuantity?: number };
}

/** Checks the minimums against the running amounts; undefined: all are met. */
export function shortfall(rule: Rule, counted: { amount: number; quantity: number }, currency: string): Shortfall | undefined {
  for (const { type, op, value } of rule.minimums) {
    const actual = type === 'min_subtotal' ? counted.amount : counted.quantity;
    const minimum = type === 'min_subtotal' ? amountIn(value, currency) : (value as number);
    if (minimum === undefined) return { reason: 'coupon_not_eligible', extra: {} };
    if (compare(actual, op, minimum)) continue;
    if (op !== 'gte') return { reason: 'coupon_not_eligible', extra: {} };
    const missing = minimum - actual;
    return {
      reason: 'coupon_min_not_met',
      extra: type === 'min_subtotal' ? { missing: { amount: missing, currency } } : { missingQuantity: missing },
    };
  }
  return undefined;
}
