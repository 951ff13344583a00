import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { type Book, openBookOf, type Why } from '../level/book.ts';
import type { Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { defaultWarehouse, ensureLevels } from '../warehouse/places.ts';

export interface Restocking extends Why {
  /** The goods are reserved for their order again: it is sent once more. */
  again?: boolean;
}

/** Units of the goods that left and may still come back, by the reservation that they left with. */
function returnable(rows: readonly Reservation[], goods: readonly Goods[]): { row: Reservation; units: number }[] {
  const found: { row: Reservation; units: number }[] = [];
  const claimed = new Map<string, number>();
  for (const one of goods) {
    let open = one.quantity;
    for (const row of rows) {
      if (row.state !== 'committed' || row.orderLineId !== one.orderLineId || row.variantId !== one.variantId) continue;
      const units = Math.min(open, row.quantity - row.restocked - (claimed.get(row.id) ?? 0));
      if (units <= 0) continue;
      found.push({ row, units });
      claimed.set(row.id, (claimed.get(row.id) ?? 0) + units);
      open -= units;
    }
  }
  return found;
}

/**
 * Goods that left for an order stand on the shelf again, where they came from. Each unit once at most (P20), whoever asks and how often:
 * what has come back before is left out. Goods that didn't leave by an order aren't known here. Gives the units put back.
 */
export async function restock(ctx: Ctx, orderId: string, goods: readonly Goods[], how: Restocking): Promise<number> {
  if (goods.length === 0) return 0;
  const lost = await ctx.db.rows<{ id: string }>(sql`
    select distinct r.variant_id as id from inventory_reservation r join inventory_warehouse w on w.tenant_id = r.tenant_id and w.id = r.warehouse_id
    where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${orderId} and r.state = 'committed' and w.deleted_at is not null`);
  const variants = lost.map(({ id }) => id);
  const home = variants.length > 0 ? await defaultWarehouse(ctx) : null;
  if (home !== null) await ensureLevels(ctx, variants, home);
  const { book, rows } = await openBookOf(ctx, orderId);
  const back = restockIn(book, rows, goods, how, home);
  await writeBook(ctx, book);
  return back;
}

/** The same in memory. `home`: where goods go whose warehouse is gone. */
export function restockIn(
  book: Book,
  rows: readonly Reservation[],
  goods: readonly Goods[],
  { again = false, ...why }: Restocking,
  home: string | null = null,
): number {
  let back = 0;
  for (const { row, units } of returnable(rows, goods)) {
    const from = book.level(row.levelId);
    const at: Level = (from.gone && home !== null && book.levelOf(row.variantId, home)) || from;
    row.restocked += units;
    book.put(row);
    book.move(at, units, why);
    const { orderId, orderLineId, country } = row;
    if (again) book.reserve(at, { quantity: units, backordered: 0 }, { orderId, orderLineId, country, expiresAt: null });
    back += units;
  }
  return back;
}
