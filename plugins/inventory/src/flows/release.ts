import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, expiredReservations, openBook, openOrderBook } from '../level/book.ts';
import { writeBook } from '../level/write.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';

/** Active reservations of an order line's goods. Backordered ones come first, so that they are released before units in stock. */
export function activeRows(
  rows: readonly Reservation[],
  { orderLineId, variantId }: Pick<Goods, 'orderLineId' | 'variantId'>,
): Reservation[] {
  return rows
    .filter((row) => row.state === 'active' && row.orderLineId === orderLineId && row.variantId === variantId)
    .sort((a, b) => b.backordered - a.backordered);
}

/** Releases up to the given quantity of each of the goods. */
export function releaseIn(book: Book, rows: readonly Reservation[], goods: readonly Goods[]): void {
  for (const one of goods) {
    let open = one.quantity;
    for (const row of activeRows(rows, one)) {
      const quantity = Math.min(open, row.quantity);
      if (quantity === 0) break;
      book.end(row, { quantity, backordered: Math.min(quantity, row.backordered) }, 'released');
      open -= quantity;
    }
  }
}

/** Releases all active reservations of an order. */
export async function releaseAll(ctx: Ctx, orderId: string, reason: string): Promise<void> {
  const { book, rows } = await openOrderBook(ctx, orderId);
  book.reason = reason;
  for (const row of rows) if (row.state === 'active') book.end(row, row, 'released');
  await writeBook(ctx, book);
}

/**
 * Checkout cancels the order when its payment window ends, which releases its reservations. The job waits this long, so that it
 * acts only when that failed.
 */
const gracePeriod = 2 * 60_000;
const batch = 200;

export const expiryBefore = (ms: number): string => new Date(ms - gracePeriod).toISOString();

/** Releases one batch of expired reservations. Returns the number of candidates found; 0 means that none are left. */
export async function expireDue(ctx: Ctx): Promise<number> {
  const before = expiryBefore(ctx.clock.ms());
  const candidates = await expiredReservations(ctx, before, batch);
  if (candidates.length === 0) return 0;
  const book = await openBook(
    ctx,
    candidates.map((row) => row.variantId),
  );
  // Read again under the locks: an order may have been paid or cancelled meanwhile.
  const ids = new Set(candidates.map((row) => row.id));
  const due = (await expiredReservations(ctx, before, batch)).filter((row) => ids.has(row.id));
  for (const row of due) book.end(row, row, 'expired');
  await writeBook(ctx, book);
  return candidates.length;
}
