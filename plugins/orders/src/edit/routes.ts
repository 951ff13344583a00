import { type Ctx, checkReferences, dryRun, f, noContent, notFound, reply, route, type Shape } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { addressFields } from '@storeloom/plugin-sdk/people';
import { changeAddress } from '../address.ts';
import { loadOrder } from '../load.ts';
import { adminViewOf, wirePaymentRefund } from '../view/admin-view.ts';
import { orderShape, refundShape } from '../view/shapes.ts';
import { type EditOutcome, editOrder } from './edit.ts';
import { emptyOperation, type Operation, operationFields } from './operations.ts';

const problems = [
  'invalid_transition',
  'quantity_below_shipped',
  'last_line',
  'invoice_issued',
  'insufficient_stock',
  'currency_mismatch',
  'version_conflict',
] as const;
const editResponse = {
  order: f.object(orderShape),
  difference: f.money(),
  refunds: f.list(f.object(refundShape)).describe('The refunds of a price reduction by this change.'),
} satisfies Shape;
const refundField = f.bool().describe('Refund captured money above the new total. Otherwise staff refund it later.');

async function outcomeView(ctx: Ctx, { row, difference, refunds }: EditOutcome) {
  const order = await adminViewOf(ctx, row.id);
  return { order, difference: money(difference, row.currency), refunds: refunds.map(wirePaymentRefund) };
}
function requireItem(lines: readonly { id: string }[], itemId: string): void {
  if (!lines.some((line) => line.id === itemId)) throw notFound();
}
const editBody = {
  operations: f.list(f.object(operationFields), { min: 1, max: 100 }),
  promotions: f.oneOf(['keep', 'recalculate']).default('keep'),
  dryRun: f.bool().default(false),
  notify: f.bool().default(false),
  refund: refundField.default(true),
} satisfies Shape;

export const editRoute = route(
  'PATCH',
  '/orders/{id}/edit',
  {
    permission: 'orders.order.edit',
    summary: 'Edit the lines, shipping and surcharges of an order: every operation or none',
    body: editBody,
    partial: false,
    response: editResponse,
    problems,
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    const { operations, promotions, notify, refund } = req.body;
    await loadOrder(ctx, id);
    const run = async () =>
      outcomeView(
        ctx,
        await editOrder(ctx, id, { operations, promotions, notify, refund, pointer: (i) => `/operations/${i}` }, req.ifMatch),
      );
    return req.body.dryRun ? dryRun(ctx, run) : run();
  },
);

const singleOperation = (operation: Partial<Operation> & Pick<Operation, 'op'>) => ({
  refund: true,
  operations: [{ ...emptyOperation, ...operation }],
  promotions: 'keep' as const,
  pointer: () => '',
});

export const addItemRoute = route(
  'POST',
  '/orders/{id}/items',
  {
    permission: 'orders.order.edit',
    summary: 'Add a line at today’s price or a given one',
    body: {
      variantId: f.id(),
      quantity: f.int({ min: 1, max: 1_000_000 }),
      unitPrice: f.money({ min: 0 }).optional(),
      options: f.json().optional(),
      custom: f.json().optional(),
    },
    response: editResponse,
    status: 201,
    problems,
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    await loadOrder(ctx, id);
    const outcome = await editOrder(ctx, id, singleOperation({ op: 'add_item', ...req.body }));
    return reply(201, await outcomeView(ctx, outcome), { location: `/orders/${id}` });
  },
);

export const changeItemRoute = route(
  'PATCH',
  '/orders/{id}/items/{itemId}',
  {
    permission: 'orders.order.edit',
    summary: 'Change the quantity or price of a line',
    body: { quantity: f.int({ min: 1, max: 1_000_000 }), unitPrice: f.money({ min: 0 }), refund: refundField },
    response: editResponse,
    problems,
  },
  async (ctx: Ctx, req) => {
    const { id, itemId } = req.params as { id: string; itemId: string };
    const data = await loadOrder(ctx, id);
    requireItem(data.lines, itemId);
    const {
      quantity,
      unitPrice,
      refund = true,
    } = req.body as {
      quantity?: number;
      unitPrice?: { amount: number; currency: string };
      refund?: boolean;
    };
    const operations: Operation[] = [];
    if (quantity !== undefined) operations.push({ ...emptyOperation, op: 'change_quantity', itemId, quantity });
    if (unitPrice !== undefined) operations.push({ ...emptyOperation, op: 'set_price', itemId, unitPrice });
    return outcomeView(ctx, await editOrder(ctx, id, { operations, promotions: 'keep', refund, pointer: () => '' }, req.ifMatch));
  },
);

export const removeItemRoute = route(
  'DELETE',
  '/orders/{id}/items/{itemId}',
  {
    permission: 'orders.order.edit',
    summary: 'Remove a line; the last one can’t be removed',
    query: {
      refund: refundField.default(true),
      details: f
        .bool()
        .default(false)
        .describe(
          'Respond with 200, the order after the change, the difference and the refunds that it created, in place of 204.',
        ),
    },
    status: 204,
    otherResponses: { 200: editResponse },
    problems,
  },
  async (ctx: Ctx, req) => {
    const { id, itemId } = req.params as { id: string; itemId: string };
    const data = await loadOrder(ctx, id);
    requireItem(data.lines, itemId);
    const { refund, details } = req.query;
    const outcome = await editOrder(ctx, id, { ...singleOperation({ op: 'remove_item', itemId }), refund }, req.ifMatch);
    return details ? reply(200, await outcomeView(ctx, outcome)) : noContent();
  },
);

const changedValue = f.anyJson().optional().describe('The value of the property in the order.');

const addressBody = {
  shippingAddress: f.object(addressFields()).optional(),
  billingAddress: f.object(addressFields()).optional(),
  shippingMethodId: f
    .ref('shipping.method')
    .optional()
    .describe('Shipping method at the new address. Default: the present one, otherwise the first one that serves the address.'),
  recalculate: f.bool(),
  dryRun: f.bool(),
  refund: refundField,
} satisfies Shape;

export const addressRoute = route(
  'PATCH',
  '/orders/{id}/address',
  {
    permission: 'orders.order.update',
    summary: 'Change the addresses of an unshipped order; another location is repriced',
    body: addressBody,
    response: {
      ...editResponse,
      changes: f.list(f.object({ member: f.text(), from: changedValue, to: changedValue })),
      warnings: f.warnings(),
    },
    problems: [
      'order_has_shipments',
      'invoice_issued',
      'invalid_transition',
      'no_shipping_method',
      'shipping_method_unavailable',
      'version_conflict',
    ],
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    await loadOrder(ctx, id);
    const {
      shippingAddress,
      billingAddress,
      recalculate = true,
      dryRun: dry = false,
      refund = true,
      shippingMethodId = null,
    } = req.body;
    await checkReferences(ctx, { shippingMethodId: addressBody.shippingMethodId }, { shippingMethodId });
    const request = {
      recalculate,
      refund,
      shippingMethodId,
      ...(shippingAddress === undefined ? {} : { shippingAddress }),
      ...(billingAddress === undefined ? {} : { billingAddress }),
    };
    const run = async () => {
      const outcome = await changeAddress(ctx, id, request, req.ifMatch);
      return { ...(await outcomeView(ctx, outcome)), changes: outcome.changes, warnings: outcome.warnings };
    };
    return dry ? dryRun(ctx, run) : run();
  },
);
