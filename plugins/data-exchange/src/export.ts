import { PassThrough, type Transform } from 'node:stream';
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
  sql,
} from '@storeloom/plugin-sdk';
import { stringify } from 'csv-stringify';
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

/** Resolves when more can be written, or the reader is gone: a stream without a reader never drains. */
function room(csv: Transform, output: PassThrough): Promise<void> {
  if (output.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      csv.off('drain', done);
      output.off('close', done);
      resolve();
    };
    csv.on('drain', done);
    output.on('close', done);
  });
}

type Rows = (ctx: Ctx, filter: Record<string, string>) => AsyncIterable<string[]>;

/** Streams a CSV file out of one read-only transaction, then notes who took how many rows. */
async function exportCsv(ctx: Ctx, entity: string, columns: string[], rows: Rows, query: ExportQuery): Promise<FileReply> {
  const output = new PassThrough();
  // A lone line break ends a record for many readers too: quoted, it is a part of its cell.
  const csv = stringify({ record_delimiter: 'windows', quoted_match: /[\r\n]/ });
  csv.pipe(output);
  if (query.bom) output.write('\uFEFF');
  let started: (() => void) | undefined;
  let refused: ((error: unknown) => void) | undefined;
  // The first row decides whether the filters are taken: until then the answer can still be a problem.
  const first = new Promise<void>((resolve, reject) => {
    started = resolve;
    refused = reject;
  });
  let count = 0;
  const work = ctx.transaction(
    async (inner) => {
      await inner.db.run(sql`select set_config('idle_in_transaction_session_timeout', '300000', true)`);
      csv.write(columns);
      for await (const row of rows(inner, query.filter)) {
        started?.();
        count++;
        if (!csv.write(row)) await room(csv, output);
        // The client has disconnected: record the rows read so far and stop.
        if (output.destroyed) break;
      }
      started?.();
    },
    { readOnly: true },
  );
  work
    .then(() => ctx.transaction((inner) => inner.audit({ entity, entityId: null, extra: { rows: count } })))
    .then(
      () => {
        if (output.destroyed) csv.destroy();
        else csv.end();
      },
      (error: unknown) => {
        refused?.(error);
        // Before the first row the response is a problem and the stream is unused; after it the stream breaks, so that a truncated file is noticed.
        if (count === 0) output.destroy();
        else output.destroy(error instanceof Error ? error : new Error('the export failed'));
      },
    );
  await first;
  return new FileReply(output, { type: 'text/csv; charset=utf-8', name: `${entity.split('.')[1]}s.csv` });
}

const text = (value: unknown): string => escapeCsvCell(value === null || value === undefined ? '' : String(value));

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
    async function* rows(inner: Ctx, filter: Record<string, string>): AsyncIterable<string[]> {
      const levels = inner.use(stock);
      for await (const each of inner.require(catalog).exportProducts(filter)) {
        const product = each as unknown as Omit<ExportedProduct, 'variants'> & {
          variants: (ExportedProduct['variants'][number] & { id: string })[];
        };
        // Bundles and gift cards are made by hand: a file can't say all that they are.
        if (!['physical', 'digital', 'service'].includes(product.type)) continue;
        const onHand = new Map<string, number>();
        for (const level of (await levels?.levels(product.variants.map((variant) => variant.id))) ?? [])
          onHand.set(level.variantId, (onHand.get(level.variantId) ?? 0) + level.onHand);
        for (const variant of product.variants) variant.stock = levels ? (onHand.get(variant.id) ?? 0) : null;
        yield* nativeRows(product, locales);
      }
    }
    return exportCsv(ctx, 'catalog.product', nativeColumns(locales), rows, req.query as ExportQuery);
  },
);

/** Columns of rows that come as objects, in a fixed order. */
async function* cells(source: AsyncIterable<Record<string, unknown>>, columns: readonly string[]): AsyncIterable<string[]> {
  for await (const row of source) yield columns.map((column) => text(row[column]));
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
  },
  (ctx, req) =>
    exportCsv(
      ctx,
      'orders.order',
      orderColumns,
      (inner, filter) => cells(inner.require(orderExport).rows(filter), orderColumns),
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
      (inner, filter) => cells(inner.require(customers).exportRows(filter), customerColumns),
      req.query as ExportQuery,
    ),
);
