import { fulfillmentEvents, type ShipInput, shipCommit } from '@storeloom/commerce';
import { type Ctx, problem, type TapFn } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { allowedFor } from '../flows/order-machine.ts';
import { unfulfilled } from '../flows/states.ts';
import { addQuantities, loadFulfillments, type OrderRow, requireFulfillment } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { fulfillment, order } from '../tables.ts';
import { refreshSearch } from '../view/search-text.ts';
import { orderView } from '../view/view.ts';
import { completeShipping } from './complete.ts';
import { createFulfillment, refreshFulfillment, setTracking } from './fulfillment.ts';
import { fulfillmentMachine, isOpen } from './machine.ts';
import { moveParcel } from './move.ts';

export interface ShipRequest {
  fulfillmentId?: string | null;
  trackingNumber?: string | null;
  carrier?: string | null;
  notify?: boolean;
  reason?: string;
}

/** Ships a fulfilment: commits stock and captures its share of the payment. Idempotent. */
export async function shipFulfillment(
  ctx: Ctx,
  orderId: string,
  fulfillmentId: string,
  reason: string,
  notify = true,
): Promise<void> {
  const data = await lockOrder(ctx, orderId);
  const { row, lines } = await requireFulfillment(ctx, orderId, fulfillmentId);
  if (row.status === 'delivered') return;
  if (fulfillmentMachine.check(row.status, 'shipped') === 'repeat') return;
  if (data.row.status === 'on_hold' || data.row.status === 'cancelled')
    throw invalidTransition(data.row.status, 'shipped', allowedFor(data.row));
  if (isOpen(row.status))
    await ctx.call(shipCommit, { order: orderView(data), lines, fulfillmentId, warehouseId: row.warehouseId, reason });
  // A second delivery attempt: the goods have already been shipped.
  else await moveParcel(ctx, row, 'shipped', reason);
  const sent = await ctx.rows(fulfillment).require(fulfillmentId);
  await ctx.emit(fulfillmentEvents.shipped, {
    id: orderId,
    data: {
      id: fulfillmentId,
      orderId,
      lines,
      carrier: sent.carrier,
      awbNumber: sent.awbNumber,
      trackingNumber: sent.trackingNumber,
      notify,
    },
  });
}

/** ship.commit, stage 70: updates quantities and the fulfilment, and the order once everything is shipped. */
export const shipTap: TapFn<typeof shipCommit> = async (ctx: Ctx, input: ShipInput) => {
  const { row: parcel } = await requireFulfillment(ctx, input.order.id, input.fulfillmentId);
  await moveParcel(ctx, parcel, 'shipped', input.reason, { shippedAt: ctx.clock.now() });
  for (const { lineId, quantity } of input.lines) await addQuantities(ctx, lineId, { shipped: quantity });
  const row = await refreshFulfillment(ctx, await ctx.rows(order).require(input.order.id, { lock: true }));
  await completeShipping(ctx, row, input.reason);
};

/** `POST /{id}/ship`: the selected fulfilment, otherwise open ones, otherwise everything left. Idempotent. */
export async function shipOrder(ctx: Ctx, orderId: string, request: ShipRequest): Promise<OrderRow> {
  const { row, lines } = await lockOrder(ctx, orderId);
  const reason = request.reason ?? 'shipped';
  const notify = request.notify ?? true;
  let ids: string[];
  if (request.fulfillmentId) ids = [(await requireFulfillment(ctx, orderId, request.fulfillmentId)).row.id];
  else {
    ids = (await loadFulfillments(ctx, orderId)).filter((each) => isOpen(each.row.status)).map((each) => each.row.id);
    if (ids.length === 0 && lines.some((line) => unfulfilled(line) > 0))
      ids = [(await createFulfillment(ctx, orderId, { lines: null, packed: true })).id];
  }
  if (ids.length === 0) {
    if (!lines.some((line) => line.quantityShipped > 0)) throw nothingToShip(row);
    return row;
  }
  const { trackingNumber, carrier } = request;
  if (trackingNumber || carrier) {
    if (ids.length > 1)
      throw problem('validation_failed', {
        detail: 'The order has several parcels. Select one with fulfillmentId.',
        errors: [{ pointer: '/fulfillmentId', code: 'required', message: 'is required: the order has several parcels' }],
      });
    await setTracking(ctx, ids[0] as string, {
      ...(trackingNumber ? { trackingNumber } : {}),
      ...(carrier ? { carrier } : {}),
    });
    await refreshSearch(ctx, orderId);
  }
  for (const id of ids) await shipFulfillment(ctx, orderId, id, reason, notify);
  return ctx.rows(order).require(orderId);
}

function nothingToShip(row: OrderRow) {
  if (row.status === 'on_hold' || row.status === 'cancelled') return invalidTransition(row.status, 'shipped', allowedFor(row));
  return problem('quantity_exceeds_unfulfilled', { detail: 'The order has no items to ship.', lines: [] });
}
