import type { PlaceInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { readLevels } from '../level/book.ts';
import { goodsOf, insufficientStock } from './goods.ts';
import { planFor, reserve } from './reserve.ts';
import { type StockRules, splitBundles, stockRules } from './rules.ts';

/** Stock rules read by place.check, reused by place.commit of the same order. */
const checkedRules = new WeakMap<PlaceInput, StockRules>();

/** place.check: refuses an order with insufficient stock before any row is locked. */
export async function checkStock(ctx: Ctx, input: PlaceInput): Promise<void> {
  const goods = goodsOf(input.priced.lines);
  if (goods.length === 0) return;
  const rules = await stockRules(
    ctx,
    goods.map((each) => each.variantId),
  );
  checkedRules.set(input, rules);
  const levels = await readLevels(
    ctx,
    splitBundles(goods, rules).map((each) => each.variantId),
  );
  const counted = new Set(levels.map((each) => each.variantId));
  // A variant that allows backorders may have no level yet, which the plan would need.
  const limited = splitBundles(goods, rules).filter(
    ({ variantId }) => counted.has(variantId) || rules.get(variantId)?.allowBackorder !== true,
  );
  const plan = planFor(ctx, limited, rules, levels, countryOf(input));
  if (plan.short) throw insufficientStock(plan.goods, plan.short);
}

/** place.commit: reserves the goods in two statements for any number of lines. Writes the allotments to `results.inventory`. */
export async function reserveStock(ctx: Ctx, input: PlaceInput): Promise<void> {
  const allotments = await reserve(
    ctx,
    goodsOf(input.priced.lines),
    { orderId: input.orderId, expiresAt: input.expiresAt, country: countryOf(input) },
    checkedRules.get(input),
  );
  input.results.inventory = { allotments };
}

function countryOf({ context }: PlaceInput): string | null {
  return context.shippingAddress?.country ?? null;
}
