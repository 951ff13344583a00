import { type CancelInput, cancelCommit, fulfillmentEvents, shipping } from '@storeloom/commerce';
import { type Ctx, problem, type TapFn } from '@storeloom/plugin-sdk';
import { isOpen } from '../fulfillment/machine.ts';
import { moveParcel } from '../fulfillment/move.ts';
import { creditRemainder } from '../invoice/credit.ts';
import { addQuantities, loadFulfillments, loadLines, type OrderRow } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order } from '../tables.ts';
import { refreshFigures } from '../view/figures.ts';
import { orderView } from '../view/view.ts';
import { checkMove } from './order-machine.ts';
import { fulfillmentStatusOf } from './states.ts';
import { writeMove } from './transition.ts';

export interface CancelOptions {
  reason: string;
  /** Refund the captured amount. */
  refund: boolean;
  notify: boolean;
}

/** Cancels unshipped fulfilments with their AWBs. @throws 409 if the carrier has already picked one up */
async function cancelParcels(ctx: Ctx, orderId: string, reason: string): Promise<void> {
  for (const { row, lines } of await loadFulfillments(ctx, orderId)) {
    if (!isOpen(row.status)) continue;
    if (row.awbNumber !== null && (await ctx.use(shipping)?.cancelAwb(row.id)) === false) throw shipmentsProblem();
    await moveParcel(ctx, row, 'cancelled', reason, { cancelledAt: ctx.clock.now() });
    for (const { lineId, quantity } of lines) await addQuantities(ctx, lineId, { fulfilled: -quantity });
    await ctx.emit(fulfillmentEvents.cancelled, { id: orderId, data: { id: row.id, orderId, lines } });
  }
}
export function shipmentsProblem() {
  return problem('order_has_shipments', { detail: 'Items of this order have been shipped. Create a return instead.' });
}

/** Cancels an unshipped order with its parcels, payments and documents. Idempotent. */
export async function cancelOrder(ctx: Ctx, id: string, { reason, refund, notify }: CancelOptions): Promise<OrderRow> {
  const before = await lockOrder(ctx, id);
  if (before.row.status === 'cancelled') return before.row;
  if (before.lines.some((line) => line.quantityShipped > 0)) throw shipmentsProblem();
  checkMove(before.row, 'cancelled');
  await cancelParcels(ctx, id, reason);
  const data = { ...before, lines: await loadLines(ctx, id) };
  const lines = data.lines
    .map((line) => ({ lineId: line.id, quantity: line.quantity - line.quantityCancelled }))
    .filter((line) => line.quantity > 0);
  await ctx.call(cancelCommit, { order: orderView(data), lines, reason, refund, notify });
  // Payments has voided or refunded in the hook.
  return refreshFigures(ctx, await ctx.rows(order).require(id, { lock: true }));
}

/** cancel.commit, stage 70: updates status and quantities, and issues the credit note of an invoiced order. */
export const cancelTap: TapFn<typeof cancelCommit> = async (ctx: Ctx, input: CancelInput) => {
  for (const { lineId, quantity } of input.lines) await addQuantities(ctx, lineId, { cancelled: quantity });
  const row = await ctx.rows(order).require(input.order.id, { lock: true });
  const fulfillmentStatus = fulfillmentStatusOf(await loadLines(ctx, row.id));
  const moved = await writeMove(ctx, row, 'cancelled', input.reason, {
    columns: { fulfillmentStatus },
    event: { reason: input.reason, notify: input.notify },
  });
  await creditRemainder(ctx, moved);
};
