import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, openOrderBook } from '../level/book.ts';
import { compareWarehouses, freeAt, type Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import { insufficientStock } from '../placing/goods.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { trackedGoods } from '../placing/reserve.ts';
import { splitBundles, stockRules } from '../placing/rules.ts';
import { activeRows } from './release.ts';

export interface Shipment {
  orderId: string;
  /** The order's number. */
  reference: string | null;
  /** Idempotency key of the movements, `fulfillment:<id>`. */
  source: string;
  /** The warehouse that ships; null: the ones where the goods are reserved. */
  warehouseId: string | null;
}

/**
 * Ships goods: onHand and reserved decrease. Reserved units are taken first. From another warehouse, or without a reservation, only
 * unreserved units are taken. Insufficient: 409 `insufficient_stock`, and nothing is written.
 */
export async function ship(ctx: Ctx, goods: readonly Goods[], shipment: Shipment): Promise<void> {
  if (goods.length === 0) return;
  const rules = await stockRules(
    ctx,
    goods.map((each) => each.variantId),
  );
  const wanted = splitBundles(goods, rules);
  const { book, rows } = await openOrderBook(
    ctx,
    shipment.orderId,
    wanted.map((each) => each.variantId),
  );
  const tracked = new Set(trackedGoods(wanted, rules, book.levels));
  const short = new Map<string, number>();
  for (const one of wanted) {
    // Reserved goods are shipped even if the catalogue doesn't track them any more.
    if (!tracked.has(one) && activeRows(rows, one).length === 0) continue;
    const missing = shipOne(book, rows, one, shipment);
    if (missing > 0 && tracked.has(one)) short.set(one.variantId, one.quantity - missing);
  }
  if (short.size > 0) throw insufficientStock(wanted, short);
  await writeBook(ctx, book);
}

/** Ships one line's units. Returns how many are missing. */
function shipOne(
  book: Book,
  rows: readonly Reservation[],
  goods: Goods,
  { orderId, warehouseId, reference, source }: Shipment,
): number {
  const remove = (at: Level, units: number): void => book.move(at, -units, { reason: 'sale', reference, source });
  let open = goods.quantity;
  // Reserved units in stock first.
  for (const row of activeRows(rows, goods)) {
    if (warehouseId !== null && row.warehouseId !== warehouseId) continue;
    const units = Math.min(open, row.quantity - row.backordered);
    if (units === 0) continue;
    remove(book.level(row.levelId), units);
    book.end(row, { quantity: units, backordered: 0 }, 'committed');
    open -= units;
  }
  // Units reserved elsewhere or backordered: unreserved stock is shipped instead, and the reservation is released.
  const candidates = book.levels
    .filter((at) => at.variantId === goods.variantId && (warehouseId === null ? at.active : at.warehouseId === warehouseId))
    .sort(compareWarehouses);
  for (const at of candidates) {
    let units = Math.min(open, freeAt(at));
    if (units <= 0) continue;
    open -= units;
    remove(at, units);
    book.recordCommitted(at, units, { orderId, orderLineId: goods.orderLineId, country: null });
    for (const row of activeRows(rows, goods)) {
      const quantity = Math.min(units, row.quantity);
      if (quantity === 0) break;
      book.end(row, { quantity, backordered: Math.min(quantity, row.backordered) }, 'released');
      units -= quantity;
    }
  }
  return open;
}
