import { Readable } from 'node:stream';
import { type Ctx, files } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importJob, importRun } from './import-products.ts';
import { batchLimits, runImport } from './run-import.ts';

interface Report {
  status: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string | null; code: string; message: string }[];
}

const header =
  'Handle,Title,Vendor,Type,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Barcode';
/** Products with two variants each, one of which is sold out. */
const rowsOf = (prefix: string, count: number, price = '10.00'): string[] =>
  Array.from({ length: count }, (_, n) => [
    `${prefix}-${n},${prefix} ${n},Brand ${n % 3},Group ${n % 4} > Shelf ${n % 8},Size,S,${prefix}-${n}-S,shopify,${n % 5},${price},`,
    `${prefix}-${n},,,,,M,${prefix}-${n}-M,shopify,0,${price},`,
  ]).flat();

describe('batches of an import', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['catalog', 'inventory', 'search', 'data-exchange'] });
  });
  afterAll(() => shop?.stop());
  const load = (rows: readonly string[], query = '', tenant = shop.a) =>
    tenant.admin.call<Report>('POST', `/api/admin/import/products?format=shopify${query}`, {
      raw: { content: [header, ...rows].join('\n'), type: 'text/csv' },
    });
  const count = async (statement: string, values: unknown[] = []): Promise<number> =>
    (await shop.rows<{ n: number }>(`select count(*)::int as n ${statement}`, values))[0]?.n ?? -1;

  it('writes stock, flags, category counts, search documents and events of all products', async () => {
    const { status, text, body } = await load(rowsOf('whole', 30));
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ created: 30, failed: 0, errors: [] });
    await shop.settled();
    // One job each for the search documents and the stock flags, instead of one for each product and variant.
    const jobs = await shop.rows<{ name: string; ids: number }>(
      `select data ->> 'name' as name, jsonb_array_length(data -> 'data' -> 'ids') as ids from jobs.job
       where data ->> 'name' in ('products', 'stock') order by 1`,
    );
    expect(jobs).toEqual([
      { name: 'products', ids: 30 },
      { name: 'stock', ids: 24 },
    ]);
    const [product] = await shop.rows<{ id: string; in_stock: boolean; listed: boolean }>(
      "select id, in_stock, listed from catalog_product where slug = 'whole-1'",
    );
    expect(product).toMatchObject({ in_stock: true, listed: true });
    expect(await count("from catalog_product where slug like 'whole-%' and not in_stock")).toBe(6);
    expect(
      await shop.rows(
        `select l.on_hand, m.delta, m.reason, m.reference from inventory_level l
         join catalog_variant v on v.id = l.variant_id left join inventory_movement m on m.level_id = l.id
         where v.product_id = $1 order by v.position`,
        [product?.id],
      ),
    ).toEqual([
      { on_hand: 1, delta: 1, reason: 'received', reference: 'import' },
      { on_hand: 0, delta: null, reason: null, reference: null },
    ]);
    expect(await count("from search_document d join catalog_product p on p.id = d.product_id where p.slug like 'whole-%'")).toBe(
      30,
    );
    expect(await count("from core_event where type = 'catalog.product.created' and aggregate = $1", [product?.id])).toBe(1);
    expect(
      await count(
        "from catalog_price_history h join catalog_variant v on v.id = h.variant_id join catalog_product p on p.id = v.product_id where p.slug like 'whole-%'",
      ),
    ).toBe(60);
    const categories = await shop.a.guest.get<{ data: { slug: string; productCount: number }[] }>('/api/storefront/categories/');
    expect(categories.text).toContain('group-0');
    const found = await shop.a.guest.get<{ data: { slug: string }[] }>('/api/storefront/search/?q=whole-7-S');
    expect(found.body.data[0]?.slug).toBe('whole-7');
    const updated = await load(rowsOf('whole', 30, '12.00'));
    expect(updated.body).toMatchObject({ created: 0, updated: 30, unchanged: 0, failed: 0 });
    const version = await shop.rows("select version from catalog_variant where sku = 'whole-7-S'");
    expect((await load(rowsOf('whole', 30, '12.00'))).body).toMatchObject({ created: 0, updated: 0, unchanged: 30 });
    expect(await shop.rows("select version from catalog_variant where sku = 'whole-7-S'")).toEqual(version);
    expect(await count("from core_event where type = 'catalog.variant.price_changed' and data ->> 'sku' like 'whole-%'")).toBe(
      60,
    );
  });

  it('names column, value and holder of a SKU or barcode that another product has, and imports the other products', async () => {
    expect((await load(['sold,Sold,,,Title,Default Title,SOLD-1,,,5.00,4006381333931'])).body.created).toBe(1);
    const [sold] = await shop.rows<{ id: string }>("select id from catalog_product where slug = 'sold'");
    // A product that orders contain is archived instead of deleted.
    await shop.a.admin.call('PATCH', `/api/admin/products/${sold?.id}`, { body: { status: 'archived' } });
    const { body } = await load([
      'taken-1,Taken,,,Title,Default Title,sold-1,,,5.00,',
      'free-1,Free,New brand,New category,Title,Default Title,FREE-1,,,5.00,',
      'taken-2,Taken,Lost brand,Lost category,Title,Default Title,FREE-1,,,5.00,',
      'taken-3,Taken,,,Size,S,SAME,,,5.00,',
      'taken-3,,,,,M,same,,,5.00,',
      'taken-4,Taken,,,Size,S,BAR-0,,,5.00,5901234123457',
      'taken-4,,,,,M,BAR-1,,,5.00,4006381333931',
      // The barcode of a product that isn't imported is free.
      'free-2,Free,,,Title,Default Title,FREE-2,,,5.00,5901234123457',
    ]);
    expect(body).toMatchObject({ created: 2, failed: 6 });
    expect(body.errors).toEqual([
      {
        line: 2,
        column: 'Variant SKU',
        code: 'duplicate',
        message: 'SKU sold-1 belongs to the product sold, which is archived: change the SKU there first',
      },
      { line: 4, column: 'Variant SKU', code: 'duplicate', message: 'SKU FREE-1 belongs to the product free-1' },
      { line: 6, column: 'Variant SKU', code: 'duplicate', message: 'SKU same is that of variant 1 of the product, too' },
      {
        line: 8,
        column: 'Variant Barcode',
        code: 'duplicate',
        message: expect.stringContaining('barcode 4006381333931 belongs to SKU SOLD-1 of the product sold'),
      },
    ]);
    expect(await count("from catalog_brand where name = 'New brand'")).toBe(1);
    expect(await count("from catalog_brand where name = 'Lost brand'")).toBe(0);
    expect(await count("from catalog_category where name ->> 'ro' = 'Lost category'")).toBe(0);
    const create = await load(['free-1,Free,,,Title,Default Title,FREE-1,,,5.00,'], '&mode=create');
    expect(create.body.errors).toMatchObject([{ line: 2, column: 'Handle', code: 'duplicate' }]);
  });

  it('counts the units of all warehouses, so that no more are sold than there are', async () => {
    const row = (units: number) => [`two-houses,Two,,,Title,Default Title,TWO-1,shopify,${units},5.00,`];
    await load(row(6));
    const [variant] = await shop.rows<{ id: string }>("select id from catalog_variant where sku = 'TWO-1'");
    const variantId = variant?.id;
    const house = await shop.a.admin.post<{ id: string }>('/api/admin/warehouses/', { code: 'second', name: 'Second' });
    expect(house.status, house.text).toBe(201);
    const adjusted = await shop.a.admin.post(`/api/admin/inventory/${variantId}/adjust`, {
      warehouseId: house.body.id,
      delta: 4,
      reason: 'received',
    });
    expect(adjusted.status, adjusted.text).toBe(200);
    const units = () => shop.rows('select on_hand from inventory_level where variant_id = $1 order by created_at', [variantId]);
    expect((await load(row(10), '&stock=set')).body).toMatchObject({ unchanged: 1 });
    expect((await load(row(12), '&stock=set')).body).toMatchObject({ updated: 1 });
    expect(await units()).toEqual([{ on_hand: 8 }, { on_hand: 4 }]);
    expect((await load(row(3), '&stock=set')).body).toMatchObject({ failed: 1, errors: [{ code: 'stock_below_reserved' }] });
    expect(await units()).toEqual([{ on_hand: 8 }, { on_hand: 4 }]);
  });

  it('has an error for each product that the database refuses, and imports the others of the batch', async () => {
    // The stock can't be lower than what is reserved.
    expect((await load(rowsOf('reserved', 20))).body.created).toBe(20);
    await shop.rows(
      `update inventory_level set reserved = 1 where variant_id in
        (select id from catalog_variant where sku in ('reserved-3-S', 'reserved-14-S'))`,
    );
    const rows = rowsOf('reserved', 20).map((row) => row.replace(/shopify,\d+/, 'shopify,0').replace('10.00', '11.00'));
    const { body } = await load(rows, '&stock=set');
    expect(body).toMatchObject({ updated: 18, failed: 4 });
    expect(body.errors.map(({ line, code }) => [line, code])).toEqual([
      [8, 'stock_below_reserved'],
      [30, 'stock_below_reserved'],
    ]);
    expect(
      await shop.rows<{ sku: string }>(
        "select sku from catalog_variant where sku like 'reserved-%-S' and price_amount = 1000 order by sku",
      ),
    ).toEqual([{ sku: 'reserved-14-S' }, { sku: 'reserved-3-S' }]);
    expect(
      await count(
        "from inventory_level l join catalog_variant v on v.id = l.variant_id where v.sku like 'reserved-%' and l.on_hand > 0",
      ),
    ).toBe(2);
  });

  it('imports the same file of two staff in parallel once', async () => {
    const rows = rowsOf('twins', 120);
    // Two rows a product, in opposite order, so that the two imports meet in the middle.
    const reversed = Array.from({ length: 120 }, (_, n) => rows.slice(-2 * (n + 1), rows.length - 2 * n)).flat();
    const usual = batchLimits.products;
    batchLimits.products = 40;
    try {
      const reports = await Promise.all([load(rows, '&stock=set'), load(reversed, '&stock=set')]);
      for (const { status, text } of reports) expect(status, text).toBe(200);
      const sum = (name: 'created' | 'failed') => reports.reduce((total, { body }) => total + body[name], 0);
      expect([sum('created'), sum('failed')], JSON.stringify(reports.map(({ body }) => body.errors.slice(0, 3)))).toEqual([
        120, 0,
      ]);
    } finally {
      batchLimits.products = usual;
    }
    expect(await count("from catalog_variant where sku like 'twins-%'")).toBe(240);
    // Each unit was received once.
    expect(
      await shop.rows(
        `select sum(l.on_hand)::int as units, sum(m.moved)::int as moved from inventory_level l
         join catalog_variant v on v.id = l.variant_id
         left join lateral (select sum(delta) as moved from inventory_movement m where m.level_id = l.id) m on true
         where v.sku like 'twins-%'`,
      ),
    ).toEqual([{ units: 240, moved: 240 }]);
    await expect
      .poll(() => count("from search_document d join catalog_product p on p.id = d.product_id where p.slug like 'twins-%'"), {
        interval: 100,
        timeout: 20_000,
      })
      .toBe(120);
  });

  it('reads a file of 20,000 rows only as far as the present batch', async () => {
    let read = 0;
    function* lines(): Generator<Buffer> {
      yield Buffer.from('Handle,Title,Variant Price,Variant SKU,Body (HTML)\n');
      for (; read < 20_000; read++) yield Buffer.from(`long-${read},Long,,LONG-${read},${'x'.repeat(2000)}\n`);
    }
    let done = 0;
    let ahead = 0;
    const report = await shop.a.run(
      'data-exchange',
      (ctx) => {
        const counting = Object.create(ctx, {
          transaction: {
            value: (fn: (inner: Ctx) => Promise<unknown>) => {
              ahead = Math.max(ahead, read - done);
              done += batchLimits.products;
              return ctx.transaction(fn);
            },
          },
        }) as Ctx;
        const options = { format: 'shopify', mode: 'upsert', dryRun: false, decimalComma: false, stock: 'new' } as const;
        return runImport(counting, Readable.from(lines()), options, async () => null);
      },
      { transaction: 'none' },
    );
    expect(report).toMatchObject({ rows: 20_000, failed: 20_000, created: 0 });
    expect(report.errors).toHaveLength(1000);
    expect(done).toBe(20_000);
    // Rows of two batches, of a few kilobytes each, while streams hold some more.
    expect(ahead).toBeLessThan(3 * batchLimits.products);
  });

  it('imports the SKUs of another shop without reading or changing it', async () => {
    const before = await shop.rows("select id, version from catalog_variant where sku like 'whole-%' order by id");
    const { body } = await load(rowsOf('whole', 30, '99.00'), '', shop.b);
    expect(body).toMatchObject({ created: 30, updated: 0, failed: 0 });
    expect(
      await shop.rows("select id, version from catalog_variant where sku like 'whole-%' and price_amount <> 9900 order by id"),
    ).toEqual(before);
  });

  it.each(['before', 'after'])(
    'loses and doubles nothing if the process is killed right %s the commit of a batch',
    async (when) => {
      const rows = rowsOf(`killed-${when}`, 50);
      const row = await shop.a.run('data-exchange', async (ctx) => {
        const kept = await ctx.require(files).put(Buffer.from([header, ...rows].join('\n')), {
          name: 'import.csv',
          contentType: 'text/csv',
          public: false,
          purpose: 'import',
        });
        const options = {
          kind: 'csv',
          format: 'shopify',
          mode: 'create',
          dryRun: false,
          decimalComma: false,
          stock: 'new',
        } as const;
        return ctx.rows(importRun).insert({ status: 'queued', file: kept.key, options });
      });
      /** A context whose fourth transaction, the second batch, ends with the process. */
      const killed = (ctx: Ctx): Ctx => {
        let transactions = 0;
        return Object.create(ctx, {
          transaction: {
            value: async (fn: (inner: Ctx) => Promise<unknown>, options?: { readOnly?: boolean }) => {
              const isLast = ++transactions === 4;
              const result = await ctx.transaction(async (inner) => {
                const done = await fn(inner);
                if (isLast && when === 'before') throw new Error('killed');
                return done;
              }, options);
              if (isLast) throw new Error('killed');
              return result;
            },
          },
        }) as Ctx;
      };
      const usual = batchLimits.products;
      batchLimits.products = 20;
      try {
        const attempt = (context: (ctx: Ctx) => Ctx) =>
          shop.a.run('data-exchange', (ctx) => importJob.run(context(ctx), { id: row.id }), { transaction: 'none' });
        await expect(attempt(killed)).rejects.toThrow('killed');
        expect(await count('from catalog_product where slug like $1', [`killed-${when}-%`])).toBe(when === 'before' ? 20 : 40);
        await attempt((ctx) => ctx);
      } finally {
        batchLimits.products = usual;
      }
      const [run] = await shop.rows<{ status: string; report: Report }>(
        'select status, report from data_exchange_import where id = $1',
        [row.id],
      );
      expect(run).toMatchObject({ status: 'completed', report: { created: 50, failed: 0, errors: [] } });
      expect(await count('from catalog_variant where sku like $1', [`killed-${when}-%`])).toBe(100);
      expect(
        await count(
          "from inventory_movement m join catalog_variant v on v.id = m.variant_id where v.sku like $1 and m.reason = 'received'",
          [`killed-${when}-%`],
        ),
      ).toBe(40);
    },
  );
});
