import { createClient, type Pages, ProblemError, type Slice } from '@storeloom/client';
import * as slices from '@storeloom/client/slices';
import { verify } from '@storeloom/client/webhooks';
import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { newSecret, signature } from '../plugins/webhooks/src/signature.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';

let till: Till;
let shop: TestShop;
let customer: TestClient;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  shop = till.shop;
  await fill(till, shop.a);
  customer = await shop.a.customer(undefined, { confirmed: true });
});
// `stop` fails if a response differed from the OpenAPI document, from which the client's types are generated.
afterAll(() => till?.stop());

/** Sends what the client sends by a test client, which compares each response with the document. */
const through =
  (caller: TestClient) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const { host: _, ...headers } = init.headers as Record<string, string>;
    const options = {
      headers,
      ...(init.body ? { raw: { content: init.body as string, type: headers['content-type'] ?? '' } } : {}),
    };
    const { status, text, headers: returned } = await caller.call(init.method ?? 'GET', pathname + search, options);
    const list = Object.entries(returned).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response([204, 304].includes(status) ? null : text, { status, headers: list });
  };

const all = Object.values(slices) as Slice[];
const clientOf = (caller: TestClient) =>
  createClient({ baseUrl: 'https://shop.example', slices: all, fetch: through(caller), retries: 0 });

type Methods = Record<string, unknown>;
type Method = (...args: unknown[]) => unknown;
const at = (root: object, name: string): Method =>
  name.split('.').reduce((value: unknown, step) => (value as Methods)[step], root) as Method;

interface Read {
  family: string;
  name: string;
  path: string;
  isList: boolean;
}
/** Every GET of the slices that isn't a redirect; those with fewer parameters first. */
const reads: Read[] = all
  .flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([family, table]) =>
      (table as string)
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string, string, string?])
        .filter(([, method, , flags = '']) => method === 'GET' && !flags.includes('r'))
        .map(([name, , path, flags = '']) => ({ family, name, path, isList: flags.includes('l') })),
    ),
  )
  .sort((a, b) => a.path.split('{}').length - b.path.split('{}').length);

const callers: Record<string, () => object> = {
  admin: () => clientOf(shop.a.admin).admin,
  superAdmin: () => clientOf(shop.operator).superAdmin,
  storefront: () => clientOf(customer).storefront(),
  auth: () => clientOf(customer).auth,
  system: () => clientOf(shop.a.guest).system,
};

/** Values of parameters that no list returns. */
const known = (): Record<string, string[]> => ({
  'admin.plugins.settings': ['catalog'],
  'admin.tenantQuotas.list': [shop.a.id],
  'admin.metafields.list': ['customers.customer', (customer as TestClient & { customerId: string }).customerId],
  'system.errors.get': ['not_found'],
});
/** What this shop hasn't got: a bundle's page, a draft to pay, a visitor's order, a file, a waybill, a carrier, a theme, a queued import, a proof of VAT. */
const missing = new Set([
  'admin.bundles.get',
  'admin.import.get',
  'admin.inventory.movements.list',
  'admin.orders.awb.label',
  'admin.orders.awb.tracking',
  'admin.settings.get',
  'admin.shippingCarriers.get',
  'admin.volumePrices.list',
  'storefront.account.orders.get',
  'storefront.activeTheme.get',
  'storefront.backInStock.stop',
  'storefront.booking.availability',
  'storefront.checkout.draft.get',
  'storefront.checkout.orders.get',
  'storefront.cmsPage.get',
  'storefront.orders.get',
  'storefront.orders.invoice',
  'storefront.recommendations.similar.get',
  'storefront.vat.validate',
  'system.files.get',
]);

interface Parameter {
  name?: string;
  in?: string;
  required?: boolean;
  example?: unknown;
}
type Document = Record<string, unknown> & { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };

