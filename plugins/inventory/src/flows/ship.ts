import type { Ctx } from '@storeloom/plugin-sdk';
import { type Book, openBookOf } from '../level/book.ts';
import { byWarehouse, freeAt, type Level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import { insufficientStock } from '../placing/goods.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { trackedGoods } from '../placing/reserve.ts';
import { stockRules, unpacked } from '../placing/rules.ts';
import { activeRows } from './release.ts';

export interface Shipment {
  orderId: string;
  /** What people call it by: the order's number. */
  reference: string | null;
  /** What makes it once, `fulfillment:<id>`. */
  source: string;
  /** Where the parcel is packed; null: where the goods are reserved. */
  warehouseId: string | null;
}

/**
 * Goods leave: onHand and reserved go down. They come from where they are reserved; from another warehouse, or if nothing was reserved,
 * only what belongs to nobody there. Not enough: 409 `insufficient_stock`, and nothing is written.
 */
export async function ship(ctx: Ctx, goods: readonly Goods[], shipment: Shipment): Promise<void> {
  if (goods.length === 0) return;
  const rules = await stockRules(
    ctx,
    goods.map((each) => each.variantId),
  );
  const wanted = unpacked(goods, rules);
  const { book, rows } = await openBookOf(
    ctx,
    shipment.orderId,
    wanted.map((each) => each.variantId),
  );
  const tracked = new Set(trackedGoods(wanted, rules, book.levels));
  const short = new Map<string, number>();
  for (const one of wanted) {
    // What was reserved leaves, whatever the catalogue says about it today.
    if (!tracked.has(one) && activeRows(rows, one).length === 0) continue;
    const open = shipOne(book, rows, one, shipment);
    if (open > 0 && tracked.has(one)) short.set(one.variantId, one.quantity - open);
  }
  if (short.size > 0) throw insufficientStock(wanted, short);
  await writeBook(ctx, book);
}

/** Takes one line's units, and gives what is missing. */
function shipOne(
  book: Book,
  rows: readonly Reservation[],
  goods: Goods,
  { orderId, warehouseId, reference, source }: Shipment,
): number {
  const leave = (at: Level, units: number): void => book.move(at, -units, { reason: 'sale', reference, source });
  let open = goods.quantity;
  // What is reserved and there.
  for (const row of activeRows(rows, goods)) {
    if (warehouseId !== null && row.warehouseId !== warehouseId) continue;
    const units = Math.min(open, row.quantity - row.backordered);
    if (units === 0) continue;
    leave(book.level(row.levelId), units);
    book.end(row, { quantity: units, backordered: 0 }, 'committed');
    open -= units;
  }
  // From elsewhere, or owed: what is free there goes instead, and the reservation is given up.
  const places = book.levels
    .filter((at) => at.variantId === goods.variantId && (warehouseId === null ? at.active : at.warehouseId === warehouseId))
    .sort(byWarehouse);
  for (const at of places) {
    let units = Math.min(open, freeAt(at));
    if (units <= 0) continue;
    open -= units;
    leave(at, units);
    book.committed(at, units, { orderId, orderLineId: goods.orderLineId, country: null });
    for (const row of activeRows(rows, goods)) {
      const quantity = Math.min(units, row.quantity);
      if (quantity === 0) break;
      book.end(row, { quantity, backordered: Math.min(quantity, row.backordered) }, 'released');
      units -= quantity;
    }
  }
  return open;
}
