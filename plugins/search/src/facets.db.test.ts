import { readFileSync } from 'node:fs';
import { catalog, stock } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hiding, type Json, make, makeProduct, ron } from '../../catalog/test/shop.ts';

let shop: TestShop;
const hidden = new Set<string>();
/** Categories by the way to them. `shoes` stands below two parents, below itself, and inactive below a third. */
const categories: Record<string, string> = {};

const products = 48;
const made: string[] = [];
beforeAll(async () => {
  shop = await testShop({ plugins: ['search', 'catalog', 'inventory', hiding(hidden)] });
  for (const [way, more] of [
    ['men'],
    ['men/shoes', { name: 'Men’s shoes' }],
    ['men/shoes/shoes'],
    ['men/belts'],
    ['women'],
    ['women/shoes', { name: 'Women’s shoes' }],
    ['women/bags'],
    ['old'],
    ['old/shoes', { active: false }],
  ] as [string, object?][]) {
    const slug = way.split('/').at(-1)!;
    const parentId = categories[way.slice(0, -slug.length - 1)] ?? null;
    categories[way] = (await make(shop.a.admin, '/api/admin/categories/', { name: slug, slug, parentId, ...more })).id;
  }
  const brands = [];
  for (const name of ['Acme', 'Bolt'])
    brands.push((await make(shop.a.admin, '/api/admin/brands/', { name, slug: name.toLowerCase() })).id);
  const ways = Object.values(categories);
  const later = new Date(shop.clock.ms() + 86_400_000).toISOString();
  for (let n = 0; n < products; n++)
    made.push(
      (
        await makeProduct(shop.a, {
          slug: `p${n}`,
          position: n % 7,
          // One to three categories, also two of one slug, and one below the other.
          categoryIds: [
            ...new Set([ways[n % 9], ...(n % 2 ? [ways[(n * 5 + 2) % 9]] : []), ...(n % 3 ? [] : [categories['women/shoes']])]),
          ],
          ...(n % 4 ? { brandId: brands[n % 2] } : {}),
          tags: [['new'], ['new', 'sale', 'new'], ['sale'], []][n % 4],
          ...(n % 11 === 5 ? { publishedAt: later } : {}),
          ...(n % 13 === 6 ? { status: 'draft' } : {}),
          options: [
            { name: 'Size', values: ['S', 'M', 'L'] },
            { name: 'Color', values: ['Red', 'Blue'] },
          ],
          variants: [
            { sku: `${n}-a`, price: ron(1000 + n * 100), optionValues: { Size: 'S', Color: 'Red' }, trackInventory: n % 5 < 3 },
            { sku: `${n}-b`, price: ron(2000 + n * 100), optionValues: { Size: 'M', Color: 'Blue' }, active: n % 3 > 0 },
            ...(n % 2 ? [{ sku: `${n}-c`, price: ron(3000), optionValues: { Size: 'L', Color: 'Red' }, active: n % 5 > 0 }] : []),
          ],
        })
      ).id,
    );
  await shop.settled(10);
});
afterAll(() => shop?.stop());

const facetsOf = (ctx: Ctx, query: Query, found: readonly string[] | null) =>
  ctx.require(catalog).facets(ctx.require(catalog).parseProductList(new URLSearchParams(query)), found);

const inShop = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('catalog', fn);

type Query = [string, string][];

/** Total of the list, which has so many different products on its pages. */
async function total(ctx: Ctx, query: Query, found: string[] | null): Promise<number> {
  const params = new URLSearchParams([...query, ['limit', '100'], ['total', 'true']]);
  const service = ctx.require(catalog);
  const { data, page } = await service.listProducts(service.parseProductList(params), found);
  expect([query, new Set(data.map(({ id }) => id)).size, data.length]).toEqual([query, page.total, page.total]);
  return page.total!;
}

const filterOf: Record<string, (value: string) => [string, string]> = {
  availability: (value) => ['inStock', String(value === 'in_stock')],
};
const nameOf = (parameter: string) => parameter.replace(/\[(?:in|gte|lte)\]$/, '');

/** Every count is the total of the list with that value in place of the facet's own; what has no count has an empty list. */
async function agree(query: Query, found: string[] | null): Promise<number> {
  return inShop(async (ctx) => {
    let compared = 0;
    const answer = await facetsOf(ctx, query, found);
    const known: Record<string, string[]> = {
      category: ['men', 'shoes', 'belts', 'women', 'bags', 'old'],
      availability: ['in_stock', 'out_of_stock'],
    };
    for (const code of ['category', 'brand', 'tag', 'availability', 'option[Size]', 'option[Color]']) {
      const values = answer.facets.find((facet) => facet.code === code)?.values ?? [];
      expect(new Set(values.map(({ value }) => value)).size).toBe(values.length);
      for (const value of new Set([...values.map((one) => one.value), ...(known[code] ?? [])])) {
        const filter = filterOf[code]?.(value) ?? ([code, value] as const);
        const others = query.filter(([name]) => nameOf(name) !== nameOf(filter[0]));
        const count = values.find((one) => one.value === value)?.count ?? 0;
        expect([query, code, value, count]).toEqual([query, code, value, await total(ctx, [...others, [...filter]], found)]);
        compared++;
      }
    }
    return compared;
  });
}

