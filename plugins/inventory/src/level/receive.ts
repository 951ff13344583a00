import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { insufficientStock } from '../placing/goods.ts';
import { isTracked, stockRules } from '../placing/rules.ts';
import { defaultWarehouse, ensureLevels, holdWarehouses } from '../warehouse/places.ts';
import { type Book, openBook, readLevels, type Why } from './book.ts';
import { freeAt, type Level } from './level.ts';
import { writeBook } from './write.ts';

export interface Move extends Why {
  variantId: string;
  warehouseId?: string;
  delta: number;
}

/** 409: what is reserved must stay there. */
function belowReserved(at: Level) {
  return problem('stock_below_reserved', {
    detail: "The stock can't be lower than the reserved quantity.",
    onHand: at.onHand,
    reserved: at.reserved - at.backordered,
  });
}

/** Changes a level by goods that come, go or were counted. Below what is reserved: 409 `stock_below_reserved`. */
export function moveIn(book: Book, at: Level, delta: number, why: Why): void {
  if (freeAt(at) + delta < 0) throw belowReserved(at);
  book.move(at, delta, why);
}

/** The levels of some variants at one warehouse, made where they are missing, locked. */
export async function openAt(
  ctx: Ctx,
  variantIds: readonly string[],
  warehouseId: string | undefined,
  pointer: string,
): Promise<{ book: Book; at: string }> {
  const at = warehouseId ?? (await defaultWarehouse(ctx));
  await holdWarehouses(ctx, [at], pointer);
  await ensureLevels(ctx, variantIds, at);
  return { book: await openBook(ctx, variantIds), at };
}

/**
 * Movements by other plugins, all or nothing. Variants that nobody counts are left out. More than is free: 409 `insufficient_stock` for
 * a sale, else `stock_below_reserved`.
 */
export async function move(ctx: Ctx, moves: readonly Move[]): Promise<void> {
  const wanted = moves.filter((each) => each.delta !== 0);
  if (wanted.length === 0) return;
  const home = wanted.some((each) => each.warehouseId === undefined) ? await defaultWarehouse(ctx) : null;
  const at = (each: Move): string => each.warehouseId ?? (home as string);
  await holdWarehouses(ctx, wanted.map(at), '/warehouseId');
  const ids = wanted.map((each) => each.variantId);
  const rules = await stockRules(ctx, ids);
  // Missing levels are made before any is locked: whoever makes the same ones waits for nothing else.
  const there = await readLevels(ctx, ids);
  const counted = new Set(there.map((each) => each.variantId));
  const known = wanted.filter(({ variantId }) => counted.has(variantId) || isTracked(rules.get(variantId), false));
  const missing = known.filter((each) => !there.some((row) => row.variantId === each.variantId && row.warehouseId === at(each)));
  for (const [warehouseId, own] of [...Map.groupBy(missing, at)].sort(([a], [b]) => (a < b ? -1 : 1)))
    await ensureLevels(
      ctx,
      own.map((each) => each.variantId),
      warehouseId,
    );
  const book = await openBook(
    ctx,
    known.map((each) => each.variantId),
  );
  for (const each of known) {
    const level = book.levelOf(each.variantId, at(each)) as Level;
    if (each.reason === 'sale' && freeAt(level) + each.delta < 0)
      throw insufficientStock(
        [{ variantId: each.variantId, orderLineId: each.variantId, quantity: -each.delta, each: 1 }],
        new Map([[each.variantId, freeAt(level)]]),
      );
    moveIn(book, level, each.delta, each);
  }
  await writeBook(ctx, book);
}

/** A count, or the first stock of a new variant, at the default warehouse. */
export async function setOnHand(ctx: Ctx, variantId: string, onHand: number, why: Why): Promise<void> {
  const { book, at } = await openAt(ctx, [variantId], undefined, '/warehouseId');
  const level = book.levelOf(variantId, at) as Level;
  moveIn(book, level, onHand - level.onHand, why);
  await writeBook(ctx, book);
}
