import { type FlowLine, fulfillmentEvents, stock } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { emitOrderEvent, writeMove } from '../flows/transition.ts';
import { addQuantities, type LineRow, loadFulfillments, loadLines, type OrderRow, requireFulfillment } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order } from '../tables.ts';
import { allDelivered } from './complete.ts';
import { refreshFulfillment } from './fulfillment.ts';
import { fulfillmentMachine } from './machine.ts';
import { moveParcel } from './move.ts';

/** Marks a parcel as delivered. Idempotent. */
export async function deliverFulfillment(ctx: Ctx, orderId: string, fulfillmentId: string, reason: string): Promise<void> {
  const { row } = await lockOrder(ctx, orderId);
  const parcel = await requireFulfillment(ctx, orderId, fulfillmentId);
  if (parcel.row.status === 'delivered') return;
  // After a failed attempt the carrier may not report the second attempt.
  if (parcel.row.status !== 'failed_delivery') fulfillmentMachine.check(parcel.row.status, 'delivered');
  await moveParcel(ctx, parcel.row, 'delivered', reason, { deliveredAt: ctx.clock.now() });
  for (const { lineId, quantity } of parcel.lines) await addQuantities(ctx, lineId, { delivered: quantity });
  await ctx.emit(fulfillmentEvents.delivered, { id: orderId, data: { id: fulfillmentId, orderId, lines: parcel.lines } });
  const current = await refreshFulfillment(ctx, row);
  if (current.status === 'shipped' && allDelivered(await loadLines(ctx, orderId)))
    await writeMove(ctx, current, 'delivered', reason);
}

/** Marks every shipped parcel as delivered, on request of staff. */
export async function deliverOrder(ctx: Ctx, orderId: string, reason: string): Promise<OrderRow> {
  for (const { row } of await loadFulfillments(ctx, orderId))
    if (row.status === 'shipped' || row.status === 'failed_delivery') await deliverFulfillment(ctx, orderId, row.id, reason);
  return ctx.rows(order).require(orderId);
}

/** Stock items of units of a line: the components of a bundle. */
function stockItemsOf(line: LineRow, quantity: number): { variantId: string; quantity: number; orderLineId: string }[] {
  if (line.children)
    return line.children.map((child) => ({
      variantId: child.variantId as string,
      quantity: (child.quantity as number) * quantity,
      orderLineId: line.id,
    }));
  return line.variantId === null ? [] : [{ variantId: line.variantId, quantity, orderLineId: line.id }];
}

/** Restocks returned goods and reserves them for the order, which is to be shipped again. */
async function restockReturned(ctx: Ctx, row: OrderRow, lines: readonly LineRow[], parcel: readonly FlowLine[]): Promise<void> {
  const goods = parcel.flatMap(({ lineId, quantity }) => {
    const line = lines.find((each) => each.id === lineId);
    return line ? stockItemsOf(line, quantity) : [];
  });
  if (goods.length > 0) await ctx.use(stock)?.restock(row.id, goods, { reason: 'return', reference: row.number, again: true });
}

/** Records a failed delivery, or a returned parcel whose order is to be shipped again. */
export async function failDelivery(
  ctx: Ctx,
  orderId: string,
  fulfillmentId: string,
  to: 'failed_delivery' | 'returned_to_sender',
  reason: string,
): Promise<void> {
  const { row, lines } = await lockOrder(ctx, orderId);
  const parcel = await requireFulfillment(ctx, orderId, fulfillmentId);
  // Carriers may report the return without the failed attempt.
  const from = to === 'returned_to_sender' && parcel.row.status === 'shipped' ? 'failed_delivery' : parcel.row.status;
  if (fulfillmentMachine.check(from, to) === 'repeat') return;
  await moveParcel(ctx, parcel.row, to, reason);
  if (to === 'failed_delivery') {
    await emitOrderEvent(ctx, row, 'updated');
    return;
  }
  const shelved: FlowLine[] = [];
  for (const { lineId, quantity } of parcel.lines) {
    const line = lines.find((each) => each.id === lineId);
    if (!line) continue;
    // Units restocked by a refund are neither restocked nor shipped again.
    const refunded = Math.max(0, line.quantityRestocked - (line.quantityShipped - quantity));
    await addQuantities(ctx, lineId, { fulfilled: -quantity, shipped: -quantity, restocked: -refunded, cancelled: refunded });
    if (quantity > refunded) shelved.push({ lineId, quantity: quantity - refunded });
  }
  await restockReturned(ctx, row, lines, shelved);
  const current = await refreshFulfillment(ctx, row);
  if (current.status === 'shipped') await writeMove(ctx, current, 'processing', reason);
  else await emitOrderEvent(ctx, current, 'updated');
}

/** shipped → processing, on request of staff: returns the failed parcels, or all shipped ones if none has failed. */
export async function returnParcels(ctx: Ctx, orderId: string, reason: string): Promise<OrderRow> {
  const parcels = await loadFulfillments(ctx, orderId);
  const failed = parcels.filter(({ row }) => row.status === 'failed_delivery');
  const returned = failed.length > 0 ? failed : parcels.filter(({ row }) => row.status === 'shipped');
  for (const { row } of returned) await failDelivery(ctx, orderId, row.id, 'returned_to_sender', reason);
  return ctx.rows(order).require(orderId);
}
