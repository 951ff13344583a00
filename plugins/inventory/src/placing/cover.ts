import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, waitingRows } from '../level/book.ts';
import { byWarehouse, freeAt, type Level, serves } from '../level/level.ts';

/** What a backorder may take. */
const spare = (at: Pick<Level, 'onHand' | 'reserved' | 'backordered' | 'safetyStock'>): number => freeAt(at) - at.safetyStock;

/**
 * Goods that became free go to those who wait longest, wherever they stand: first at the warehouse that the backorder names, then at
 * another one that serves the country. Safety stock stays.
 */
export async function coverBackorders(ctx: Ctx, book: Book): Promise<void> {
  const freed = book.changed().filter((each) => spare(each) > spare(book.was(each)));
  const variants = [...new Set(freed.map((each) => each.variantId))].filter((id) =>
    book.levels.some((each) => each.variantId === id && each.backordered > 0),
  );
  if (variants.length === 0) return;
  const known = await waitingRows(ctx, variants);
  // What this book changed counts as it is now.
  const waiting = known.map((row) => book.rows.get(row.id) ?? row);
  for (const row of waiting) {
    const home = book.level(row.levelId);
    const others = book.levels
      .filter((each) => each.variantId === row.variantId && each !== home && serves(each, row.country))
      .sort(byWarehouse);
    for (const at of [home, ...others]) {
      const units = Math.min(row.backordered, Math.max(0, spare(at)));
      if (units > 0) book.cover(row, at, units);
    }
  }
}
