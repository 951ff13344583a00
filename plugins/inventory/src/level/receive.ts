import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { insufficientStock } from '../placing/goods.ts';
import { isTracked, stockRules } from '../placing/rules.ts';
import { defaultWarehouse, ensureLevels, lockWarehousesForUse } from '../warehouse/default-warehouse.ts';
import { type Book, type MovementCause, openBook, readLevels } from './book.ts';
import { freeAt, type Level } from './level.ts';
import { writeBook } from './write.ts';

export interface StockMove extends MovementCause {
  variantId: string;
  warehouseId?: string;
  delta: number;
}

function stockBelowReserved(at: Level) {
  return problem('stock_below_reserved', {
    detail: "The stock can't be lower than the reserved quantity.",
    onHand: at.onHand,
    reserved: at.reserved - at.backordered,
  });
}

/** Changes onHand of a level. Below the reserved quantity: 409 `stock_below_reserved`. */
export function moveIn(book: Book, at: Level, delta: number, cause: MovementCause): void {
  if (freeAt(at) + delta < 0) throw stockBelowReserved(at);
  book.move(at, delta, cause);
}

/** Locks the levels of the variants, after creating missing ones at the warehouse. */
export async function openAt(
  ctx: Ctx,
  variantIds: readonly string[],
  warehouseId: string | undefined,
  pointer: string,
): Promise<{ book: Book; at: string }> {
  const at = warehouseId ?? (await defaultWarehouse(ctx));
  await lockWarehousesForUse(ctx, [at], pointer);
  await ensureLevels(ctx, variantIds, at);
  return { book: await openBook(ctx, variantIds), at };
}

/**
 * Applies movements of other plugins, all or nothing. Untracked variants are skipped. More than the unreserved stock: 409
 * `insufficient_stock` for a sale, else `stock_below_reserved`.
 */
export async function move(ctx: Ctx, moves: readonly StockMove[]): Promise<void> {
  const wanted = moves.filter((each) => each.delta !== 0);
  if (wanted.length === 0) return;
  const home = wanted.some((each) => each.warehouseId === undefined) ? await defaultWarehouse(ctx) : null;
  const at = (each: StockMove): string => each.warehouseId ?? (home as string);
  await lockWarehousesForUse(ctx, wanted.map(at), '/warehouseId');
  const ids = wanted.map((each) => each.variantId);
  const rules = await stockRules(ctx, ids);
  // Missing levels are created before any level is locked, so that two concurrent calls can't deadlock.
  const existing = await readLevels(ctx, ids);
  const counted = new Set(existing.map((each) => each.variantId));
  const known = wanted.filter(({ variantId }) => counted.has(variantId) || isTracked(rules.get(variantId), false));
  const missing = known.filter(
    (each) => !existing.some((row) => row.variantId === each.variantId && row.warehouseId === at(each)),
  );
  for (const [warehouseId, group] of [...Map.groupBy(missing, at)].sort(([a], [b]) => (a < b ? -1 : 1)))
    await ensureLevels(
      ctx,
      group.map((each) => each.variantId),
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

/**
 * Sets onHand of variants over all warehouses: counts, or the first stock of new variants. The default warehouse gets the difference. Also
 * creates the levels of variants without units. Each variant may occur once.
 *
 * @throws 409 `stock_below_reserved` if the other warehouses have more, or fewer units than reserved would remain
 */
export async function setOnHand(
  ctx: Ctx,
  counts: readonly { variantId: string; onHand: number }[],
  cause: MovementCause,
): Promise<void> {
  if (counts.length === 0) return;
  const { book, at } = await openAt(
    ctx,
    counts.map(({ variantId }) => variantId),
    undefined,
    '/warehouseId',
  );
  for (const { variantId, onHand } of counts) {
    const level = book.levelOf(variantId, at) as Level;
    const present = book.ofVariant(variantId).reduce((sum, each) => sum + (each.gone ? 0 : each.onHand), 0);
    moveIn(book, level, onHand - present, cause);
  }
  await writeBook(ctx, book);
}
