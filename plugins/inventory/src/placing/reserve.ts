import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, openBook, readLevels } from '../level/book.ts';
import type { Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import { settings } from '../settings.ts';
import { ensureLevels } from '../warehouse/places.ts';
import { insufficientStock } from './goods.ts';
import { type Goods, planReservation } from './plan.ts';
import { isTracked, type StockRules, stockRules, unpacked } from './rules.ts';

export interface ReserveOptions {
  orderId: string;
  expiresAt: string | null;
  country: string | null;
}
/** Units of an order line at a warehouse, `backordered` of them to come. */
export interface Allotment {
  orderLineId: string;
  variantId: string;
  warehouseId: string;
  quantity: number;
  backordered: number;
}

/** Goods whose stock limits their sale. */
export function trackedGoods(goods: readonly Goods[], rules: StockRules, levels: readonly Level[]): Goods[] {
  const counted = new Set(levels.map((each) => each.variantId));
  return unpacked(goods, rules).filter(({ variantId }) => isTracked(rules.get(variantId), counted.has(variantId)));
}

/** Where the goods would come from, or what is short. Reads only. */
export function planFor(
  ctx: Ctx,
  goods: readonly Goods[],
  rules: StockRules,
  levels: readonly Level[],
  country: string | null,
): ReturnType<typeof planReservation> & { goods: Goods[] } {
  const tracked = trackedGoods(goods, rules, levels);
  const plan = planReservation(levels, tracked, rules, { split: ctx.settings(settings).allowSplitShipment, country });
  return { ...plan, goods: tracked };
}

/** Takes the goods from the levels of the book, in memory. What is short is given back, and nothing is taken. */
export function reserveIn(
  ctx: Ctx,
  book: Book,
  goods: readonly Goods[],
  rules: StockRules,
  { orderId, expiresAt, country }: ReserveOptions,
): { goods: Goods[]; short: Map<string, number> | null; allotments: Allotment[] } {
  const plan = planFor(ctx, goods, rules, book.levels, country);
  if (plan.short) return { goods: plan.goods, short: plan.short, allotments: [] };
  const allotments = plan.takes.map(({ level, orderLineId, quantity, backordered }) => {
    book.reserve(level, { quantity, backordered }, { orderId, orderLineId, country, expiresAt });
    book.taken.set(level.id, (book.taken.get(level.id) ?? 0) + quantity - backordered);
    return { orderLineId, variantId: level.variantId, warehouseId: level.warehouseId, quantity, backordered };
  });
  return { goods: plan.goods, short: null, allotments };
}

/** Variants that may be ordered before there is any stock need a level to be owed at. Made before any level is locked. */
export async function makeOwed(ctx: Ctx, rules: StockRules): Promise<void> {
  const owed = [...rules.values()].filter((rule) => rule.allowBackorder && isTracked(rule, false)).map((rule) => rule.variantId);
  if (owed.length === 0) return;
  const counted = new Set((await readLevels(ctx, owed)).map((each) => each.variantId));
  const missing = owed.filter((id) => !counted.has(id));
  if (missing.length > 0) await ensureLevels(ctx, missing);
}

/** All or nothing: 409 `insufficient_stock {available, lines}`. */
export async function reserve(
  ctx: Ctx,
  goods: readonly Goods[],
  options: ReserveOptions,
  known?: StockRules,
): Promise<Allotment[]> {
  if (goods.length === 0) return [];
  const rules =
    known ??
    (await stockRules(
      ctx,
      goods.map((each) => each.variantId),
    ));
  const ids = unpacked(goods, rules).map((each) => each.variantId);
  await makeOwed(ctx, rules);
  const book = await openBook(ctx, ids);
  const { goods: tracked, short, allotments } = reserveIn(ctx, book, goods, rules, options);
  if (short) throw insufficientStock(tracked, short);
  await writeBook(ctx, book);
  return allotments;
}