const category = fc.constantFrom('men', 'shoes', 'belts', 'women', 'bags', 'old', 'unknown');
const anyQuery = fc
  .record(
    {
      category,
      'category[in]': fc.subarray(['men', 'shoes', 'bags'], { minLength: 1 }).map(String),
      brand: fc.constantFrom('acme', 'bolt'),
      tag: fc.constantFrom('new', 'sale'),
      inStock: fc.constantFrom('true', 'false'),
      'price[gte]': fc.constantFrom('0', '2000', '4000'),
      'price[lte]': fc.constantFrom('3000', '100000'),
      'option[Size]': fc.constantFrom('S', 'M'),
      'option[Color][in]': fc.constantFrom('Red', 'Red,Blue'),
      sort: fc.constantFrom('price', '-position', 'title'),
    },
    { requiredKeys: [] },
  )
  .map((record) => Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** `found`: of what a search found only. */
const check = (numRuns: number, found: string[] | null = null) =>
  fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      expect(await agree(query, found)).toBeGreaterThan(7);
    }),
    { numRuns, examples: [[[]], [[['price[gte]', '0']]], [[['category', 'shoes']]], [[['inStock', 'false']]]] },
  );

describe('a count is the total of the list with that value', () => {
  it('with any other selection', () => check(40));

  it('of what a search found', () =>
    check(
      15,
      made.filter((_, n) => n % 4 < 3),
    ));

  it('without what a tap of catalog:visible hides', async () => {
    for (const id of made.filter((_, n) => n % 3 === 1)) hidden.add(id);
    // Counts ask about products of vendors.
    await shop.rows('update catalog_product set vendor_id = id where id = any($1::uuid[])', [made.filter((_, n) => n % 3 > 0)]);
    try {
      await check(15);
    } finally {
      hidden.clear();
    }
  });

  it('after more was published, and in categories that were moved', async () => {
    shop.clock.advance(2 * 86_400_000);
    const moved = await shop.a.admin.patch(`/api/admin/categories/${categories['women/shoes']}`, {
      parentId: categories['women/bags'],
    });
    expect(moved.status).toBe(200);
    await shop.settled(10);
    await check(15);
  });
});

describe('what is selected', () => {
  const selected = async (query: [string, string][]): Promise<string[]> => {
    const { facets } = await inShop((ctx) => facetsOf(ctx, query, null));
    return facets
      .flatMap(({ code, values }) => values.filter((one) => one.selected).map(({ value }) => `${code} ${value}`))
      .sort();
  };

  it('is what was asked for, by slug or id', async () => {
    const [brand] = (await shop.a.admin.get<Json>('/api/admin/brands/?slug=acme')).body.data;
    const bags = categories['women/bags']!;
    expect(await selected([])).toEqual([]);
    expect(await selected([['brand', 'acme']])).toEqual(['brand acme']);
    expect(await selected([['brand', brand.id]])).toEqual(['brand acme']);
    expect(await selected([['brand[in]', `${brand.id},bolt`]])).toEqual(['brand acme', 'brand bolt']);
    expect(await selected([['category', bags]])).toEqual(['category bags']);
    expect(await selected([['category[in]', `${bags},men`]])).toEqual(['category bags', 'category men']);
    // Whichever of those that have the slug.
    for (const way of ['men/shoes', 'men/shoes/shoes', 'women/shoes'])
      expect(await selected([['category', categories[way]!]])).toEqual(['category shoes']);
    expect(await selected([['category', categories['old/shoes']!]])).toEqual([]);
    expect(await selected([['category', crypto.randomUUID()]])).toEqual([]);
    expect(
      await selected([
        ['inStock', 'false'],
        ['tag', 'new'],
        ['option[Size][in]', 'S,M'],
      ]),
    ).toEqual(['availability out_of_stock', 'option[Size] M', 'option[Size] S', 'tag new']);
  });
});

