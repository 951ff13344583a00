import { type DiscountInput, type DiscountSink, promotionSource } from '@storeloom/commerce';
import { tierFor } from '@storeloom/plugin-sdk/money';
import type { PromotionRow } from '../promotion/promotion.ts';
import { amountOf, type Reason, type Rule, tiersIn } from '../promotion/rule.ts';
import { discountedUnits, type LineUnits, takeUnits, type UnitRun } from './buy-get.ts';
import { type Goods, goodsOf, type Match, match, shortfall } from './matching.ts';

/** A promotion that may apply: its dates, buyer conditions and limits have been checked. */
export interface Offer {
  rule: Rule;
  /** The code as entered, null for an automatic promotion. */
  code: string | null;
  /** The remaining budget in minor units; null: no budget. */
  room: number | null;
}
export interface Gift {
  variantIds: readonly string[];
  productIds: readonly string[];
  quantity: number;
  /** Units that pay for the gift. */
  bought: LineUnits[];
}
export type Evaluation = { discount: DiscountInput } | { gift: Gift } | { reason: Reason; extra: Record<string, unknown> };

export interface Currencies {
  currency: string;
  /** The shop's currency. */
  home: string;
}

const notEligible: Evaluation = { reason: 'coupon_not_eligible', extra: {} };
type RunningCart = Pick<DiscountSink, 'lines' | 'itemsTotal' | 'units'>;

/** Evaluates a promotion against the running, already discounted totals of the cart (R6). */
export function evaluate({ rule, code, room }: Offer, cart: RunningCart, money: Currencies): Evaluation {
  const goods = cart.lines().map(goodsOf);
  const matched = match(rule, goods);
  if (!matched) return notEligible;
  const counted = { amount: cart.itemsTotal(idsOf(matched.counted)), quantity: quantityOf(matched.counted) };
  const short = shortfall(rule, counted, money.currency);
  if (short) return short;
  if (rule.type === 'gift_item') return evaluateGift(rule, matched, cart);
  const value = discountValue(rule, matched, counted, cart, money);
  if (!value) return notEligible;
  const limits = [rule.maxDiscount?.amount, room].filter((one) => one !== undefined && one !== null);
  return {
    discount: {
      source: { type: promotionSource, id: rule.id },
      ...(code === null ? {} : { code }),
      name: rule.name,
      target: rule.target === 'items' ? 'line' : rule.target,
      ...(rule.target === 'shipping' ? {} : { lineIds: idsOf(matched.targets) }),
      ...value,
      ...(limits.length === 0 ? {} : { maxAmount: Math.min(...limits) }),
    },
  };
}

type Value = Pick<DiscountInput, 'amount' | 'percentBp' | 'each' | 'across' | 'bought'>;

function discountValue(
  rule: Rule,
  matched: Match,
  counted: { amount: number; quantity: number },
  cart: RunningCart,
  { currency, home }: Currencies,
): Value | undefined {
  if (rule.target === 'items' && matched.targets.length === 0) return undefined;
  switch (rule.type) {
    case 'percentage':
      return percent(rule, rule.value.percentBp!);
    case 'fixed_amount':
      return amount(rule, amountOf(rule, currency)!);
    case 'fixed_price':
      return { each: { value: { price: amountOf(rule, currency)! }, ...maxUnits(rule) } };
    case 'free_shipping':
      return { percentBp: 10_000 };
    case 'buy_x_get_y':
      return buyGet(rule, matched, cart);
    case 'tiered': {
      const tier = tierFor(tiersIn(rule, currency, home), rule.basis === 'quantity' ? counted.quantity : counted.amount);
      if (!tier) return undefined;
      return tier.percentBp === null ? amount(rule, tier.amount!.amount) : percent(rule, tier.percentBp);
    }
    case 'gift_item':
      return undefined;
  }
}

function percent(rule: Rule, percentBp: number): Value {
  if (rule.target !== 'items') return { percentBp };
  if (rule.allocation === 'across') return { percentBp, across: true };
  return rule.maxUnits === null ? { percentBp } : { each: { value: { percentBp }, ...maxUnits(rule) } };
}

function amount(rule: Rule, off: number): Value {
  return rule.target === 'items' && rule.allocation === 'each'
    ? { each: { value: { amount: off }, ...maxUnits(rule) } }
    : { amount: off };
}

/** The sheet discounts the most expensive units first. */
function maxUnits(rule: Rule): { maxUnits?: number } {
  return rule.maxUnits === null ? {} : { maxUnits: rule.maxUnits };
}

type UnitFilter = Pick<NonNullable<PromotionRow['buy']>, 'productIds' | 'categoryIds'>;

/** The lines of the given products or categories; without either all lines. */
function linesIn(lines: readonly Goods[], { productIds, categoryIds }: UnitFilter): Set<string> {
  const all = productIds.length === 0 && categoryIds.length === 0;
  const matches = ({ productId, categoryIds: lineCategories }: Goods): boolean =>
    all || (productId !== undefined && productIds.includes(productId)) || lineCategories.some((id) => categoryIds.includes(id));
  return new Set(idsOf(lines.filter(matches)));
}

function buyGet(rule: Rule, { counted, targets }: Match, cart: RunningCart): Value | undefined {
  const { buy, get } = rule;
  if (!buy || !get) return undefined;
  const bounds = [rule.maxApplicationsPerOrder, rule.maxUnits === null ? null : Math.floor(rule.maxUnits / get.quantity)];
  const { units, bought } = discountedUnits(unitsOf(counted, cart), {
    buy: linesIn(counted, buy),
    get: linesIn(targets, get),
    buyQuantity: buy.quantity,
    getQuantity: get.quantity,
    maxSets: Math.min(...bounds.filter((one) => one !== null), Number.MAX_SAFE_INTEGER),
  });
  if (units.length === 0) return undefined;
  return { each: { value: { percentBp: get.percentBp }, units, first: 'least_expensive' }, bought };
}

/** The units that can form a set, least expensive first; equal ones by product, so that the order of lines doesn't matter. */
function unitsOf(lines: readonly Goods[], cart: RunningCart): UnitRun[] {
  const productOf = new Map(lines.map(({ id, productId }) => [id, productId ?? '']));
  const compareProducts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return cart
    .units('least_expensive', idsOf(lines))
    .sort((a, b) => a.amount - b.amount || compareProducts(productOf.get(a.lineId)!, productOf.get(b.lineId)!));
}

/** One gift, or one for each complete set of `buy`. */
function evaluateGift(rule: Rule, { counted }: Match, cart: RunningCart): Evaluation {
  const { buy, get } = rule;
  if (!get) return notEligible;
  if (!buy) return { gift: { variantIds: get.variantIds, productIds: get.productIds, quantity: get.quantity, bought: [] } };
  const buyLines = linesIn(counted, buy);
  const payers = unitsOf(
    counted.filter(({ id }) => buyLines.has(id)),
    cart,
  ).reverse();
  const available = payers.reduce((sum, run) => sum + run.count, 0);
  const times = Math.min(Math.floor(available / buy.quantity), rule.maxApplicationsPerOrder ?? Number.MAX_SAFE_INTEGER);
  if (times === 0) return notEligible;
  const bought = takeUnits(payers, times * buy.quantity);
  return { gift: { variantIds: get.variantIds, productIds: get.productIds, quantity: get.quantity * times, bought } };
}

function idsOf(lines: readonly Goods[]): string[] {
  return lines.map(({ id }) => id);
}
function quantityOf(lines: readonly Goods[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}
