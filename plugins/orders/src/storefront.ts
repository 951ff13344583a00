import { fulfillmentStatuses, orderStatuses, publicOrderShape, shipping } from '@storeloom/commerce';
import { type Ctx, f, notFound, route, type Shape, sql } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';
import { invoicesOf } from './invoice/invoice.ts';
import { pdfReply } from './invoice/routes.ts';
import { findOrder, loadFulfillments, type OrderData, type OrderRow } from './load.ts';
import { isTokenValid } from './placing/order-token.ts';
import { isVisibleTo } from './view/customer-orders.ts';
import { publicView } from './view/public-view.ts';

/** Whether the caller is the buyer: signed in, or with the order's token. */
async function canRead(ctx: Ctx, row: OrderRow): Promise<boolean> {
  if (isTokenValid(ctx, row, ctx.tokens.order)) return true;
  if (ctx.actor.type !== 'customer') return false;
  return isVisibleTo(ctx, row.id, ctx.actor.customerId);
}

async function requireVisibleOrder(ctx: Ctx, id: string): Promise<OrderData> {
  const data = await findOrder(ctx, id);
  if (!data || !(await canRead(ctx, data.row))) throw notFound();
  return data;
}

export const storefrontOrder = route(
  'GET',
  '/orders/{id}',
  { summary: 'Get an order of the buyer', response: publicOrderShape },
  async (ctx: Ctx, req) => publicView(ctx, await requireVisibleOrder(ctx, req.params.id as string)),
);

export const storefrontInvoice = route(
  'GET',
  '/orders/{orderId}/invoice',
  { summary: 'Download the newest invoice of an order as PDF', produces: 'application/pdf' },
  async (ctx: Ctx, req) => {
    const { row } = await requireVisibleOrder(ctx, req.params.orderId as string);
    const newest = (await invoicesOf(ctx, row.id)).filter((each) => each.kind === 'invoice').at(-1);
    if (!newest) throw notFound('The order has no invoice yet.');
    return pdfReply(newest);
  },
);

interface Shipment {
  carrier: string | null;
  status: string;
  events: { code: string; status: string; at: string; location: string | null; description: string | null }[];
}

async function shipmentsOf(ctx: Ctx, orderId: string): Promise<Shipment[]> {
  const awbs = (await ctx.use(shipping)?.awbsOf(orderId)) ?? [];
  const parcels = (await loadFulfillments(ctx, orderId)).filter(({ row }) => row.status !== 'cancelled');
  return parcels.map(({ row }) => {
    const awb = awbs.find((each) => each.fulfillmentId === row.id);
    return { carrier: row.carrier ?? awb?.provider ?? null, status: awb?.status ?? row.status, events: awb?.events ?? [] };
  });
}

const trackBody = { orderNumber: f.text({ max: 60 }), email: f.email() } satisfies Shape;
const event = f.object({
  code: f.text(),
  status: f.text(),
  at: f.instant(),
  location: f.text().optional(),
  description: f.text().optional(),
});

/** One statement checks number and address, so that the response time reveals neither. */
export const trackRoute = route(
  'POST',
  '/orders/track',
  {
    summary: 'Track an order by its number and the e-mail address of its buyer',
    body: trackBody,
    response: {
      number: f.text(),
      status: f.oneOf(orderStatuses),
      fulfillmentStatus: f.oneOf(fulfillmentStatuses),
      placedAt: f.instant(),
      shipments: f.list(f.object({ carrier: f.text().optional(), status: f.text(), events: f.list(event) })),
    },
    rateLimit: { points: 10, seconds: 60, name: 'orders.track' },
    idempotent: false,
  },
  async (ctx: Ctx, req) => {
    const { orderNumber, email } = req.body;
    const row = await ctx.db.first<Pick<OrderRow, 'id' | 'number' | 'status' | 'fulfillmentStatus' | 'placedAt'>>(sql`
      select id, number, status, fulfillment_status as "fulfillmentStatus", placed_at as "placedAt" from orders_order
      where tenant_id = ${ctx.tenant.id} and number = ${orderNumber} and email = ${normalizeEmail(email)}`);
    if (!row) throw notFound();
    const { id, ...shown } = row;
    return { ...shown, shipments: await shipmentsOf(ctx, id) };
  },
);
