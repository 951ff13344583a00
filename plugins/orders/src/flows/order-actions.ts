import { orderStatuses, type RefundRequest, refundMethods } from '@storeloom/commerce';
import { type Ctx, checkReferences, created, dryRun, f, problem, route, type Shape } from '@storeloom/plugin-sdk';
import { createFulfillment } from '../fulfillment/fulfillment.ts';
import { shipOrder } from '../fulfillment/ship.ts';
import { loadOrder, requireFulfillment } from '../load.ts';
import { queued } from '../queued.ts';
import { refundOrder } from '../refund/refund.ts';
import { adminView, adminViewOf, wireFulfillment, wireRefund } from '../view/admin-view.ts';
import { fulfillmentShape, orderShape, refundShape } from '../view/shapes.ts';
import { checkStatusRequest, moveOrder } from './move.ts';

const statusBody = {
  status: f.oneOf(orderStatuses),
  reason: f.text({ max: 500 }).optional(),
  notify: f.bool().default(true),
  refund: f.bool().optional(),
} satisfies Shape;

export const statusRoute = route(
  'POST',
  '/orders/{id}/status',
  {
    permission: 'orders.order.status',
    summary: 'Change the status of an order; cancelling needs orders.order.cancel and a reason',
    body: statusBody,
    response: orderShape,
    problems: ['invalid_transition', 'order_has_shipments', 'order_unpaid'],
  },
  async (ctx: Ctx, req) => {
    const { body } = req;
    const id = req.params.id as string;
    const before = await loadOrder(ctx, id);
    checkStatusRequest(ctx, body);
    const row = await moveOrder(ctx, id, body.status, {
      reason: body.reason,
      notify: body.notify,
      ...(body.refund === null ? {} : { refund: body.refund }),
    });
    if (row.version !== before.row.version)
      await ctx.audit({
        entity: 'orders.order',
        entityId: id,
        action: body.status === 'cancelled' ? 'orders.order.cancel' : 'orders.order.status',
        before: { status: before.row.status },
        after: { status: row.status },
        extra: {
          reason: body.reason,
          ...(body.status === 'cancelled' ? { refund: body.refund ?? true, amount: row.refunded } : {}),
        },
      });
    return adminViewOf(ctx, id);
  },
);

const shipBody = {
  fulfillmentId: f.id().optional(),
  trackingNumber: f.text({ max: 100 }).optional(),
  carrier: f.text({ max: 60 }).optional(),
  notify: f.bool().default(true),
} satisfies Shape;

export const shipRoute = route(
  'POST',
  '/orders/{id}/ship',
  {
    permission: 'orders.fulfillment.ship',
    summary: 'Ship open parcels, or everything left',
    body: shipBody,
    response: orderShape,
    problems: ['invalid_transition', 'order_unpaid', 'quantity_exceeds_unfulfilled', 'insufficient_stock'],
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    const before = await loadOrder(ctx, id);
    const row = await shipOrder(ctx, id, req.body);
    if (row.version !== before.row.version)
      await ctx.audit({
        entity: 'orders.order',
        entityId: id,
        before: { status: before.row.status, fulfillmentStatus: before.row.fulfillmentStatus },
        after: { status: row.status, fulfillmentStatus: row.fulfillmentStatus },
      });
    return adminViewOf(ctx, id);
  },
);

const unit = { lineId: f.id(), quantity: f.int({ min: 1, max: 1_000_000 }) };
const fulfillmentBody = {
  lines: f.list(f.object(unit), { min: 1 }),
  warehouseId: f.ref('inventory.warehouse').optional(),
  packed: f.bool().default(false),
  notify: f.bool().default(false),
  force: f.bool().default(false),
} satisfies Shape;

export const fulfillmentRoute = route(
  'POST',
  '/orders/{id}/fulfillments',
  {
    permission: 'orders.fulfillment.create',
    summary: 'Create a fulfilment of units of an order',
    body: fulfillmentBody,
    response: fulfillmentShape,
    status: 201,
    problems: ['quantity_exceeds_unfulfilled', 'order_unpaid', 'invalid_transition'],
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    await loadOrder(ctx, id);
    if (req.body.force && !ctx.can('orders.fulfillment.force'))
      throw problem('forbidden', {
        permission: 'orders.fulfillment.force',
        detail: 'Fulfilling an unpaid order requires the permission orders.fulfillment.force.',
      });
    await checkReferences(ctx, { warehouseId: fulfillmentBody.warehouseId }, { warehouseId: req.body.warehouseId });
    const fulfillment = await createFulfillment(ctx, id, req.body);
    await ctx.audit({
      entity: 'orders.fulfillment',
      entityId: fulfillment.id,
      after: { orderId: id, lines: fulfillment.lines },
      extra: { force: req.body.force },
    });
    if (req.body.notify)
      await ctx.enqueue(queued.mail, {
        template: 'packing',
        orderId: id,
        fulfillmentId: fulfillment.id,
        key: `packing ${fulfillment.id}`,
      });
    return created(`/orders/${id}`, wireFulfillment(await requireFulfillment(ctx, id, fulfillment.id)));
  },
);

const refundBody = {
  amount: f.money({ min: 0 }).optional(),
  lines: f.list(f.object({ ...unit, restock: f.bool().default(false) }), { min: 1 }).optional(),
  shipping: f.money({ min: 0 }).optional(),
  reason: f.text({ max: 500 }),
  paymentId: f.id().optional(),
  method: f.oneOf(refundMethods).default('original'),
  dryRun: f.bool().default(false),
} satisfies Shape;

export const refundRoute = route(
  'POST',
  '/orders/{id}/refund',
  {
    permission: 'orders.order.refund',
    summary: 'Refund an amount, or units of lines at the price paid',
    body: refundBody,
    response: { refund: f.object(refundShape), order: f.object(orderShape) },
    problems: [
      'refund_exceeds_captured',
      'quantity_exceeds_unfulfilled',
      'invalid_transition',
      'invoice_issued',
      'last_line',
      'method_unavailable',
      'currency_mismatch',
      'money_invalid',
    ],
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    const { row } = await loadOrder(ctx, id);
    const { body } = req;
    for (const member of ['amount', 'shipping'] as const) {
      const money = body[member];
      if (money && money.currency !== row.currency)
        throw problem('currency_mismatch', {
          detail: `The refund must be in the order's currency, ${row.currency}.`,
          errors: [{ pointer: `/${member}/currency`, code: 'currency_mismatch', message: `must be ${row.currency}` }],
        });
    }
    const request: RefundRequest = {
      reason: body.reason,
      method: body.method,
      ...(body.amount === null ? {} : { amount: body.amount.amount }),
      ...(body.lines === null ? {} : { lines: body.lines }),
      ...(body.shipping === null ? {} : { shipping: body.shipping.amount }),
      ...(body.paymentId === null ? {} : { paymentId: body.paymentId }),
    };
    const run = async () => {
      const outcome = await refundOrder(ctx, id, request);
      return { refund: wireRefund(outcome.refund), order: await adminView(ctx, await loadOrder(ctx, id)) };
    };
    return body.dryRun ? dryRun(ctx, run) : run();
  },
);
