import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, dueRows, openBook, openBookOf } from '../level/book.ts';
import { writeBook } from '../level/write.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';

/** Active reservations of an order line's goods. Those that wait come first: what isn't there is given up before what is. */
export function activeRows(
  rows: readonly Reservation[],
  { orderLineId, variantId }: Pick<Goods, 'orderLineId' | 'variantId'>,
): Reservation[] {
  return rows
    .filter((row) => row.state === 'active' && row.orderLineId === orderLineId && row.variantId === variantId)
    .sort((a, b) => b.backordered - a.backordered);
}

/** Gives up units of the goods, as many as are held. */
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

/** Everything that an order still holds is free again. */
export async function releaseAll(ctx: Ctx, orderId: string, reason: string): Promise<void> {
  const { book, rows } = await openBookOf(ctx, orderId);
  book.reason = reason;
  for (const row of rows) if (row.state === 'active') book.end(row, row, 'released');
  await writeBook(ctx, book);
}

/** Normally checkout cancels the order when its payment window is over, which releases them; the job looks a while later. */
const grace = 2 * 60_000;
const batch = 200;

export const expiryBefore = (ms: number): string => new Date(ms - grace).toISOString();

/** Reservations whose term is over are free again. Gives how many there were; at most one batch. */
export async function expireDue(ctx: Ctx): Promise<number> {
  const before = expiryBefore(ctx.clock.ms());
  const candidates = await dueRows(ctx, before, batch);
  if (candidates.length === 0) return 0;
  const book = await openBook(
    ctx,
    candidates.map((row) => row.variantId),
  );
  // Looked at again under the locks: an order may have been paid, or cancelled, meanwhile.
  const ids = new Set(candidates.map((row) => row.id));
  const due = (await dueRows(ctx, before, batch)).filter((row) => ids.has(row.id));
  for (const row of due) book.end(row, row, 'expired');
  await writeBook(ctx, book);
  return candidates.length;
}
