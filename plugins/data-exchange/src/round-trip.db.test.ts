import { files } from '@storeloom/plugin-sdk';
import { type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../promotions/test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'data-exchange', 'taxes'] });
});
afterAll(() => shop?.stop());

const ron = (amount: number) => ({ amount, currency: 'RON' });
const post = async (tenant: TestTenant, path: string, body: object): Promise<Json> => {
  const answer = await tenant.admin.post<Json>(`/api/admin/${path}`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const exported = async (tenant: TestTenant): Promise<string> => (await tenant.admin.get('/api/admin/export/products.csv')).text;
const load = async (tenant: TestTenant, content: string, type = 'text/csv'): Promise<Json> => {
  const answer = await tenant.admin.call<Json>('POST', '/api/admin/import/products?stock=set', { raw: { content, type } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const category = async (tenant: TestTenant, name: string, parentId?: string): Promise<string> =>
  (await post(tenant, 'categories/', { name: { ro: name }, ...(parentId ? { parentId } : {}) })).id;
const productOf = async (tenant: TestTenant, slug: string): Promise<Json> => {
  const { id } = (await tenant.admin.get<Json>(`/api/admin/products/?slug=${slug}`)).body.data[0];
  return (await tenant.admin.get<Json>(`/api/admin/products/${id}`)).body;
};
/** Without what each shop has of its own, and with names in place of ids. */
const comparable = ({
  id: _,
  version: __,
  createdAt: ___,
  updatedAt: ____,
  brandId,
  taxCategoryId,
  categoryIds,
  ...rest
}: Json): Json => ({
  ...rest,
  hasBrand: brandId !== null,
  hasTaxCategory: taxCategoryId !== null,
  categories: categoryIds.length,
  variants: rest.variants.map(({ id: _id, createdAt, updatedAt, version, deletedAt, prices, ...variant }: Json) => ({
    ...variant,
    prices: prices.map(({ id: _price, ...price }: Json) => price),
  })),
});

/** Properties that a file of products can't bring to another shop. */
const left = {
  product: { vendorId: 'vendors are of the shop', price: 'short form of variants', sku: 'short form of variants' },
  variant: { digitalFiles: 'files are of the shop' },
};

it('an export has every property that staff can write, and an empty shop that imports it exports the same', async () => {
  for (const tenant of [shop.a, shop.b]) await post(tenant, 'taxes/categories/', { code: 'books', name: 'Books' });
  const taxCategoryId = (await shop.a.admin.get<Json>('/api/admin/taxes/categories/?limit=100')).body.data.find(
    ({ code }: Json) => code === 'books',
  ).id;
  const brandId = (await post(shop.a, 'brands/', { name: 'Marca' })).id;
  const clothes = await category(shop.a, 'Haine');
  const categoryIds = [await category(shop.a, 'Cămăși', clothes), await category(shop.a, 'Reduceri > iarna'), clothes];
  const variant = (n: number) => ({
    sku: `V-${n}`,
    barcode: n === 1 ? '4006381333931' : '5941234567899',
    optionValues: { Size: n === 1 ? 'M' : 'S', Color: 'red', Cut: 'slim', Cuff: 'wide' },
    price: ron(10_000 + n),
    compareAtPrice: ron(12_000),
    cost: ron(4000),
    minPrice: ron(9000),
    image: n === 1 ? 'https://images.invalid/1.jpg' : '/files/2.jpg',
    weightG: 210,
    dimsMm: { length: 300, width: 200, height: 20 },
    trackInventory: true,
    allowBackorder: true,
    backorderLimit: 7,
    minPerOrder: 2,
    maxPerOrder: 8,
    step: 2,
    position: n,
    active: n === 1,
    metadata: { bin: `A${n}`, nested: { list: [1, '=2'] } },
    prices: [
      { price: { amount: 2100, currency: 'EUR' }, priceListCode: null, startsAt: null, endsAt: null },
      { price: ron(9500), priceListCode: 'retail', startsAt: null, endsAt: null },
      { price: ron(9900), priceListCode: null, startsAt: '2026-12-01T00:00:00.000Z', endsAt: '2026-12-24T00:00:00.000Z' },
    ],
  });
  const body = {
    title: { ro: 'Cămașă', en: 'Shirt' },
    slug: 'shirt',
    description: { ro: '<p>Din in</p>', en: '<p>Linen</p>' },
    shortDescription: { ro: 'In', en: 'Linen' },
    status: 'active',
    type: 'physical',
    brandId,
    taxCategoryId,
    // More options than a file has columns for, in an order and with a value that no variant shows.
    options: [
      { name: 'Size', values: ['S', 'M', 'L'] },
      { name: 'Color', values: ['red'] },
      { name: 'Cut', values: ['slim'] },
      { name: 'Cuff', values: ['wide'] },
    ],
    images: [
      { url: 'https://images.invalid/1.jpg', alt: { ro: 'Față', en: 'Front' }, position: 0 },
      { url: '/files/2.jpg', alt: null, position: 1 },
    ],
    tags: ['in', 'vară, iarnă'],
    featured: true,
    returnable: false,
    minAge: 18,
    seo: { title: 'S', description: 'D', canonical: 'https://shop.example/shirt' },
    weightG: 250,
    hsCode: '6205.20',
    countryOfOrigin: 'PT',
    publishedAt: '2026-01-02T03:04:05.006Z',
    position: 40,
    metadata: { season: 'summer', tags: ['a'] },
    categoryIds,
    variants: [variant(1), variant(2)],
  };
  const document = (await shop.a.guest.get<Json>('/openapi.json')).body;
  const resolve = (schema: Json): Json => {
    const target = schema.$ref ? schema.$ref.split('/').at(-1) : undefined;
    return target === undefined ? schema : resolve(document.components.schemas[target]);
  };
  const schema = resolve(document.paths['/api/admin/products'].post.requestBody.content['application/json'].schema);
  // A property that is added to products must be added to the file, and to this test.
  expect([...Object.keys(body), ...Object.keys(left.product)].sort()).toEqual(Object.keys(schema.properties).sort());
  expect([...Object.keys(variant(1)), ...Object.keys(left.variant)].sort()).toEqual(
    Object.keys(resolve(schema.properties.variants.items).properties).sort(),
  );
  await post(shop.a, 'products/', body);
  await post(shop.a, 'products/', { title: { ro: 'Simplu' }, slug: 'plain', price: ron(500), sku: 'PLAIN' });

  const file = await exported(shop.a);
  expect(await load(shop.a, file)).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
  expect(await load(shop.b, file)).toMatchObject({ created: 2, failed: 0, errors: [] });
  expect(await exported(shop.b)).toBe(file);
  for (const slug of ['shirt', 'plain'])
    expect(comparable(await productOf(shop.b, slug))).toEqual(comparable(await productOf(shop.a, slug)));
});

it('an empty cell and a missing column leave a value as it is; a changed cell changes it', async () => {
  const before = comparable(await productOf(shop.b, 'shirt'));
  const rows = parse(await exported(shop.b), { columns: true }) as Record<string, string>[];
  const shirt = rows.filter(({ slug }) => slug === 'shirt');
  const sheet = (names: string[], change: (row: Record<string, string>) => Record<string, string>): string =>
    [names, ...shirt.map((row) => names.map((name) => change(row)[name] ?? ''))]
      .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
      .join('\n');
  const few = [
    'slug',
    'sku',
    'price',
    'compareAtPrice',
    'title[ro]',
    'status',
    'allowBackorder',
    'position',
    'options',
    'optionValues',
  ];
  const names = ['option1Name', 'option1Value', 'option2Name', 'option2Value', 'option3Name', 'option3Value'];
  expect(
    await load(
      shop.b,
      sheet([...few, ...names], (row) => row),
    ),
  ).toMatchObject({ unchanged: 1, failed: 0 });
  expect(
    await load(
      shop.b,
      sheet([...few, ...names, 'hsCode', 'prices'], (row) => ({ ...row, hsCode: '', prices: '' })),
    ),
  ).toMatchObject({ unchanged: 1, failed: 0 });
  const changed = await load(
    shop.b,
    sheet([...few, ...names, 'hsCode', 'returnable', 'prices', 'active'], (row) => ({
      ...row,
      hsCode: '6206',
      returnable: 'true',
      active: 'true',
      prices: '[{"price":{"amount":1900,"currency":"EUR"}}]',
    })),
  );
  expect(changed).toMatchObject({ updated: 1, failed: 0 });
  const after = comparable(await productOf(shop.b, 'shirt'));
  expect(after).toEqual({
    ...before,
    hsCode: '6206',
    returnable: true,
    priceRange: after.priceRange,
    variants: before.variants.map((variant: Json) => ({
      ...variant,
      active: true,
      prices: [{ price: { amount: 1900, currency: 'EUR' }, priceListCode: null, startsAt: null, endsAt: null }],
    })),
  });
});

it('an invalid cell is named by its column, and an unknown tax category refuses the product', async () => {
  const report = await load(
    shop.b,
    [
      'slug,title,sku,price,returnable,minAge,prices,taxCategory,countryOfOrigin',
      'bad-1,Bad,B1,1,maybe,,,,',
      'bad-2,Bad,B2,1,,200,,,',
      'bad-3,Bad,B3,1,,,[,,',
      'bad-4,Bad,B4,1,,,,nothing,',
      'bad-5,Bad,B5,1,,,,,Portugal',
    ].join('\n'),
  );
  expect(report).toMatchObject({ created: 0, failed: 5 });
  expect(report.errors.map(({ line, column }: Json) => [line, column])).toEqual([
    [2, 'returnable'],
    [3, 'minAge'],
    [4, 'prices'],
    [5, 'taxCategory'],
    [6, 'countryOfOrigin'],
  ]);
});

it('files of digital products stay in their shop: another one imports the product without them and says so', async () => {
  const { key } = await shop.a.run('data-exchange', (ctx) =>
    ctx.require(files).put(Buffer.from('a book'), {
      name: 'book.bin',
      contentType: 'application/octet-stream',
      public: false,
      purpose: 'digital',
    }),
  );
  const digitalFiles = [{ uploadKey: key, name: 'Book.pdf', version: '2' }];
  await post(shop.a, 'products/', {
    title: { ro: 'Carte' },
    slug: 'e-book',
    type: 'digital',
    variants: [{ sku: 'BOOK', price: ron(900), digitalFiles }],
  });
  const file = await exported(shop.a);
  const missing = ({ warnings }: Json): Json[] => warnings.filter(({ code }: Json) => code === 'file_missing');
  const again = await load(shop.a, file);
  expect(again).toMatchObject({ unchanged: 3, failed: 0 });
  expect(missing(again)).toEqual([]);
  expect(missing(await load(shop.b, file))).toMatchObject([{ message: expect.stringContaining(key) }]);
  expect((await productOf(shop.b, 'e-book')).variants[0].digitalFiles).toEqual([]);
  expect((await productOf(shop.a, 'e-book')).variants[0].digitalFiles).toEqual(digitalFiles);
});
