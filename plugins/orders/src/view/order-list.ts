import { channels, fulfillmentStatuses, orderStatuses, paymentStatuses } from '@storeloom/commerce';
import { type Ctx, f, likePattern, list, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { loadOrder } from '../load.ts';
import { adminView } from './admin-view.ts';
import { phoneDigits } from './search-text.ts';
import { explainedOrderShape, orderShape } from './shapes.ts';

export const orderListing = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    status: { field: f.oneOf(orderStatuses) },
    paymentStatus: { field: f.oneOf(paymentStatuses) },
    fulfillmentStatus: { field: f.oneOf(fulfillmentStatuses) },
    channel: { field: f.oneOf(channels) },
    customerId: { field: f.id(), operators: ['eq', 'in'] },
    email: { field: f.email(), operators: ['eq', 'in'] },
    number: { field: f.text({ max: 60 }), column: 't.number', operators: ['eq', 'in'] },
    placedAt: { field: f.instant() },
    /** Minor units of the order's currency. */
    total: { field: f.money(), column: 't.total_amount' },
    country: { field: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }), column: 't.country' },
  },
  sorts: {
    placedAt: { column: 't.placed_at', type: 'timestamptz' },
    total: { column: 't.total_amount', type: 'int8' },
    number: { column: 't.number', type: 'text' },
  },
  defaultSort: '-placedAt',
  search(q) {
    const digits = phoneDigits(q);
    const found = (text: string) => sql`select orders_order_search(${likePattern(text)}, 10000)`;
    return digits === undefined ? sql`t.id in (${found(q)})` : sql`t.id in (${found(q)} union all ${found(digits)})`;
  },
});

const columns = sql`t.id, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version, t.number, t.status, t.payment_status as "paymentStatus",
  t.fulfillment_status as "fulfillmentStatus", t.channel, t.channel_ref as "channelRef", t.customer_id as "customerId", t.email, t.phone, t.currency,
  t.price_mode as "priceMode", t.billing_address as "billingAddress", t.shipping_address as "shippingAddress", t.country, t.payment_method as "paymentMethod",
  t.hold_reason as "holdReason", t.po_number as "poNumber", t.placed_at as "placedAt", t.paid_at as "paidAt", t.cancelled_at as "cancelledAt",
  t.total_amount as total, t.amount_due_amount as "amountDue", t.refunded_amount as refunded,
  (select coalesce(sum(l.quantity), 0)::int8 from orders_line l where l.tenant_id = t.tenant_id and l.order_id = t.id and l.removed_at is null) as units`;

const rowShape = {
  id: f.id(),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
  number: f.text(),
  status: orderShape.status,
  paymentStatus: orderShape.paymentStatus,
  fulfillmentStatus: orderShape.fulfillmentStatus,
  channel: orderShape.channel,
  channelRef: orderShape.channelRef,
  customerId: f.id().optional(),
  email: f.email(),
  phone: f.text().optional(),
  currency: f.text(),
  priceMode: orderShape.priceMode,
  billingAddress: orderShape.billingAddress,
  shippingAddress: orderShape.shippingAddress,
  country: f.text(),
  paymentMethod: f.text().optional(),
  holdReason: f.text().optional(),
  poNumber: f.text().optional(),
  placedAt: f.instant(),
  paidAt: f.instant().optional(),
  cancelledAt: f.instant().optional(),
  total: f.money(),
  amountDue: f.money(),
  refunded: f.money(),
  units: f.int(),
};

type ListView = RowOf<typeof rowShape>;
type ListRow = Omit<ListView, 'total' | 'amountDue' | 'refunded'> & Record<'total' | 'amountDue' | 'refunded', number>;

export const orderListRoute = route(
  'GET',
  '/orders/',
  { permission: 'orders.order.read', summary: 'List orders, newest first', query: orderListing, response: rowShape, list: true },
  (ctx: Ctx, req) =>
    orderListing.run<ListRow, ListView>(
      ctx,
      req.query,
      { select: columns, from: sql`orders_order t`, where: sql`t.tenant_id = ${ctx.tenant.id}` },
      (rows) =>
        rows.map((row) => ({
          ...row,
          total: money(row.total, row.currency),
          amountDue: money(row.amountDue, row.currency),
          refunded: money(row.refunded, row.currency),
        })),
    ),
);

export const orderGetRoute = route(
  'GET',
  '/orders/{id}',
  {
    permission: 'orders.order.read',
    summary: 'Get an order; `explain` adds the trace of its prices',
    query: { explain: f.bool().default(false) },
    response: explainedOrderShape,
  },
  async (ctx: Ctx, req) => {
    const data = await loadOrder(ctx, req.params.id as string);
    return { ...(await adminView(ctx, data)), trace: req.query.explain ? data.sheet.trace : null };
  },
);
