import type { PlaceInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { readLevels } from '../level/book.ts';
import { goodsOf, insufficientStock } from './goods.ts';
import { planFor, reserve } from './reserve.ts';
import { type StockRules, stockRules, unpacked } from './rules.ts';

/** What place.check has learnt of the catalogue, for place.commit of the same placing. */
const learnt = new WeakMap<PlaceInput, StockRules>();

/** place.check: a clear answer before anything is locked. */
export async function checkStock(ctx: Ctx, input: PlaceInput): Promise<void> {
  const goods = goodsOf(input.priced.lines);
  if (goods.length === 0) return;
  const rules = await stockRules(
    ctx,
    goods.map((each) => each.variantId),
  );
  learnt.set(input, rules);
  const levels = await readLevels(
    ctx,
    unpacked(goods, rules).map((each) => each.variantId),
  );
  const counted = new Set(levels.map((each) => each.variantId));
  // What may be ordered before there is any stock has no level yet to be planned with.
  const limited = unpacked(goods, rules).filter(
    ({ variantId }) => counted.has(variantId) || rules.get(variantId)?.allowBackorder !== true,
  );
  const plan = planFor(ctx, limited, rules, levels, countryOf(input));
  if (plan.short) throw insufficientStock(plan.goods, plan.short);
}

/** place.commit: reserves. Two statements, whatever the number of lines. Leaves where each line comes from in `results.inventory`. */
export async function reserveStock(ctx: Ctx, input: PlaceInput): Promise<void> {
  const allotments = await reserve(
    ctx,
    goodsOf(input.priced.lines),
    { orderId: input.orderId, expiresAt: input.expiresAt, country: countryOf(input) },
    learnt.get(input),
  );
  input.results.inventory = { allotments };
}

function countryOf({ context }: PlaceInput): string | null {
  return context.shippingAddress?.country ?? null;
}
