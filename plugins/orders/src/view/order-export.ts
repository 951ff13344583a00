import { type OrderExport, orderExport } from '@storeloom/commerce';
import { type Ctx, type Provider, provide, sql } from '@storeloom/plugin-sdk';
import { money, toDecimalString } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import { type OrderData, withAllData } from '../load.ts';
import { order } from '../tables.ts';
import { orderListing } from './order-list.ts';

/** The parts of a billing address, as columns of their own. */
const billingColumns = (address: Address): Record<string, unknown> =>
  Object.fromEntries(
    (
      ['firstName', 'lastName', 'company', 'vatId', 'line1', 'line2', 'city', 'region', 'postalCode', 'country', 'phone'] as const
    ).map((name) => [`billing${name[0]?.toUpperCase()}${name.slice(1)}`, address[name]]),
  );

function exportRow({ row, lines, sheet }: OrderData): Record<string, unknown> {
  const { totals, currency } = sheet;
  const decimal = (amount: number): string => toDecimalString(money(amount, currency));
  const { firstName, lastName, company, vatId, line1, line2, country, region, city, postalCode } =
    row.shippingAddress ?? row.billingAddress;
  const { id, number, status, paymentStatus, fulfillmentStatus, channel, placedAt, email, phone } = row;
  const { customerId, paymentMethod, notes, poNumber, metadata } = row;
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
    vatId,
    line1,
    line2,
    region,
    ...billingColumns(row.billingAddress),
    customerId,
    paymentMethod,
    notes,
    poNumber,
    metadata: metadata === null ? null : JSON.stringify(metadata),
  };
}

const batchSize = 100;

/**
 * Exports orders that match the filters of the admin list, in its order. Each batch has a transaction of its own, so a slow reader holds no
 * connection; orders placed after the first batch are left out, so the export ends.
 * @throws Problem 400 `invalid_parameter` for a filter that the list doesn't take
 */
async function* exportRows(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]> {
  let last: string | undefined;
  let cursor: string | null = null;
  do {
    const params = new URLSearchParams({ ...filter, limit: String(batchSize), ...(cursor === null ? {} : { cursor }) });
    const query = orderListing.parse(params);
    const batch: { rows: Record<string, unknown>[]; nextCursor: string | null } = await ctx.transaction(
      async (inner) => {
        const ofTenant = sql`t.tenant_id = ${inner.tenant.id}`;
        last ??= (
          await inner.db.first<{ id: string }>(sql`select id from orders_order t where ${ofTenant} order by id desc limit 1`)
        )?.id;
        if (last === undefined) return { rows: [], nextCursor: null };
        const { data, page } = await orderListing.run<{ id: string }>(inner, query, {
          select: sql`t.id`,
          from: sql`orders_order t`,
          where: sql`${ofTenant} and t.id <= ${last}`,
        });
        const ids = data.map(({ id }) => id);
        const found = ids.length === 0 ? [] : await inner.rows(order).find({ id: ids });
        const sorted = ids.flatMap((id) => found.find((row) => row.id === id) ?? []);
        return { rows: (await withAllData(inner, sorted)).map(exportRow), nextCursor: page.nextCursor };
      },
      { readOnly: true },
    );
    cursor = batch.nextCursor;
    if (batch.rows.length > 0) yield batch.rows;
  } while (cursor !== null);
}

export const orderExportProvider: Provider<OrderExport> = provide(orderExport, (ctx) => ({
  rows: (filter) => exportRows(ctx, filter),
}));
