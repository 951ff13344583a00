import { type EditInput, editCommit, type RefundView } from '@storeloom/commerce';
import { type Ctx, checkReferences, checkVersion, problem, sql } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { allowedFor } from '../flows/order-machine.ts';
import { emitOrderEvent } from '../flows/transition.ts';
import { completeShipping } from '../fulfillment/complete.ts';
import { cancelFulfillment } from '../fulfillment/fulfillment.ts';
import { correctInvoices } from '../invoice/credit.ts';
import { loadOrder, type OrderData, type OrderRow, withData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { promotionAmountsOf, promotionIdsOf } from '../placing/snapshot.ts';
import { queued } from '../queued.ts';
import { order } from '../tables.ts';
import { moneyFigures, refreshFigures } from '../view/figures.ts';
import { paymentRefundsOf } from '../view/order-payments.ts';
import { orderView } from '../view/view.ts';
import { checkOperation, type Operation, operationFields } from './operations.ts';
import { planEdit } from './plan.ts';
import { priceEdit } from './price.ts';
import { writeEdit } from './write.ts';

export interface EditRequest {
  operations: readonly Operation[];
  promotions: 'keep' | 'recalculate';
  notify?: boolean;
  /** Refund captured money above the new total. */
  refund: boolean;
  /** JSON pointer of operation i in the body. */
  pointer(i: number): string;
}
export interface EditOutcome {
  row: OrderRow;
  /** New total − old total, minor units. */
  difference: number;
  /** Refunds of the difference by payments. */
  refunds: RefundView[];
}

const refundPermission = 'orders.order.refund';
const closedStatuses = ['shipped', 'delivered', 'completed', 'cancelled'];

/** @throws 409 `invalid_transition` if shipped, finished or cancelled, `invoice_issued` if an invoice was submitted */
export async function checkEditable(ctx: Ctx, row: OrderRow, to: string): Promise<void> {
  if (closedStatuses.includes(row.status)) throw invalidTransition(row.status, to, allowedFor(row));
  const locked =
    await ctx.db.first(sql`select from orders_invoice i join orders_invoice_state s on s.tenant_id = i.tenant_id and s.invoice_id = i.id
    where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${row.id} and s.locks`);
  if (locked)
    throw problem('invoice_issued', {
      detail: 'An invoice of this order was submitted to the tax authority. Issue a credit note instead.',
    });
}

/**
 * The commit shared by edits and address changes: hooks of other plugins, then money and documents. @throws 403 if it refunds money and the
 * caller lacks the permission
 */
export async function commitEdit(
  ctx: Ctx,
  before: OrderData,
  after: OrderData,
  changes: EditInput['changes'],
  { refund, reason }: { refund: boolean; reason: string },
): Promise<EditOutcome> {
  const difference = after.row.total.amount - before.row.total.amount;
  const earlier = new Set((await paymentRefundsOf(ctx, after.row.id)).map(({ id }) => id));
  const mayRefund = difference >= 0 || ctx.can(refundPermission);
  const refunded = mayRefund ? 0 : (await moneyFigures(ctx, after.row)).refunded;
  await ctx.call(editCommit, {
    order: orderView(after),
    changes,
    difference,
    promotions: {
      before: promotionIdsOf(before),
      after: promotionIdsOf(after),
      amounts: promotionAmountsOf(after.sheet),
    },
    refund,
    reason,
  });
  const row = await refreshFigures(ctx, await ctx.rows(order).require(after.row.id, { lock: true }));
  // Checked after the hooks, because only a refund of captured money needs the permission; the error rolls back.
  if (!mayRefund && row.refunded.amount > refunded)
    throw problem('forbidden', {
      permission: refundPermission,
      detail: `This edit refunds money and requires the permission ${refundPermission}.`,
    });
  await correctInvoices(ctx, before, { ...after, row }, reason);
  await emitOrderEvent(ctx, row, 'edited');
  const refunds = (await paymentRefundsOf(ctx, row.id)).filter(({ id }) => !earlier.has(id));
  return { row: await completeShipping(ctx, row, reason), difference, refunds };
}

/** Applies all operations or none to an unshipped order. Problems contain the pointer of the operation. */
export async function editOrder(ctx: Ctx, id: string, request: EditRequest, ifMatch?: number): Promise<EditOutcome> {
  const locked = await lockOrder(ctx, id);
  checkVersion(ifMatch, locked.row);
  await checkEditable(ctx, locked.row, 'edited');
  for (const [i, operation] of request.operations.entries()) {
    checkOperation(operation, request.pointer(i), locked.row.currency);
    await checkReferences(ctx, operationFields, operation, request.pointer(i));
  }
  if (request.operations.length === 0) return { row: locked.row, difference: 0, refunds: [] };
  const reason = `edit: ${[...new Set(request.operations.map(({ op }) => op))].join(', ')}`;
  let cancelled = false;
  for (const { op, fulfillmentId } of request.operations) {
    if (op !== 'cancel_fulfillment' || fulfillmentId === null) continue;
    await cancelFulfillment(ctx, id, fulfillmentId, reason);
    cancelled = true;
  }
  const before = cancelled ? await loadOrder(ctx, id) : locked;
  const plan = planEdit(
    before.lines,
    request.operations.map((operation, i) => ({ operation, pointer: request.pointer(i) })),
  );
  if (request.operations.every(({ op }) => op === 'cancel_fulfillment')) return { row: before.row, difference: 0, refunds: [] };
  const edited = await priceEdit(ctx, before, plan, request.promotions);
  const { after, changes } = await writeEdit(ctx, before, edited, reason);
  const outcome = await commitEdit(ctx, before, after, changes, { refund: request.refund, reason });
  await ctx.audit({
    entity: 'orders.order',
    entityId: id,
    action: 'orders.order.edit',
    before: summary(before),
    after: summary(await withData(ctx, outcome.row)),
    extra: { difference: { amount: outcome.difference, currency: outcome.row.currency }, refund: request.refund },
  });
  if (request.notify) await ctx.enqueue(queued.mail, { template: 'edited', orderId: id, key: `edited ${outcome.row.version}` });
  return outcome;
}

function summary({ row, lines }: OrderData): object {
  return { total: row.total, lines: lines.map(({ id, sku, quantity }) => ({ id, sku, quantity })) };
}
