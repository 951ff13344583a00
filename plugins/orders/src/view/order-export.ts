import { type OrderExport, orderExport } from '@storeloom/commerce';
import { type Ctx, type Provider, provide, sql } from '@storeloom/plugin-sdk';
import { money, toDecimalString } from '@storeloom/plugin-sdk/money';
import { type OrderData, withAllData } from '../load.ts';
import { order } from '../tables.ts';
import { orderListing } from './order-list.ts';

function exportRow({ row, lines, sheet }: OrderData): Record<string, unknown> {
  const { totals, currency } = sheet;
  const decimal = (amount: number): string => toDecimalString(money(amount, currency));
  const { firstName, lastName, company, country, city, postalCode } = row.shippingAddress ?? row.billingAddress;
  const { id, number, status, paymentStatus, fulfillmentStatus, channel, placedAt, email, phone } = row;
  return {
    id,
    number,
    status,
    paymentStatus,
    fulfillmentStatus,
    channel,
    placedAt,
    email,
    phone,
    firstName,
    lastName,
    company,
    country,
    city,
    postalCode,
    currency,
    itemsSubtotal: decimal(totals.itemsSubtotal),
    itemsDiscount: decimal(totals.itemsDiscount),
    shipping: decimal(totals.shipping - totals.shippingDiscount),
    surcharges: decimal(totals.surcharges),
    taxTotal: decimal(totals.taxTotal),
    total: decimal(totals.total),
    amountDue: decimal(row.amountDue.amount),
    items: lines.map((line) => `${line.quantity} × ${line.sku ?? line.title}`).join('; '),
  };
}

/** Exports page by page in the caller's transaction. @throws 400 for an unknown filter */
async function* exportRows(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>> {
  let cursor: string | null = null;
  do {
    const params = new URLSearchParams({ ...filter, limit: '100', ...(cursor === null ? {} : { cursor }) });
    const page: { data: { id: string }[]; page: { nextCursor: string | null } } = await orderListing.run<{ id: string }>(
      ctx,
      orderListing.parse(params),
      { select: sql`t.id`, from: sql`orders_order t`, where: sql`t.tenant_id = ${ctx.tenant.id}` },
    );
    const ids = page.data.map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await ctx.rows(order).find({ id: ids });
    const sorted = ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
    for (const data of await withAllData(ctx, sorted)) yield exportRow(data);
    cursor = page.page.nextCursor;
  } while (cursor !== null);
}

export const orderExportProvider: Provider<OrderExport> = provide(orderExport, (ctx) => ({
  rows: (filter) => exportRows(ctx, filter),
}));
