import { Readable } from 'node:stream';
import { catalog, customers, orderExport, stock } from '@storeloom/commerce';
import {
  type Ctx,
  escapeCsvCell,
  FileReply,
  f,
  invalidParameter,
  parseQuery,
  type QueryParser,
  route,
  type Shape,
} from '@storeloom/plugin-sdk';
import { stringify } from 'csv-stringify/sync';
import { type ExportedProduct, nativeColumns, nativeRows } from './native.ts';

const own = { bom: f.bool().default(false).describe('Begins with a byte order mark, for spreadsheets.') } satisfies Shape;
/** A file holds all rows. */
const paging = ['limit', 'cursor', 'total'] as const;

interface ExportQuery {
  bom: boolean;
  filter: Record<string, string>;
}

/** `bom`, and the filters of the corresponding list, which parses them and rejects unknown ones. */
const exportQuery: QueryParser<ExportQuery> = {
  describes: own,
  parse(params) {
    for (const name of paging) if (params.has(name)) throw invalidParameter(name, 'is not a parameter of this route');
    const [ownParams, filters] = [new URLSearchParams(), new URLSearchParams()];
    for (const [name, value] of params) (name in own ? ownParams : filters).append(name, value);
    return { bom: parseQuery(own, ownParams).bom as boolean, filter: Object.fromEntries(filters) };
  },
};
const sameAs = (list: string) => ({ query: `GET /api/admin/${list}/`, without: paging });

/** Records of a CSV file in batches, each read in a transaction of its own. */
type Batches = (filter: Record<string, string>) => AsyncIterator<string[][]>;

/** Bytes that a slow client holds in memory at most, besides one batch. */
const chunkBytes = 64 * 1024;

/**
 * Streams a CSV file as fast as the client reads it, then records who exported how many rows. Batches are read on demand: no transaction is
 * open while the client is slow.
 */
async function exportCsv(ctx: Ctx, entity: string, columns: string[], batches: Batches, query: ExportQuery): Promise<FileReply> {
  const source = batches(query.filter);
  // Invalid filters fail here, while the response can still be a problem.
  let batch = await source.next();
  async function* content(): AsyncGenerator<Buffer> {
    let count = 0;
    try {
      yield Buffer.from((query.bom ? '\uFEFF' : '') + csvOf([columns]));
      for (; !batch.done; batch = await source.next()) {
        count += batch.value.length;
        const bytes = Buffer.from(csvOf(batch.value));
        for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
      }
    } finally {
      // Also when the client disconnects: the rows up to here have left the shop.
      await ctx.transaction((inner) => inner.audit({ entity, entityId: null, extra: { rows: count } }));
    }
  }
  const stream = Readable.from(content(), { objectMode: false, highWaterMark: chunkBytes });
  return new FileReply(stream, { type: 'text/csv; charset=utf-8', name: `${entity.split('.')[1]}s.csv` });
}

// A single line break also ends a record for many readers: quoted, it is part of its cell.
const csvOf = (rows: string[][]): string => stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });

const text = (value: unknown): string => escapeCsvCell(value === null || value === undefined ? '' : String(value));

type ExportBatch = (Omit<ExportedProduct, 'variants'> & {
  variants: (ExportedProduct['variants'][number] & { id: string })[];
})[];

export const exportProducts = route(
  'GET',
  '/export/products.csv',
  {
    permission: 'data-exchange.product.export',
    summary: 'Products as CSV, readable by the import',
    transaction: 'none',
    query: exportQuery,
    sameAs: sameAs('products'),
    produces: 'text/csv',
  },
  (ctx, req) => {
    const { locales } = ctx.tenant;
    async function* batches(filter: Record<string, string>): AsyncGenerator<string[][], void> {
      for await (const batch of ctx.require(catalog).exportProducts(filter)) {
        // Bundles and gift cards are left out: their parts can't be expressed in a CSV file.
        const products = (batch as ExportBatch).filter(({ type }) => ['physical', 'digital', 'service'].includes(type));
        const ids = products.flatMap(({ variants }) => variants.map(({ id }) => id));
        const levels = await ctx.transaction(async (inner) => inner.use(stock)?.levels(ids), { readOnly: true });
        const onHand = new Map<string, number>();
        for (const level of levels ?? []) onHand.set(level.variantId, (onHand.get(level.variantId) ?? 0) + level.onHand);
        for (const { variants } of products)
          for (const variant of variants) variant.stock = levels ? (onHand.get(variant.id) ?? 0) : null;
        yield products.flatMap((product) => nativeRows(product, locales));
      }
    }
    return exportCsv(ctx, 'catalog.product', nativeColumns(locales), batches, req.query as ExportQuery);
  },
);

/** Returns the records of rows that are objects, with `columns` in their order. */
async function* cells(
  source: AsyncIterable<Record<string, unknown>[]>,
  columns: readonly string[],
): AsyncGenerator<string[][], void> {
  for await (const rows of source) yield rows.map((row) => columns.map((column) => text(row[column])));
}

const orderColumns = [
  'number',
  'status',
  'paymentStatus',
  'fulfillmentStatus',
  'channel',
  'placedAt',
  'email',
  'phone',
  'firstName',
  'lastName',
  'company',
  'country',
  'city',
  'postalCode',
  'currency',
  'itemsSubtotal',
  'itemsDiscount',
  'shipping',
  'surcharges',
  'taxTotal',
  'total',
  'amountDue',
  'items',
  'id',
  'vatId',
  'line1',
  'line2',
  'region',
  'billingFirstName',
  'billingLastName',
  'billingCompany',
  'billingVatId',
  'billingLine1',
  'billingLine2',
  'billingCity',
  'billingRegion',
  'billingPostalCode',
  'billingCountry',
  'billingPhone',
  'customerId',
  'paymentMethod',
  'notes',
  'poNumber',
  'metadata',
];
export const exportOrders = route(
  'GET',
  '/export/orders.csv',
  {
    permission: 'data-exchange.order.export',
    summary: 'Orders as CSV',
    transaction: 'none',
    query: exportQuery,
    sameAs: sameAs('orders'),
    produces: 'text/csv',
    problems: ['provider_not_configured'],
  },
  (ctx, req) =>
    exportCsv(
      ctx,
      'orders.order',
      orderColumns,
      (filter) => cells(ctx.require(orderExport).rows(filter), orderColumns),
      req.query as ExportQuery,
    ),
);

const customerColumns = [
  'id',
  'email',
  'firstName',
  'lastName',
  'phone',
  'company',
  'vatId',
  'acceptsMarketing',
  'tags',
  'groups',
  'ordersCount',
  'totalSpent',
  'currency',
  'lastOrderAt',
  'status',
  'createdAt',
  'addresses',
];
export const exportCustomers = route(
  'GET',
  '/export/customers.csv',
  {
    permission: 'data-exchange.customer.export',
    summary: 'Customers as CSV',
    transaction: 'none',
    query: exportQuery,
    sameAs: sameAs('customers'),
    produces: 'text/csv',
  },
  (ctx, req) =>
    exportCsv(
      ctx,
      'customers.customer',
      customerColumns,
      (filter) => cells(ctx.require(customers).exportRows(filter), customerColumns),
      req.query as ExportQuery,
    ),
);
