import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, backorderedReservations } from '../level/book.ts';
import { compareWarehouses, freeAt, type Level, serves } from '../level/level.ts';

/** Units that may cover backorders. */
const spare = (at: Pick<Level, 'onHand' | 'reserved' | 'backordered' | 'safetyStock'>): number => freeAt(at) - at.safetyStock;

/**
 * Assigns freed stock to the oldest backorders: first at the warehouse of the reservation, then at others that serve the country.
 * Safety stock is kept.
 */
export async function coverBackorders(ctx: Ctx, book: Book): Promise<void> {
  const freed = book.changed().filter((each) => spare(each) > spare(book.before(each)));
  const variants = [...new Set(freed.map((each) => each.variantId))].filter((id) =>
    book.levels.some((each) => each.variantId === id && each.backordered > 0),
  );
  if (variants.length === 0) return;
  const stored = await backorderedReservations(ctx, variants);
  // Reservations that this book has changed count with their new values.
  const waiting = stored.map((row) => book.rows.get(row.id) ?? row);
  for (const row of waiting) {
    const home = book.level(row.levelId);
    const others = book.levels
      .filter((each) => each.variantId === row.variantId && each !== home && serves(each, row.country))
      .sort(compareWarehouses);
    for (const at of [home, ...others]) {
      const units = Math.min(row.backordered, Math.max(0, spare(at)));
      if (units > 0) book.cover(row, at, units);
    }
  }
}
