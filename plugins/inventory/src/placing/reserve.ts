import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, openBook, readLevels } from '../level/book.ts';
import type { Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import { settings } from '../settings.ts';
import { ensureLevels } from '../warehouse/default-warehouse.ts';
import { insufficientStock } from './goods.ts';
import { type Goods, planReservation } from './plan.ts';
import { isTracked, type StockRules, splitBundles, stockRules } from './rules.ts';

export interface ReserveOptions {
  orderId: string;
  expiresAt: string | null;
  country: string | null;
}
/** Units of an order line at a warehouse; `backordered` of them are not in stock. */
export interface Allotment {
  orderLineId: string;
  variantId: string;
  warehouseId: string;
  quantity: number;
  backordered: number;
}

/** Goods with tracked stock, bundles split into components. */
export function trackedGoods(goods: readonly Goods[], rules: StockRules, levels: readonly Level[]): Goods[] {
  const counted = new Set(levels.map((each) => each.variantId));
  return splitBundles(goods, rules).filter(({ variantId }) => isTracked(rules.get(variantId), counted.has(variantId)));
}

/** Plans the reservation of the goods. Reads settings only. */
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

/** Reserves the goods in memory, all or nothing. Returns the short variants if the stock is insufficient. */
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

/** Creates levels for variants that allow backorders and have none. Must run before any level is locked. */
export async function ensureBackorderLevels(ctx: Ctx, rules: StockRules): Promise<void> {
  const backorderable = [...rules.values()]
    .filter((rule) => rule.allowBackorder && isTracked(rule, false))
    .map((rule) => rule.variantId);
  if (backorderable.length === 0) return;
  const counted = new Set((await readLevels(ctx, backorderable)).map((each) => each.variantId));
  const missing = backorderable.filter((id) => !counted.has(id));
  if (missing.length > 0) await ensureLevels(ctx, missing);
}

/** Reserves goods for an order, all or nothing. Insufficient: 409 `insufficient_stock {available, lines}`. */
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
  const ids = splitBundles(goods, rules).map((each) => each.variantId);
  await ensureBackorderLevels(ctx, rules);
  const book = await openBook(ctx, ids);
  const { goods: tracked, short, allotments } = reserveIn(ctx, book, goods, rules, options);
  if (short) throw insufficientStock(tracked, short);
  await writeBook(ctx, book);
  return allotments;
}