/** The query that a route requires, with the values of the document's examples. */
function queryOf({ paths }: Document, path: string): Record<string, unknown> | undefined {
  const [, item] = Object.entries(paths).find(([one]) => one.replace(/\{\w+\}/g, '{}') === path) ?? [];
  const required = (item?.get?.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  return required.length === 0
    ? undefined
    : Object.fromEntries(required.map(({ name = '', example }) => [name, valid[name] ?? example]));
}
/** Values where a rule of the route is stricter than the schema that the example follows. */
const valid: Record<string, string> = { template: 'home', quarter: '2026-Q3', checkIn: '2027-03-01', checkOut: '2027-03-03' };
const prefixOf: Record<string, string> = {
  admin: '/api/admin',
  superAdmin: '/api/super-admin',
  storefront: '/api/storefront',
  auth: '/api/auth',
};

it('every list and get of every plugin is called, and its response is of the documented type', async () => {
  const { body: document } = await shop.a.guest.get<Document>('/openapi.json');
  /** Rows by family and path of their list. */
  const rows = new Map<string, { id?: unknown; slug?: unknown; code?: unknown }[]>();
  const faults: string[] = [];
  const read = { lists: 0, rows: 0, objects: 0 };
  for (const { family, name, path, isList } of reads) {
    const full = `${family}.${name}`;
    const [row] = rows.get(`${family} ${path.slice(0, path.indexOf('/{}'))}`) ?? [];
    const id = String((family === 'storefront' && row?.slug) || row?.id || row?.code || uuidv7());
    const ids = known()[full] ?? Array.from({ length: path.split('{}').length - 1 }, () => id);
    const query = queryOf(document, `${prefixOf[family] ?? ''}${path}`);
    const call = at((callers[family] as () => object)(), name);
    try {
      const result = call(...ids, ...(query ? [query] : []));
      if (isList) {
        const { data, page } = await (result as Pages<object>).page();
        rows.set(`${family} ${path}`, data);
        expect(page.limit, full).toBeGreaterThan(0);
        read.lists += 1;
        if (data.length > 0) read.rows += 1;
      } else {
        await result;
        read.objects += 1;
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      expect(error.requestId, full).toMatch(/^[\w-]{8,64}$/);
      if (!missing.has(full))
        faults.push(`${full}: ${error.status} ${error.code} ${error.message} ${JSON.stringify(error.errors)}`);
    }
  }
  expect(faults).toEqual([]);
  expect(read.lists).toBeGreaterThan(90);
  expect(read.rows).toBeGreaterThan(70);
  expect(read.objects).toBeGreaterThan(60);
});

it('a list is read over several pages, each row once', async () => {
  const { admin } = createClient({ baseUrl: 'https://shop.example', slices: [slices.catalog], fetch: through(shop.a.admin) });
  for (let i = 0; i < 7; i++) await admin.products.create({ title: `Page ${i}` });
  const { page } = await admin.products.list({ limit: 3, total: true }).page();
  const ids = (await admin.products.list({ limit: 3 }).toArray({ max: 10_000 })).map(({ id }) => id);
  expect(ids.length).toBe(page.total);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a POST that is repeated with its key creates one product, although the first response was lost', async () => {
  let lost = 0;
  const send = through(shop.a.admin);
  const { admin } = createClient({
    baseUrl: 'https://shop.example',
    slices: [slices.catalog],
    fetch: async (url, init) => {
      const response = await send(url, init);
      if (init.method === 'POST' && lost++ === 0) throw new TypeError('terminated');
      return response;
    },
  });
  const { id } = await admin.products.create({ title: 'Sent twice' });
  const found = await admin.products.list({ q: 'Sent twice' }).toArray({ max: 10 });
  expect([lost, found.map((row) => row.id)]).toEqual([2, [id]]);
});

it('verify accepts what the webhooks plugin signs', async () => {
  const secret = newSecret();
  const body = JSON.stringify({
    type: 'orders.order.placed',
    timestamp: new Date().toISOString(),
    data: { aggregateId: '1', sequence: 1 },
  });
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature([newSecret(), secret], 'msg_1', timestamp, body),
  };
  expect((await verify<typeof slices.orders>({ secret, headers, body })).type).toBe('orders.order.placed');
  await expect(verify({ secret: newSecret(), headers, body })).rejects.toMatchObject({ code: 'signature_invalid' });
});
