import type { CancelInput, EditInput, OrderView, RefundInput, SettleInput, ShipInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { openOrderBook, reservationsOf } from '../level/book.ts';
import { writeBook } from '../level/write.ts';
import { goodsOf, goodsOfOrder, insufficientStock } from '../placing/goods.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { ensureBackorderLevels, reserveIn } from '../placing/reserve.ts';
import { stockRules } from '../placing/rules.ts';
import { releaseAll, releaseIn } from './release.ts';
import { restockIn } from './restock.ts';
import { ship } from './ship.ts';

const countryOf = (order: OrderView): string | null => order.shippingAddress?.country ?? null;

/** Units of the goods that are neither reserved nor shipped for the order. */
function missingOf(goods: readonly Goods[], rows: readonly Reservation[]): Goods[] {
  return goods.flatMap((one) => {
    const held = rows
      .filter((row) => row.orderLineId === one.orderLineId && row.variantId === one.variantId)
      .filter((row) => row.state === 'active' || row.state === 'committed')
      .reduce((sum, row) => sum + row.quantity, 0);
    return one.quantity > held ? [{ ...one, quantity: one.quantity - held }] : [];
  });
}

/**
 * settle.commit: the order is paid, so its reservations lose their expiry. Expired ones are reserved again, all or nothing; if the
 * stock is insufficient, the payment is reported as late.
 */
export async function settleStock(ctx: Ctx, input: SettleInput): Promise<void> {
  const { order } = input;
  const wanted = goodsOfOrder(order, input.lines);
  const ids = wanted.map((each) => each.variantId);
  if (ids.length === 0) return;
  const { book, rows } = await openOrderBook(ctx, order.id);
  if (rows.length === 0) return;
  for (const row of rows)
    if (row.state === 'active' && row.expiresAt !== null) {
      row.expiresAt = null;
      book.put(row);
    }
  const expired = new Map<string, number>();
  for (const row of rows)
    if (row.state === 'expired') {
      const key = `${row.orderLineId} ${row.variantId}`;
      expired.set(key, (expired.get(key) ?? 0) + row.quantity);
    }
  const lost = missingOf(wanted, rows).flatMap((one) => {
    const units = Math.min(one.quantity, expired.get(`${one.orderLineId} ${one.variantId}`) ?? 0);
    return units > 0 ? [{ ...one, quantity: units }] : [];
  });
  if (lost.length > 0) {
    const rules = await stockRules(ctx, ids);
    const { short } = reserveIn(ctx, book, lost, rules, { orderId: order.id, expiresAt: null, country: countryOf(order) });
    if (short) input.late = { impossible: true };
  }
  await writeBook(ctx, book);
}

/** cancel.commit: releases all active reservations of the order. Idempotent. */
export async function cancelStock(ctx: Ctx, input: CancelInput): Promise<void> {
  await releaseAll(ctx, input.order.id, input.reason);
}

/**
 * edit.commit: reserves and releases the quantity differences. Insufficient stock: 409 `insufficient_stock`, and the edit is
 * refused.
 */
export async function editStock(ctx: Ctx, { order, changes }: EditInput): Promise<void> {
  const goods = (sign: 1 | -1): Goods[] =>
    goodsOf(
      changes.map(({ lineId, variantId, delta, children }) => ({ id: lineId, variantId, quantity: delta * sign, children })),
    );
  const added = goods(1);
  const removed = goods(-1);
  if (added.length + removed.length === 0) return;
  const rules = await stockRules(
    ctx,
    added.map((each) => each.variantId),
  );
  await ensureBackorderLevels(ctx, rules);
  const { book, rows } = await openOrderBook(ctx, order.id, [...rules.keys()]);
  releaseIn(book, rows, removed);
  // Added goods of an unpaid order expire together with its other reservations.
  const expiries = rows.filter((row) => row.state === 'active').map((row) => row.expiresAt);
  const expiresAt = expiries.length > 0 && expiries.every((each) => each !== null) ? (expiries.sort().at(-1) as string) : null;
  const { goods: tracked, short } = reserveIn(ctx, book, added, rules, {
    orderId: order.id,
    expiresAt,
    country: countryOf(order),
  });
  if (short) throw insufficientStock(tracked, short);
  await writeBook(ctx, book);
}

export async function shipStock(ctx: Ctx, { order, lines, fulfillmentId, warehouseId }: ShipInput): Promise<void> {
  await ship(ctx, goodsOfOrder(order, lines), {
    orderId: order.id,
    reference: order.number,
    source: `fulfillment:${fulfillmentId}`,
    warehouseId,
  });
}

/** refund.commit: releases units to be restocked that were not shipped, and returns shipped ones to stock, each unit once. */
export async function refundStock(ctx: Ctx, { order, lines, refundId }: RefundInput): Promise<void> {
  const goodsToRestock = (field: 'restockUnshipped' | 'restockShipped'): Goods[] =>
    goodsOfOrder(
      order,
      lines.map((line) => ({ lineId: line.lineId, quantity: line[field] })),
    );
  const unshipped = goodsToRestock('restockUnshipped');
  const shipped = goodsToRestock('restockShipped');
  if (unshipped.length + shipped.length === 0) return;
  const { book, rows } = await openOrderBook(ctx, order.id);
  releaseIn(book, rows, unshipped);
  restockIn(book, rows, shipped, { reason: 'restock', reference: order.number, source: `refund:${refundId}` });
  await writeBook(ctx, book);
}

/**
 * fulfillment.cancel.commit: an unshipped fulfilment is cancelled. Packing doesn't change reservations, so normally nothing is missing.
 * refund-undo.commit: the units of a failed refund. Missing goods are reserved again if the stock suffices; if not, the cancellation or the end
 * of the refund still succeeds, and shipping will be refused later.
 */
export async function restoreReservations(ctx: Ctx, { order, lines }: Pick<ShipInput, 'order' | 'lines'>): Promise<void> {
  const byId = new Map(order.lines.map((line) => [line.id, line]));
  const wholeLines = lines.flatMap(({ lineId }) => {
    const line = byId.get(lineId);
    return line ? [{ lineId, quantity: line.quantity - line.quantityCancelled }] : [];
  });
  const wanted = goodsOfOrder(order, wholeLines);
  if (wanted.length === 0) return;
  if (missingOf(wanted, await reservationsOf(ctx, order.id)).length === 0) return;
  const ids = wanted.map((each) => each.variantId);
  const rules = await stockRules(ctx, ids);
  const { book, rows } = await openOrderBook(ctx, order.id, [...rules.keys()]);
  const missing = missingOf(wanted, rows);
  const { short } = reserveIn(ctx, book, missing, rules, { orderId: order.id, expiresAt: null, country: countryOf(order) });
  if (short)
    ctx.log.warn(
      { plugin: 'inventory', order_id: order.id, variants: [...short.keys()] },
      'Insufficient stock to reserve the goods of a cancelled fulfilment or a failed refund again',
    );
  await writeBook(ctx, book);
}
