import type { OrderStatus } from '@storeloom/commerce';
import { type Ctx, invalid, problem } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { completeShipping } from '../fulfillment/complete.ts';
import { deliverOrder, returnParcels } from '../fulfillment/deliver.ts';
import { shipOrder } from '../fulfillment/ship.ts';
import type { OrderRow } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { cancelOrder } from './cancel.ts';
import { allowedFor, checkMove } from './order-machine.ts';
import { writeMove } from './transition.ts';

export interface MoveOptions {
  reason: string | null;
  /** Refund the captured amount of a cancelled order. Default true. */
  refund?: boolean;
  /** Send an e-mail to the buyer. Default true. */
  notify?: boolean;
}

/** An order without goods to ship can be completed when it is paid. */
function checkComplete(row: OrderRow): void {
  if (row.status === 'delivered') return;
  if (row.fulfillmentStatus !== 'not_required') throw invalidTransition(row.status, 'completed', withoutCompleted(row));
  if (row.paymentStatus !== 'paid' && row.paymentStatus !== 'overpaid' && row.paymentStatus !== 'partially_refunded')
    throw problem('order_unpaid', {
      detail: `The payment status is ${row.paymentStatus}. An order can be completed when it is paid.`,
    });
}
const withoutCompleted = (row: OrderRow): OrderStatus[] => allowedFor(row).filter((status) => status !== 'completed');

/** Transitions an order with its effects, in the caller's transaction. Idempotent. @throws 409 `invalid_transition` */
export async function moveOrder(ctx: Ctx, id: string, to: OrderStatus, options: MoveOptions): Promise<OrderRow> {
  const { row } = await lockOrder(ctx, id);
  if (checkMove(row, to) === 'repeat') return row;
  const { reason } = options;
  switch (to) {
    case 'cancelled':
      return cancelOrder(ctx, id, {
        reason: reason ?? 'cancelled',
        refund: options.refund ?? true,
        notify: options.notify ?? true,
      });
    case 'shipped':
      return requireStatus(await shipOrder(ctx, id, { reason: reason ?? 'shipped', notify: options.notify ?? true }), to);
    case 'delivered':
      return requireStatus(await deliverOrder(ctx, id, reason ?? 'delivered'), to);
    case 'processing':
      if (row.status === 'shipped') return requireStatus(await returnParcels(ctx, id, reason ?? 'returned_to_sender'), to);
      return released(ctx, row, to, reason);
    case 'completed':
      checkComplete(row);
      return writeMove(ctx, row, to, reason);
    default:
      return released(ctx, row, to, reason);
  }
}

/** During a hold, an edit may have cancelled the last units to ship. */
async function released(ctx: Ctx, row: OrderRow, to: OrderStatus, reason: string | null): Promise<OrderRow> {
  const moved = await writeMove(ctx, row, to, reason);
  return row.status === 'on_hold' ? completeShipping(ctx, moved, reason ?? 'released') : moved;
}

function requireStatus(row: OrderRow, to: OrderStatus): OrderRow {
  if (row.status !== to) throw invalidTransition(row.status, to, allowedFor(row));
  return row;
}

/** Puts an order on hold. An order on hold keeps its reason. */
export async function holdOrder(ctx: Ctx, id: string, reason: string): Promise<void> {
  const { row } = await lockOrder(ctx, id);
  if (checkMove(row, 'on_hold') === 'move') await writeMove(ctx, row, 'on_hold', reason);
}

/** Checks the body and the permission of a status request. */
export function checkStatusRequest(
  ctx: Ctx,
  request: { status: OrderStatus; reason: string | null; refund: boolean | null },
): void {
  if (request.status !== 'cancelled') {
    if (request.refund !== null) throw invalid('/refund', 'unknown_field', 'is only allowed for a cancellation');
    return;
  }
  if (!ctx.can('orders.order.cancel'))
    throw problem('forbidden', {
      permission: 'orders.order.cancel',
      detail: 'Cancelling requires the permission orders.order.cancel.',
    });
  if (request.reason === null) throw invalid('/reason', 'required', 'is required for a cancellation');
}
