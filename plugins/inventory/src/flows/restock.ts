import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { type Book, type MovementCause, openOrderBook } from '../level/book.ts';
import type { Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { defaultWarehouse, ensureLevels } from '../warehouse/default-warehouse.ts';

export interface RestockOptions extends MovementCause {
  /** Reserves the goods for their order again, to be shipped once more. */
  again?: boolean;
}

/** Shipped units of the goods that weren't restocked yet, by the reservation that they were shipped from. */
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
 * Returns shipped goods of an order to the warehouse that they were shipped from. Each unit is restocked at most once (P20), also
 * by repeated and concurrent calls. Goods without a committed reservation are ignored. Returns the number of units restocked.
 */
export async function restock(ctx: Ctx, orderId: string, goods: readonly Goods[], options: RestockOptions): Promise<number> {
  if (goods.length === 0) return 0;
  const withoutWarehouse = await ctx.db.rows<{ id: string }>(sql`
    select distinct r.variant_id as id from inventory_reservation r join inventory_warehouse w on w.tenant_id = r.tenant_id and w.id = r.warehouse_id
    where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${orderId} and r.state = 'committed' and w.deleted_at is not null`);
  const variants = withoutWarehouse.map(({ id }) => id);
  const fallbackWarehouse = variants.length > 0 ? await defaultWarehouse(ctx) : null;
  if (fallbackWarehouse !== null) await ensureLevels(ctx, variants, fallbackWarehouse);
  const { book, rows } = await openOrderBook(ctx, orderId);
  const units = restockIn(book, rows, goods, options, fallbackWarehouse);
  await writeBook(ctx, book);
  return units;
}

/** Like `restock`, but only in memory. `fallbackWarehouse` receives goods whose warehouse was removed. */
export function restockIn(
  book: Book,
  rows: readonly Reservation[],
  goods: readonly Goods[],
  { again = false, ...cause }: RestockOptions,
  fallbackWarehouse: string | null = null,
): number {
  let restocked = 0;
  for (const { row, units } of returnable(rows, goods)) {
    const from = book.level(row.levelId);
    const at: Level = (from.gone && fallbackWarehouse !== null && book.levelOf(row.variantId, fallbackWarehouse)) || from;
    row.restocked += units;
    book.put(row);
    book.move(at, units, cause);
    const { orderId, orderLineId, country } = row;
    if (again) book.reserve(at, { quantity: units, backordered: 0 }, { orderId, orderLineId, country, expiresAt: null });
    restocked += units;
  }
  return restocked;
}
