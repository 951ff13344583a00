import { type FlowLine, fulfillmentEvents, stock } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { announce, writeMove } from '../flows/transition.ts';
import { addQuantities, type LineRow, loadFulfillments, loadLines, type OrderRow, requireFulfillment } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order } from '../tables.ts';
import { refreshFulfillment } from './fulfillment.ts';
import { fulfillmentMachine } from './machine.ts';
import { moveParcel } from './move.ts';

/** All that was asked for is with the buyer. */
function allDelivered(lines: readonly LineRow[]): boolean {
  return lines.every((line) => !line.ships || line.quantityDelivered >= line.quantity - line.quantityCancelled);
}

/** A parcel arrived. Again: nothing more happens. */
export async function deliverFulfillment(ctx: Ctx, orderId: string, fulfillmentId: string, reason: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const parcel = await requireFulfillment(ctx, orderId, fulfillmentId);
  if (parcel.row.status === 'delivered') return;
  // Delivered after a failed attempt: it was on its way again, whether the carrier said so or not.
  if (parcel.row.status !== 'failed_delivery') fulfillmentMachine.check(parcel.row.status, 'delivered');
  await moveParcel(ctx, parcel.row, 'delivered', reason, { deliveredAt: ctx.clock.now() });
  for (const { lineId, quantity } of parcel.lines) await addQuantities(ctx, lineId, { delivered: quantity });
  await ctx.emit(fulfillmentEvents.delivered, { id: orderId, data: { id: fulfillmentId, orderId, lines: parcel.lines } });
  const current = await refreshFulfillment(ctx, row);
  if (current.status === 'shipped' && allDelivered(await loadLines(ctx, orderId)))
    await writeMove(ctx, current, 'delivered', reason);
}

/** By hand: every parcel that is on its way arrived. */
export async function deliverOrder(ctx: Ctx, orderId: string, reason: string): Promise<OrderRow> {
  for (const { row } of await loadFulfillments(ctx, orderId))
    if (row.status === 'shipped' || row.status === 'failed_delivery') await deliverFulfillment(ctx, orderId, row.id, reason);
  return ctx.rows(order).require(orderId);
}

/** Goods behind a number of units of a line: its components where it is a bundle. */
function goodsOf(line: LineRow, quantity: number): { variantId: string; quantity: number; orderLineId: string }[] {
  if (line.children)
    return line.children.map((child) => ({
      variantId: child.variantId as string,
      quantity: (child.quantity as number) * quantity,
      orderLineId: line.id,
    }));
  return line.variantId === null ? [] : [{ variantId: line.variantId, quantity, orderLineId: line.id }];
}

/** What came back stands on the shelf again, reserved for its order, which is still to be filled. */
async function shelveAgain(ctx: Ctx, row: OrderRow, lines: readonly LineRow[], parcel: readonly FlowLine[]): Promise<void> {
  const goods = parcel.flatMap(({ lineId, quantity }) => {
    const line = lines.find((each) => each.id === lineId);
    return line ? goodsOf(line, quantity) : [];
  });
  if (goods.length > 0) await ctx.use(stock)?.restock(row.id, goods, { reason: 'return', reference: row.number, again: true });
}

/** The carrier couldn't deliver; or the parcel is back, and the order is to be sent again. */
export async function failDelivery(
  ctx: Ctx,
  orderId: string,
  fulfillmentId: string,
  to: 'failed_delivery' | 'returned_to_sender',
  reason: string,
): Promise<void> {
  const { row, lines } = await lockOrder(ctx, orderId);
  const parcel = await requireFulfillment(ctx, orderId, fulfillmentId);
  // A carrier may report the way back without the failed attempt before it.
  const from = to === 'returned_to_sender' && parcel.row.status === 'shipped' ? 'failed_delivery' : parcel.row.status;
  if (fulfillmentMachine.check(from, to) === 'repeat') return;
  await moveParcel(ctx, parcel.row, to, reason);
  if (to === 'failed_delivery') {
    await announce(ctx, row, 'updated');
    return;
  }
  const shelved: FlowLine[] = [];
  for (const { lineId, quantity } of parcel.lines) {
    const line = lines.find((each) => each.id === lineId);
    if (!line) continue;
    // Units that a refund has put back to stock are neither put back again nor sent again.
    const refunded = Math.max(0, line.quantityRestocked - (line.quantityShipped - quantity));
    await addQuantities(ctx, lineId, { fulfilled: -quantity, shipped: -quantity, restocked: -refunded, cancelled: refunded });
    if (quantity > refunded) shelved.push({ lineId, quantity: quantity - refunded });
  }
  await shelveAgain(ctx, row, lines, shelved);
  const current = await refreshFulfillment(ctx, row);
  if (current.status === 'shipped') await writeMove(ctx, current, 'processing', reason);
  else await announce(ctx, current, 'updated');
}

/** By hand, shipped → processing: the parcels that failed came back; where none is known to have failed, all that are on their way. */
export async function takeBack(ctx: Ctx, orderId: string, reason: string): Promise<OrderRow> {
  const parcels = await loadFulfillments(ctx, orderId);
  const failed = parcels.filter(({ row }) => row.status === 'failed_delivery');
  const back = failed.length > 0 ? failed : parcels.filter(({ row }) => row.status === 'shipped');
  for (const { row } of back) await failDelivery(ctx, orderId, row.id, 'returned_to_sender', reason);
  return ctx.rows(order).require(orderId);
}
