import type { PublicOrder } from '@storeloom/commerce';
import { type Ctx, sql, type TableRow } from '@storeloom/plugin-sdk';
import { pick } from '@storeloom/plugin-sdk/public';
import { cachedPlacedOrder, type FulfillmentData, loadFulfillments, loadOrder, type OrderData } from '../load.ts';
import { type invoice, refund } from '../tables.ts';
import { isLive, type RefundRow } from './figures.ts';
import { wireLine, wireSheet } from './wire.ts';

const orderMembers = [
  'id',
  'number',
  'status',
  'paymentStatus',
  'fulfillmentStatus',
  'channel',
  'email',
  'phone',
  'currency',
  'priceMode',
  'billingAddress',
  'shippingAddress',
  'paymentMethod',
  'notes',
  'poNumber',
  'placedAt',
  'paidAt',
  'shippedAt',
  'deliveredAt',
  'completedAt',
  'cancelledAt',
  'version',
] as const;
const lineMembers = [
  'id',
  'kind',
  'variantId',
  'productId',
  'sku',
  'title',
  'image',
  'quantity',
  'unitPrice',
  'listPrice',
  'lineSubtotal',
  'discounts',
  'discountTotal',
  'taxLines',
  'tax',
  'total',
  'options',
  'custom',
  'data',
  'children',
  'ships',
  'quantityFulfilled',
  'quantityShipped',
  'quantityDelivered',
  'quantityReturned',
  'quantityCancelled',
  'quantityRefunded',
] as const;

function publicFulfillment({ row, lines }: FulfillmentData) {
  return { ...pick(row, ['id', 'status', 'carrier', 'trackingNumber', 'awbNumber', 'shippedAt', 'deliveredAt']), lines };
}
const publicRefund = (row: RefundRow) => pick(row, ['id', 'amount', 'status', 'method', 'createdAt']);

type InvoiceHead = Pick<TableRow<typeof invoice>, 'orderId' | 'number' | 'kind' | 'issuedAt' | 'total'>;

/** The buyer's view, an allow-list of properties without internal notes, trace, risk and IP address. */
function view(
  { row, lines, sheet, pricing }: OrderData,
  parcels: readonly FulfillmentData[],
  refunds: readonly RefundRow[],
  documents: readonly InvoiceHead[],
): PublicOrder {
  const money = wireSheet(row, sheet, pricing);
  return {
    ...pick(row, orderMembers),
    lines: lines.map((line) => pick(wireLine(line, sheet), lineMembers)),
    shippingLines: money.shippingLines,
    surcharges: money.surcharges,
    discounts: money.discounts,
    taxSummary: money.taxSummary,
    totals: money.totals,
    refunded: row.refunded,
    fulfillments: parcels.filter((each) => each.row.status !== 'cancelled').map(publicFulfillment),
    refunds: refunds.filter(isLive).map(publicRefund),
    invoices: documents.map((each) => pick(each, ['number', 'kind', 'issuedAt', 'total'])),
  };
}

/** The buyer's view of an order by its id. @throws 404 */
export async function viewOf(ctx: Ctx, id: string): Promise<PublicOrder> {
  const placed = cachedPlacedOrder(ctx, id);
  return placed ? view(placed, [], [], []) : publicView(ctx, await loadOrder(ctx, id));
}

export async function publicView(ctx: Ctx, data: OrderData): Promise<PublicOrder> {
  const [shown] = await publicViews(ctx, [data]);
  return shown as PublicOrder;
}

/** The buyer's views of several orders, with one query per table. */
export async function publicViews(ctx: Ctx, orders: readonly OrderData[]): Promise<PublicOrder[]> {
  if (orders.length === 0) return [];
  const ids = orders.map(({ row }) => row.id);
  const [parcels, refunds, documents] = await Promise.all([
    loadFulfillments(ctx, ids),
    ctx.rows(refund).find({ orderId: ids }, { orderBy: ['createdAt', 'id'] }),
    ctx.db.rows<InvoiceHead>(sql`
    select order_id as "orderId", number, kind, issued_at as "issuedAt", json_build_object('amount', total_amount, 'currency', total_currency) as total
    from orders_invoice where tenant_id = ${ctx.tenant.id} and order_id = any(${ids}::uuid[]) order by issued_at, sequence, id`),
  ]);
  return orders.map((data) =>
    view(
      data,
      parcels.filter(({ row }) => row.orderId === data.row.id),
      refunds.filter((each) => each.orderId === data.row.id),
      documents.filter((each) => each.orderId === data.row.id),
    ),
  );
}
