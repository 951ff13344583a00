import { catalog, type Facets } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron } from '../../catalog/test/shop.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const rate = 0.2;

interface Variant {
  color: string;
  size: string;
  price: number;
  /** Its own price in EUR; null: converted. */
  eur: number | null;
  stock: number;
  active: boolean;
}
interface Product {
  id: string;
  position: number;
  category: string;
  brand: string | null;
  tags: string[];
  /** Found by a search for "lamp". */
  lamp: boolean;
  variants: Variant[];
}

let shop: TestShop;
const products: Product[] = [];
let promotions: string[] = [];
/** Whether the model applies the promotions: 30 % off the category `sale`, then 5.00 RON off the brand `acme`. */
let promoted = false;

const colors = ['Red', 'Blue'];
const sizes = ['S', 'M'];
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!;

beforeAll(async () => {
  shop = await testShop({
    plugins: ['search', 'catalog', 'inventory', 'promotions', 'checkout', 'orders', 'payments', 'currencies'],
  });
  const { admin } = shop.a;
  await make(admin, '/api/admin/currencies/', { code: 'EUR' });
  await make(admin, '/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: String(rate) });
  const categories: Record<string, string> = {};
  for (const slug of ['sale', 'new']) categories[slug] = (await make(admin, '/api/admin/categories/', { name: slug, slug })).id;
  const brands: Record<string, string> = {};
  for (const slug of ['acme', 'bolt']) brands[slug] = (await make(admin, '/api/admin/brands/', { name: slug, slug })).id;
  for (let n = 0; n < 16; n++) {
    const category = pick(['sale', 'new', 'sale'], n);
    const brand = pick(['acme', null, 'bolt', 'acme', 'bolt'], n);
    const tags = pick([['gift'], [], ['gift', 'eco']], n);
    const variants = colors.flatMap((color, c) =>
      sizes.flatMap((size, s): Variant[] =>
        (n + c + s) % 4 === 3
          ? []
          : [
              {
                color,
                size,
                price: 500 + ((n * 7 + c * 13 + s * 5) % 19) * 450,
                eur: (n + c) % 5 === 0 ? 300 + ((n + s) % 4) * 400 : null,
                stock: (n * 3 + c * 2 + s) % 3 === 0 ? 0 : 5,
                active: (n + c * 2 + s) % 7 !== 6,
              },
            ],
      ),
    );
    if (!variants.some(({ active }) => active)) variants[0]!.active = true;
    const created = await makeProduct(shop.a, {
      title: `${n % 2 ? 'Lamp' : 'Chair'} ${n}`,
      slug: `p${n}`,
      position: n % 5,
      categoryIds: [categories[category]],
      ...(brand === null ? {} : { brandId: brands[brand] }),
      tags,
      options: [
        { name: 'Color', values: colors },
        { name: 'Size', values: sizes },
      ],
      variants: variants.map((one) => ({
        sku: `${n}-${one.color}-${one.size}`,
        optionValues: { Color: one.color, Size: one.size },
        price: ron(one.price),
        active: one.active,
        ...(one.eur === null ? {} : { prices: [{ price: eur(one.eur) }] }),
      })),
    });
    for (const [i, { stock }] of variants.entries())
      if (stock > 0)
        await make(admin, `/api/admin/inventory/${created.variants[i].id}/adjust`, { delta: stock, reason: 'received' }, 200);
    products.push({ id: created.id, position: n % 5, category, brand, tags, lamp: n % 2 === 1, variants });
  }
  await shop.settled(10);
}, 120_000);
afterAll(() => shop?.stop());

const round = (value: number): number => Math.floor(value + 0.5);

function shownPrice(product: Product, variant: Variant, currency: string): number {
  let price = currency === 'RON' ? variant.price : (variant.eur ?? round(variant.price * rate));
  if (promoted && product.category === 'sale') price -= round(price * 0.3);
  if (promoted && product.brand === 'acme' && currency === 'RON') price = Math.max(0, price - 500);
  return price;
}

interface Query {
  color?: string[];
  size?: string;
  gte?: number;
  lte?: number;
  gt?: number;
  lt?: number;
  inStock?: boolean;
  category?: string;
  brand?: string;
  tag?: string;
  currency?: string;
  sort?: string;
  lamp?: boolean;
}

/** The active variants that meet options and price. */
function matches(product: Product, { color, size, gte, lte, gt, lt, currency = 'RON' }: Query): Variant[] {
  return product.variants.filter((one) => {
    const price = shownPrice(product, one, currency);
    return (
      one.active &&
      (color === undefined || color.includes(one.color)) &&
      (size === undefined || one.size === size) &&
      (gte === undefined || price >= gte) &&
      (lte === undefined || price <= lte) &&
      (gt === undefined || price > gt) &&
      (lt === undefined || price < lt)
    );
  });
}

function select(query: Query): Product[] {
  const { inStock, category, brand, tag, lamp } = query;
  return products.filter((product) => {
    const variants = matches(product, query);
    return (
      variants.length > 0 &&
      (inStock === undefined || variants.some(({ stock }) => stock > 0) === inStock) &&
      (category === undefined || product.category === category) &&
      (brand === undefined || product.brand === brand) &&
      (tag === undefined || product.tags.includes(tag)) &&
      (!lamp || product.lamp)
    );
  });
}

function sorted(query: Query): string[] {
  const { sort = 'position', currency = 'RON' } = query;
  const sign = sort.startsWith('-') ? -1 : 1;
  const key = (product: Product): number =>
    sort.endsWith('price')
      ? Math.min(...product.variants.filter(({ active }) => active).map((one) => shownPrice(product, one, currency)))
      : product.position;
  return select(query)
    .sort((a, b) => sign * (key(a) - key(b) || (a.id < b.id ? -1 : 1)))
    .map(({ id }) => id);
}

/** The counts that `facets` must return, without those at 0. */
function countsOf(query: Query): Record<string, number> {
  const candidates: [string, Query][] = [
    ...['sale', 'new'].map((category): [string, Query] => [`category ${category}`, { ...query, category }]),
    ...['acme', 'bolt'].map((brand): [string, Query] => [`brand ${brand}`, { ...query, brand }]),
    ...['gift', 'eco'].map((tag): [string, Query] => [`tag ${tag}`, { ...query, tag }]),
    ...colors.map((color): [string, Query] => [`option[Color] ${color}`, { ...query, color: [color] }]),
    ...sizes.map((size): [string, Query] => [`option[Size] ${size}`, { ...query, size }]),
    ['availability in_stock', { ...query, inStock: true }],
    ['availability out_of_stock', { ...query, inStock: false }],
  ];
  return Object.fromEntries(
    candidates.map(([name, one]) => [name, select(one).length] as const).filter(([, count]) => count > 0),
  );
}

function rangeOf(query: Query): [number, number] | null {
  const { gte: _, lte: __, gt: ___, lt: ____, ...rest } = query;
  const prices = select(rest).flatMap((product) =>
    matches(product, rest)
      .filter(({ stock }) => rest.inStock !== true || stock > 0)
      .map((one) => shownPrice(product, one, rest.currency ?? 'RON')),
  );
  return prices.length === 0 ? null : [Math.min(...prices), Math.max(...prices)];
}

function paramsOf(query: Query): [string, string][] {
  const { color, size, gte, lte, gt, lt, inStock, category, brand, tag, currency, sort } = query;
  const params: Record<string, string | undefined> = {
    'option[Color][in]': color?.join(),
    'option[Size]': size,
    'price[gte]': gte?.toString(),
    'price[lte]': lte?.toString(),
    'price[gt]': gt?.toString(),
    'price[lt]': lt?.toString(),
    inStock: inStock?.toString(),
    category,
    brand,
    tag,
    currency,
    sort,
  };
  return Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

const amount = fc.constantFrom(200, 500, 900, 1400, 2100, 3150, 4500, 6000);
const anyQuery: fc.Arbitrary<Query> = fc.record(
  {
    color: fc.constantFrom(['Red'], ['Blue'], ['Red', 'Blue']),
    size: fc.constantFrom(...sizes),
    gte: amount,
    lte: amount,
    gt: amount,
    lt: amount,
    inStock: fc.boolean(),
    category: fc.constantFrom('sale', 'new'),
    brand: fc.constantFrom('acme', 'bolt'),
    tag: fc.constantFrom('gift', 'eco'),
    currency: fc.constantFrom('RON', 'EUR'),
    sort: fc.constantFrom('price', '-price', 'position'),
    lamp: fc.boolean(),
  },
  { requiredKeys: [] },
);

const inShop = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('catalog', fn);

async function listed(query: Query, limit: number): Promise<string[]> {
  const found = query.lamp ? products.filter(({ lamp }) => lamp).map(({ id }) => id) : null;
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const params = new URLSearchParams([...paramsOf(query), ['limit', String(limit)], ['total', 'true']]);
    if (cursor !== null) params.set('cursor', cursor);
    const { data, page } = await inShop((ctx) => {
      const service = ctx.require(catalog);
      return service.listProducts(service.parseProductList(params), found);
    });
    expect(page.total).toBe(select(query).length);
    for (const card of data) {
      seen.push(card.id as string);
      const product = products.find(({ id }) => id === card.id)!;
      const currency = query.currency ?? 'RON';
      const prices = product.variants.filter(({ active }) => active).map((one) => shownPrice(product, one, currency));
      expect(card.price).toEqual({ amount: Math.min(...prices), currency });
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return seen;
}

async function facetsOf(query: Query): Promise<Facets> {
  const found = query.lamp ? products.filter(({ lamp }) => lamp).map(({ id }) => id) : null;
  return inShop((ctx) => {
    const service = ctx.require(catalog);
    return service.facets(service.parseProductList(new URLSearchParams(paramsOf(query))), found);
  });
}

async function check(query: Query, limit: number): Promise<void> {
  expect([query, await listed(query, limit)]).toEqual([query, sorted(query)]);
  const { facets, price } = await facetsOf(query);
  const counts = Object.fromEntries(
    facets.flatMap(({ code, values }) => values.map(({ value, count }) => [`${code} ${value}`, count] as const)),
  );
  expect([query, counts]).toEqual([query, countsOf(query)]);
  const range = rangeOf(query);
  const currency = query.currency ?? 'RON';
  expect([query, price]).toEqual([query, range && { min: { amount: range[0], currency }, max: { amount: range[1], currency } }]);
  const ids = products.map(({ id }) => id).reverse();
  const filtered = await inShop((ctx) => {
    const service = ctx.require(catalog);
    return service.filterProducts(service.parseProductList(new URLSearchParams(paramsOf(query))), ids);
  });
  const { lamp: _, ...rest } = query;
  const expected = new Set(select(rest).map(({ id }) => id));
  expect([query, filtered]).toEqual([query, ids.filter((id) => expected.has(id))]);
}

const examples: [Query, number][] = [
  [{}, 100],
  [{ color: ['Red'], gte: 4500 }, 100],
  [{ gte: 2100, lte: 3150 }, 3],
  [{ inStock: true, size: 'M', sort: 'price' }, 4],
  [{ inStock: false, color: ['Blue'] }, 4],
  [{ currency: 'EUR', lte: 900, sort: '-price' }, 3],
];
const checkAll = () => fc.assert(fc.asyncProperty(anyQuery, fc.constantFrom(3, 100), check), { numRuns: 100, examples });

const switchPromotions = async (on: boolean) => {
  for (const id of promotions)
    expect((await shop.a.admin.patch(`/api/admin/promotions/${id}`, { enabled: on })).status).toBe(200);
  promoted = on;
};

describe('lists, facets and search agree with a model of the catalogue', () => {
  it('at general prices', checkAll, 120_000);

  it('with catalogue promotions', async () => {
    const sale = { type: 'percentage', value: { percentBp: 3000 }, priority: 2 };
    const off = { type: 'fixed_amount', value: { amounts: [ron(500)] }, priority: 1 };
    const idOf = async (path: string, slug: string) =>
      (await shop.a.admin.get<Json>(path)).body.data.find((one: Json) => one.slug === slug).id;
    for (const [type, path, slug, more] of [
      ['category', '/api/admin/categories/', 'sale', sale],
      ['brand', '/api/admin/brands/', 'acme', off],
    ] as const) {
      const value = await idOf(path, slug);
      const body = { name: slug, stage: 'catalog', target: 'items', conditions: [{ type, value }], ...more };
      promotions = [...promotions, (await make(shop.a.admin, '/api/admin/promotions/', body)).id];
    }
    promoted = true;
    await checkAll();
    await switchPromotions(false);
    await checkAll();
    await switchPromotions(true);
  }, 240_000);
});

describe('over HTTP', () => {
  const get = async (path: string) => {
    const { status, body, text } = await shop.a.guest.get<Json>(`/api/storefront/${path}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body;
  };
  const idsOf = (body: Json) => body.data.map(({ id }: Json) => id);

  it('sorts, filters and finds by the price that is shown, in the requested currency', async () => {
    for (const query of [
      { sort: 'price' },
      { sort: 'price', lte: 2100 },
      { sort: '-price', gte: 3150 },
      { sort: 'price', currency: 'EUR', lte: 900 },
      { sort: 'price', color: ['Red'], gte: 3150 },
      { sort: 'price', inStock: true, size: 'S', lte: 3150 },
    ] satisfies Query[]) {
      const params = new URLSearchParams([...paramsOf(query), ['limit', '100'], ['total', 'true']]);
      const expected = sorted(query);
      expect(expected.length).toBeGreaterThan(0);
      const page = await get(`products/?${params}`);
      expect([query, idsOf(page), page.page.total]).toEqual([query, expected, expected.length]);
      const lamps = sorted({ ...query, lamp: true });
      params.delete('total');
      const found = await get(`search/?q=lamp&${params}`);
      expect([query, idsOf(found), found.page.total]).toEqual([query, lamps, lamps.length]);
      params.delete('limit');
      const facets = await get(`facets/?q=lamp&${params}`);
      const range = rangeOf({ ...query, lamp: true })!;
      const currency = (query as Query).currency ?? 'RON';
      expect([query, facets.price]).toEqual([
        query,
        { min: { amount: range[0], currency }, max: { amount: range[1], currency } },
      ]);
    }
  });
  it('shows prices of a search in the requested currency', async () => {
    const { data } = await get('search/?q=lamp&currency=EUR&limit=100');
    expect(new Set(data.map(({ price }: Json) => price.currency))).toEqual(new Set(['EUR']));
    const { products: suggested } = await get('search/suggest?q=lamp&currency=EUR');
    expect(new Set(suggested.map(({ price }: Json) => price.currency))).toEqual(new Set(['EUR']));
  });
});
