import { type FlowLine, fulfillmentCancelCommit, fulfillmentEvents, shipping } from '@storeloom/commerce';
import { type Ctx, Problem, problem, referenceNotFound } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { allowedFor } from '../flows/order-machine.ts';
import { fulfillmentStatusOf, isCovered, unfulfilled } from '../flows/states.ts';
import { emitOrderEvent, writeMove } from '../flows/transition.ts';
import { addQuantities, loadLines, type OrderData, type OrderRow, requireFulfillment } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { fulfillment, fulfillmentLine, order } from '../tables.ts';
import { moneyFigures } from '../view/figures.ts';
import { orderView } from '../view/view.ts';
import { isOpen } from './machine.ts';
import { moveParcel, recordParcel } from './move.ts';

export interface FulfillmentRequest {
  /** Null for all unfulfilled units. */
  lines: readonly FlowLine[] | null;
  warehouseId?: string | null;
  packed?: boolean;
  notify?: boolean;
  /** Fulfil an unpaid order. */
  force?: boolean;
}

/** Adds up repeated lines. @throws 404 with the pointer of an unknown line */
function mergeLines(lines: readonly FlowLine[], known: ReadonlySet<string>): FlowLine[] {
  const merged = new Map<string, number>();
  lines.forEach(({ lineId, quantity }, i) => {
    if (!known.has(lineId)) throw referenceNotFound(`/lines/${i}/lineId`);
    merged.set(lineId, (merged.get(lineId) ?? 0) + quantity);
  });
  return [...merged].map(([lineId, quantity]) => ({ lineId, quantity }));
}

async function checkFulfillable(ctx: Ctx, { row, sheet }: OrderData, force: boolean): Promise<void> {
  if (row.status === 'on_hold' || row.status === 'cancelled') throw invalidTransition(row.status, 'processing', allowedFor(row));
  if (row.paidLater || force) return;
  const total = row.total.amount + sheet.totals.cashRounding;
  if (!isCovered({ total, tendered: row.tendered.amount, ...(await moneyFigures(ctx, row)) }))
    throw problem('order_unpaid', {
      detail: `The payment status is ${row.paymentStatus}. The order can be fulfilled when it is paid.`,
    });
}

/** Updates the fulfilment status of an order. */
export async function refreshFulfillment(ctx: Ctx, row: OrderRow): Promise<OrderRow> {
  const fulfillmentStatus = fulfillmentStatusOf(await loadLines(ctx, row.id));
  return fulfillmentStatus === row.fulfillmentStatus ? row : ctx.rows(order).update(row.id, { fulfillmentStatus });
}

/**
 * Creates a fulfilment of units of an order; a confirmed order becomes `processing`.
 * @throws 409 `quantity_exceeds_unfulfilled`, `order_unpaid`, `invalid_transition`
 */
export async function createFulfillment(
  ctx: Ctx,
  orderId: string,
  request: FulfillmentRequest,
): Promise<{ id: string; lines: FlowLine[] }> {
  const data = await lockOrder(ctx, orderId);
  const { row, lines: orderLines } = data;
  await checkFulfillable(ctx, data, request.force ?? false);
  const left = new Map(orderLines.map((line) => [line.id, unfulfilled(line)]));
  const lines = request.lines
    ? mergeLines(request.lines, new Set(left.keys()))
    : [...left].filter(([, quantity]) => quantity > 0).map(([lineId, quantity]) => ({ lineId, quantity }));
  const over = lines.filter(({ lineId, quantity }) => quantity > (left.get(lineId) ?? 0));
  if (lines.length === 0 || over.length > 0)
    throw problem('quantity_exceeds_unfulfilled', {
      detail:
        lines.length === 0
          ? 'All items of the order are fulfilled or cancelled.'
          : 'The quantity exceeds the unfulfilled quantity of the line.',
      lines: over.map(({ lineId }) => ({ lineId, unfulfilled: left.get(lineId) ?? 0 })),
    });
  const now = ctx.clock.now();
  const created = await ctx.rows(fulfillment).insert({
    orderId,
    status: request.packed ? 'packed' : 'pending',
    warehouseId: request.warehouseId ?? null,
    packedAt: request.packed ? now : null,
  });
  await recordParcel(ctx, created);
  await ctx.rows(fulfillmentLine).insertMany(lines.map((each) => ({ fulfillmentId: created.id, orderId, ...each })));
  for (const { lineId, quantity } of lines) await addQuantities(ctx, lineId, { fulfilled: quantity });
  const current = await refreshFulfillment(ctx, row);
  if (current.status === 'pending' || current.status === 'confirmed') await writeMove(ctx, current, 'processing', null);
  await ctx.emit(fulfillmentEvents.created, {
    id: orderId,
    data: { id: created.id, orderId, lines, notify: request.notify ?? false },
  });
  return { id: created.id, lines };
}

/** Cancels an unshipped fulfilment with its AWB and reserves its goods again. */
export async function cancelFulfillment(ctx: Ctx, orderId: string, fulfillmentId: string, reason: string): Promise<void> {
  const data = await lockOrder(ctx, orderId);
  const { row, lines } = await requireFulfillment(ctx, orderId, fulfillmentId);
  if (row.status === 'cancelled') return;
  if (!isOpen(row.status)) throw invalidTransition(row.status, 'cancelled', []);
  if (row.awbNumber !== null && (await ctx.use(shipping)?.cancelAwb(row.id)) === false)
    throw problem('order_has_shipments', { detail: 'The carrier has already picked up the parcel.' });
  await ctx.call(fulfillmentCancelCommit, {
    order: orderView(data),
    lines,
    fulfillmentId,
    warehouseId: row.warehouseId,
    reason,
  });
  await moveParcel(ctx, row, 'cancelled', reason, { cancelledAt: ctx.clock.now() });
  for (const { lineId, quantity } of lines) await addQuantities(ctx, lineId, { fulfilled: -quantity });
  await ctx.emit(fulfillmentEvents.cancelled, { id: orderId, data: { id: row.id, orderId, lines } });
  await emitOrderEvent(ctx, await refreshFulfillment(ctx, data.row), 'updated');
}

/** Sets carrier, AWB and tracking number. @throws 404, or 409 if the fulfilment is cancelled */
export async function setTracking(
  ctx: Ctx,
  fulfillmentId: string,
  tracking: { awbNumber?: string; carrier?: string; trackingNumber?: string },
): Promise<void> {
  const row = await ctx.rows(fulfillment).require(fulfillmentId, { lock: true });
  if (row.status === 'cancelled') throw new Problem('invalid_transition', { from: row.status, to: row.status, allowed: [] });
  await ctx.rows(fulfillment).update(fulfillmentId, tracking);
}
