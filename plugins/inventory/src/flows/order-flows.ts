import type { CancelInput, EditInput, OrderView, RefundInput, SettleInput, ShipInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { openBookOf, reservationsOf } from '../level/book.ts';
import { writeBook } from '../level/write.ts';
import { goodsOf, goodsOfOrder, insufficientStock } from '../placing/goods.ts';
import type { Goods } from '../placing/plan.ts';
import type { Reservation } from '../placing/reservation.ts';
import { makeOwed, reserveIn } from '../placing/reserve.ts';
import { stockRules } from '../placing/rules.ts';
import { releaseAll, releaseIn } from './release.ts';
import { restockIn } from './restock.ts';
import { ship } from './ship.ts';

const countryOf = (order: OrderView): string | null => order.shippingAddress?.country ?? null;

/** Units of the goods that the order neither holds nor has got. */
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
 * settle.commit: the order is paid, so what it holds is its own without a term. What expired meanwhile is reserved again, all or nothing;
 * where that can't be the payment came too late.
 */
export async function settleStock(ctx: Ctx, input: SettleInput): Promise<void> {
  const { order } = input;
  const wanted = goodsOfOrder(order, input.lines);
  const ids = wanted.map((each) => each.variantId);
  if (ids.length === 0) return;
  const { book, rows } = await openBookOf(ctx, order.id);
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

/** cancel.commit: everything that the order holds is free again. A second time there is nothing. */
export async function cancelStock(ctx: Ctx, input: CancelInput): Promise<void> {
  await releaseAll(ctx, input.order.id, input.reason);
}

/** edit.commit: by the change of quantities; more than there is 409 `insufficient_stock`, and the edit doesn't happen. */
export async function editStock(ctx: Ctx, { order, changes }: EditInput): Promise<void> {
  const goods = (sign: 1 | -1): Goods[] =>
    goodsOf(
      changes.map(({ lineId, variantId, delta, children }) => ({ id: lineId, variantId, quantity: delta * sign, children })),
    );
  const more = goods(1);
  const less = goods(-1);
  if (more.length + less.length === 0) return;
  const rules = await stockRules(
    ctx,
    more.map((each) => each.variantId),
  );
  await makeOwed(ctx, rules);
  const { book, rows } = await openBookOf(ctx, order.id, [...rules.keys()]);
  releaseIn(book, rows, less);
  // An order that waits for its payment holds what is added for as long as the rest.
  const terms = rows.filter((row) => row.state === 'active').map((row) => row.expiresAt);
  const expiresAt = terms.length > 0 && terms.every((term) => term !== null) ? (terms.sort().at(-1) as string) : null;
  const { goods: tracked, short } = reserveIn(ctx, book, more, rules, {
    orderId: order.id,
    expiresAt,
    country: countryOf(order),
  });
  if (short) throw insufficientStock(tracked, short);
  await writeBook(ctx, book);
}

/** ship.commit: onHand −q, reserved −q. */
export async function shipStock(ctx: Ctx, { order, lines, fulfillmentId, warehouseId }: ShipInput): Promise<void> {
  await ship(ctx, goodsOfOrder(order, lines), {
    orderId: order.id,
    reference: order.number,
    source: `fulfillment:${fulfillmentId}`,
    warehouseId,
  });
}

/** refund.commit: of the units to be put back, those that haven't left are free again, the others stand on the shelf; each once. */
export async function refundStock(ctx: Ctx, { order, lines, refundId }: RefundInput): Promise<void> {
  const part = (member: 'restockUnshipped' | 'restockShipped'): Goods[] =>
    goodsOfOrder(
      order,
      lines.map((line) => ({ lineId: line.lineId, quantity: line[member] })),
    );
  const free = part('restockUnshipped');
  const back = part('restockShipped');
  if (free.length + back.length === 0) return;
  const { book, rows } = await openBookOf(ctx, order.id);
  releaseIn(book, rows, free);
  restockIn(book, rows, back, { reason: 'restock', reference: order.number, source: `refund:${refundId}` });
  await writeBook(ctx, book);
}

/**
 * A parcel that hadn't left was taken apart. Packing reserves nothing anew, so normally the order still holds its goods; what it doesn't
 * is reserved again as far as it is there. The parcel is taken apart in any case: sending what isn't there is refused later.
 */
export async function unpackStock(ctx: Ctx, { order, lines }: ShipInput): Promise<void> {
  const byId = new Map(order.lines.map((line) => [line.id, line]));
  const whole = lines.flatMap(({ lineId }) => {
    const line = byId.get(lineId);
    return line ? [{ lineId, quantity: line.quantity - line.quantityCancelled }] : [];
  });
  const wanted = goodsOfOrder(order, whole);
  if (wanted.length === 0) return;
  if (missingOf(wanted, await reservationsOf(ctx, order.id)).length === 0) return;
  const ids = wanted.map((each) => each.variantId);
  const rules = await stockRules(ctx, ids);
  const { book, rows } = await openBookOf(ctx, order.id, [...rules.keys()]);
  const missing = missingOf(wanted, rows);
  const { short } = reserveIn(ctx, book, missing, rules, { orderId: order.id, expiresAt: null, country: countryOf(order) });
  if (short)
    ctx.log.warn(
      { plugin: 'inventory', order_id: order.id, variants: [...short.keys()] },
      'the goods of a parcel that was taken apart are not there',
    );
  await writeBook(ctx, book);
}