describe('without inventory', () => {
  const switched = (enabled: boolean) => shop.a.admin.put<Json>('/api/admin/plugins/inventory/settings', { enabled });
  const availability = async (): Promise<Record<string, number>> =>
    inShop(async (ctx) => {
      const { facets } = await facetsOf(ctx, [], null);
      const values = facets.find(({ code }) => code === 'availability')?.values ?? [];
      return Object.fromEntries(values.map(({ value, count }) => [value, count]));
    });

  it('everything is in stock, as the list says', async () => {
    const before = await availability();
    expect(before.out_of_stock).toBeGreaterThan(0);
    expect((await switched(false)).body).toMatchObject({ enabled: false, on: false });
    await expect.poll(() => inShop(async (ctx) => ctx.use(stock) === undefined)).toBe(true);
    expect(await availability()).toEqual({ in_stock: before.in_stock! + before.out_of_stock! });
    await check(15);
    await switched(true);
    await expect.poll(() => inShop(async (ctx) => ctx.use(stock) !== undefined)).toBe(true);
    expect(await availability()).toEqual(before);
  });
});

describe('the stored values', () => {
  const stored = () => shop.rows('select tenant_id, id, facet_values from catalog_product order by tenant_id, id');

  it('follow tags, options, and variants that are added, changed, deactivated and removed', async () => {
    const edit = async (n: number, change: (product: Json) => Json): Promise<void> => {
      const path = `/api/admin/products/${made[n]}`;
      const { body } = await shop.a.admin.get<Json>(path);
      expect((await shop.a.admin.patch(path, change(body))).status).toBe(200);
    };
    await edit(1, () => ({ tags: ['eco', 'eco', 'sale'] }));
    await edit(2, ({ variants }) => ({ variants: [{ id: variants[0].id, active: false }] }));
    await edit(3, ({ variants }) => ({ variants: [{ id: variants[0].id, delete: true }] }));
    await edit(4, ({ variants }) => ({ variants: [{ id: variants[0].id, optionValues: { Size: 'L', Color: 'Red' } }] }));
    await edit(8, () => ({ variants: [{ sku: '8-d', price: ron(900), optionValues: { Size: 'L', Color: 'Blue' } }] }));
    await Promise.all([edit(9, () => ({ tags: ['eco'] })), edit(9, () => ({ tags: ['new'] }))]);
    await shop.settled(10);
    await check(10);
    const eco = await inShop((ctx) => facetsOf(ctx, [], null));
    expect(eco.facets.find(({ code }) => code === 'tag')?.values.map(({ value }) => value)).toContain('eco');
  });

  it('are those that the migration computes for existing products', async () => {
    const before = await stored();
    await shop.rows('update catalog_product set facet_values = default');
    expect(await stored()).not.toEqual(before);
    const migration = readFileSync(new URL('../../catalog/migrations/0005_facet_values.sql', import.meta.url), 'utf8');
    await shop.rows(migration.slice(migration.indexOf('update catalog_product')));
    expect(await stored()).toEqual(before);
  });
});

describe('a slug of several categories', () => {
  const page = (query: string) => shop.a.guest.get<Json>(`/api/storefront/products/?${query}`);

  it('means them all: filters, list, and list of several say the same', async () => {
    const expected = (
      await shop.rows<{ n: number }>(
        `select count(distinct pl.product_id)::int as n from catalog_placement pl join catalog_product t on t.id = pl.product_id
         where t.published_at <= $1 and pl.category_id = any($2::uuid[])`,
        [shop.clock.now(), ['men/shoes', 'men/shoes/shoes', 'women/shoes'].map((way) => categories[way])],
      )
    )[0]!.n;
    expect(expected).toBeGreaterThan(15);
    for (const query of ['', 'price[gte]=0']) {
      const { body } = await shop.a.guest.get<Json>(`/api/storefront/facets/?${query}`);
      const values = body.facets
        .find(({ code }: Json) => code === 'category')
        .values.filter(({ value }: Json) => value === 'shoes');
      expect([query, values]).toMatchObject([query, [{ count: expected, selected: false }]]);
    }
    for (const query of ['category=shoes', 'category[in]=shoes', 'category=shoes&sort=price'])
      expect([query, (await page(`${query}&total=true`)).body.page.total]).toEqual([query, expected]);
  });

  it('is paged without a gap or a repeat, in order; an id means one', async () => {
    const seen: Json[] = [];
    let cursor = '';
    do {
      const { body } = await page(`category=shoes&limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: Json) => id));
      cursor = body.page.nextCursor ?? '';
    } while (cursor);
    const whole = (await page('category=shoes&limit=100&total=true')).body;
    expect(seen).toEqual(whole.data.map(({ id }: Json) => id));
    expect(new Set(seen).size).toBe(whole.page.total);
    const positions = await inShop((ctx) =>
      ctx.db.rows<{ position: number }>(
        sql`select p.position from unnest(${seen}::uuid[]) with ordinality x (id, n) join catalog_product p on p.id = x.id order by x.n`,
      ),
    );
    expect(positions).toEqual(positions.toSorted((a, b) => a.position - b.position));
    const one = (await page(`category=${categories['men/shoes/shoes']}&total=true`)).body.page.total;
    expect(one).toBeGreaterThan(0);
    expect(one).toBeLessThan(whole.page.total);
  });
});
