import type { DiscountedLine } from '@storeloom/commerce';
import type { MoneyValue } from '@storeloom/plugin-sdk';
import { amountIn, compare } from '../promotion/conditions.ts';
import type { GoodsCondition, Reason, Rule } from '../promotion/rule.ts';

/** What promotions look at in a line. */
export interface Goods {
  id: string;
  productId: string | undefined;
  categoryIds: readonly string[];
  brandId: string | null;
  /** Its price is reduced: by the catalogue, or by a catalogue promotion. */
  onSale: boolean;
  quantity: number;
  /** No discount may touch it. */
  locked: boolean;
  /** A promotion gave it: it counts for nothing. */
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

function hits({ type, ids }: GoodsCondition, line: Goods): boolean {
  if (type === 'product') return line.productId !== undefined && ids.has(line.productId);
  if (type === 'brand') return line.brandId !== null && ids.has(line.brandId);
  return line.categoryIds.some((id) => ids.has(id));
}

function isOpen({ excluded, excludeSaleItems }: Rule, line: Goods): boolean {
  return !line.gift && !(line.productId !== undefined && excluded.has(line.productId)) && !(excludeSaleItems && line.onSale);
}

/** Whether a promotion on items speaks of this line: every condition on goods holds for it. */
export function matchesLine(rule: Rule, line: Goods): boolean {
  return isOpen(rule, line) && rule.goods.every((condition) => hits(condition, line) === condition.positive);
}

export interface Match {
  /** The lines whose units and amounts count for minimums and tiers. */
  counted: readonly Goods[];
  /** The lines that a discount falls on. */
  targets: readonly Goods[];
}

/**
 * What a promotion finds in a cart; undefined when its conditions on goods don't hold. For items each line is judged by itself. For order
 * and shipping the cart must have a line that all positive conditions hold for, and none that a negative one names.
 */
export function match(rule: Rule, lines: readonly Goods[]): Match | undefined {
  if (rule.target === 'items') {
    const counted = lines.filter((line) => matchesLine(rule, line));
    return counted.length > 0 ? { counted, targets: counted.filter((line) => !line.locked) } : undefined;
  }
  const goods = lines.filter((line) => !line.gift);
  if (rule.goods.some((condition) => !condition.positive && goods.some((line) => hits(condition, line)))) return undefined;
  const open = lines.filter((line) => isOpen(rule, line));
  const positive = rule.goods.filter((condition) => condition.positive);
  const counted = open.filter((line) => positive.every((condition) => hits(condition, line)));
  return counted.length > 0 ? { counted, targets: open.filter((line) => !line.locked) } : undefined;
}

export interface Shortfall {
  reason: Reason;
  extra: { missing?: MoneyValue; missingQuantity?: number };
}

/** Minimums against the running amounts; undefined: all are met. */
export function shortfall(rule: Rule, counted: { amount: number; quantity: number }, currency: string): Shortfall | undefined {
  for (const { type, op, value } of rule.minimums) {
    const actual = type === 'min_subtotal' ? counted.amount : counted.quantity;
    const bound = type === 'min_subtotal' ? amountIn(value, currency) : (value as number);
    if (bound === undefined) return { reason: 'coupon_not_eligible', extra: {} };
    if (compare(actual, op, bound)) continue;
    if (op !== 'gte') return { reason: 'coupon_not_eligible', extra: {} };
    const missing = bound - actual;
    return {
      reason: 'coupon_min_not_met',
      extra: type === 'min_subtotal' ? { missing: { amount: missing, currency } } : { missingQuantity: missing },
    };
  }
  return undefined;
}
