import { type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct } from '../plugins/catalog/test/shop.ts';

let shop: TestShop;
/** Product ids by number. */
const ids: string[] = [];
const materials = ['cotton', 'linen', 'cotton', 'wool, fine'];
beforeAll(async () => {
  shop = await testShop({ plugins: ['search', 'catalog', 'workspace'] });
  const define = (key: string, type: string, more: object = {}, tenant: TestTenant = shop.a) =>
    make(tenant.admin, '/api/admin/metafields/definitions', {
      entityType: 'catalog.product',
      namespace: 'care',
      key,
      type,
      filterable: true,
      visibleOnStorefront: true,
      ...more,
    });
  await define('material', 'string');
  await define('wash', 'int');
  await define('organic', 'bool');
  await define('since', 'date');
  await define('deposit', 'money');
  await define('margin', 'decimal', { visibleOnStorefront: false });
  await define('plain', 'string', { filterable: false });
  await define('material', 'string', {}, shop.b);
  for (const [n, material] of materials.entries()) {
    const { id } = await makeProduct(shop.a, { slug: `p${n}` });
    ids.push(id);
    await shop.a.admin.put(`/api/admin/metafields/catalog.product/${id}`, {
      metafields: Object.entries({
        material,
        wash: n * 30,
        organic: n % 2 === 0,
        since: `2026-0${n + 1}-01`,
        deposit: { amount: n * 100, currency: 'RON' },
        margin: `${n}.5`,
        plain: 'x',
      }).map(([key, value]) => ({ namespace: 'care', key, value })),
    });
  }
  await makeProduct(shop.a, { slug: 'none' });
  const other = await makeProduct(shop.b, { slug: 'other' });
  await shop.b.admin.put(`/api/admin/metafields/catalog.product/${other.id}`, {
    metafields: [{ namespace: 'care', key: 'material', value: 'cotton' }],
  });
});
afterAll(() => shop?.stop());

const slugs = (body: Json): string[] => body.data.map(({ slug }: Json) => slug).sort();
const list = async (query: string, tenant = shop.a): Promise<Json> =>
  (await tenant.guest.get<Json>(`/api/storefront/products/?total=true&${query}`)).body;
const staffList = async (query: string): Promise<Json> => (await shop.a.admin.get<Json>(`/api/admin/products/?${query}`)).body;

describe('filters by metafields', () => {
  it.each([
    ['metafield[care.material]=cotton', ['p0', 'p2']],
    ['metafield[care.material][in]=linen,cotton', ['p0', 'p1', 'p2']],
    ['metafield[care.material]=wool, fine', ['p3']],
    ['metafield[care.wash]=30', ['p1']],
    ['metafield[care.wash][gte]=30&metafield[care.wash][lt]=90', ['p1', 'p2']],
    ['metafield[care.organic]=true', ['p0', 'p2']],
    ['metafield[care.since][gt]=2026-02-01', ['p2', 'p3']],
    ['metafield[care.deposit][lte]=100', ['p0', 'p1']],
    ['metafield[care.material]=cotton&metafield[care.wash]=60', ['p2']],
    ['metafield[care.material]=cotton&price[lte]=1', []],
    ['metafield[care.material]=silk', []],
  ])('%s', async (query, expected) => {
    const body = await list(query);
    expect(slugs(body)).toEqual(expected);
    expect(body.page.total).toBe(expected.length);
    if (!query.includes('price')) expect(slugs(await staffList(query))).toEqual(expected);
  });

  it('pages keep the filter, and a search takes it too', async () => {
    const first = await list('metafield[care.material]=cotton&limit=1');
    const second = await list(`metafield[care.material]=cotton&limit=1&cursor=${first.page.nextCursor}`);
    expect([...slugs(first), ...slugs(second)].sort()).toEqual(['p0', 'p2']);
    expect(second.page.nextCursor).toBeNull();
    await shop.settled(10);
    const found = await shop.a.guest.get<Json>('/api/storefront/search/?q=Produs&metafield[care.material]=cotton');
    expect(slugs(found.body)).toEqual(['p0', 'p2']);
  });

  it('shops don’t see each other’s values', async () => {
    expect(slugs(await list('metafield[care.material]=cotton', shop.b))).toEqual(['other']);
    expect((await list('metafield[care.wash]=30', shop.b)).code).toBe('invalid_parameter');
  });

  it.each([
    'metafield[care.nothing]=1',
    'metafield[care.plain]=x',
    'metafield[care]=x',
    'metafield[care.material][gte]=a',
    'metafield[care.material]=',
    'metafield[care.wash]=warm',
    'metafield[care.organic]=yes',
    'metafield[care.wash]=1&metafield[care.wash]=2',
  ])('refuses %s like any other parameter that the list does not take', async (query) => {
    for (const body of [await list(query), await staffList(query)])
      expect(body).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });

  it('staff filter by a metafield that visitors don’t see; the storefront refuses it and shows no facet of it', async () => {
    expect(slugs(await staffList('metafield[care.margin][gte]=2.5'))).toEqual(['p2', 'p3']);
    const query = 'metafield[care.margin][gte]=2.5';
    expect(await list(query)).toMatchObject({ code: 'invalid_parameter' });
    const facets = await shop.a.guest.get<Json>(`/api/storefront/facets/?${query}`);
    expect(facets.body).toMatchObject({ code: 'invalid_parameter' });
    const codes = (await shop.a.guest.get<Json>('/api/storefront/facets/')).body.facets.map(({ code }: Json) => code);
    expect(codes).toContain('metafield[care.material]');
    expect(codes).not.toContain('metafield[care.margin]');
    expect(codes).not.toContain('metafield[care.plain]');
  });

  it('a json metafield can’t be filterable', async () => {
    const answer = await shop.a.admin.post<Json>('/api/admin/metafields/definitions', {
      entityType: 'catalog.product',
      namespace: 'care',
      key: 'raw',
      type: 'json',
      filterable: true,
    });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/filterable']);
  });
});

describe('facets of metafields', () => {
  const facet = async (code: string, query = ''): Promise<Json> =>
    (await shop.a.guest.get<Json>(`/api/storefront/facets/?${query}`)).body.facets.find((one: Json) => one.code === code);
  const counts = ({ values }: Json): Record<string, number> =>
    Object.fromEntries(values.map(({ value, count }: Json) => [value, count]));

  it('count the products that each value would leave, without their own filter', async () => {
    expect(await facet('metafield[care.material]')).toMatchObject({ label: 'material', type: 'list' });
    expect(counts(await facet('metafield[care.material]'))).toEqual({ cotton: 2, linen: 1, 'wool, fine': 1 });
    const query = 'metafield[care.material]=cotton';
    expect(counts(await facet('metafield[care.material]', query))).toEqual({ cotton: 2, linen: 1, 'wool, fine': 1 });
    expect((await facet('metafield[care.material]', query)).values.filter(({ selected }: Json) => selected)).toMatchObject([
      { value: 'cotton' },
    ]);
    expect(counts(await facet('metafield[care.organic]', query))).toEqual({ true: 2 });
    expect(counts(await facet('availability', query))).toEqual({ in_stock: 2 });
    for (const [value, count] of Object.entries(counts(await facet('metafield[care.wash]', query))))
      expect((await list(`${query}&metafield[care.wash]=${value}`)).page.total).toBe(count);
  });

  it('follow a changed value and a removed definition', async () => {
    await shop.a.admin.put(`/api/admin/metafields/catalog.product/${ids[1]}`, {
      metafields: [{ namespace: 'care', key: 'material', value: 'hemp' }],
    });
    expect(counts(await facet('metafield[care.material]'))).toEqual({ cotton: 2, hemp: 1, 'wool, fine': 1 });
    expect(slugs(await list('metafield[care.material]=hemp'))).toEqual(['p1']);
    const { id } = (await shop.a.admin.get<Json>('/api/admin/metafields/definitions?key=since')).body.data[0];
    expect((await shop.a.admin.delete(`/api/admin/metafields/definitions/${id}?cascade=true`)).status).toBe(204);
    expect(await facet('metafield[care.since]')).toBeUndefined();
    expect(await list('metafield[care.since][gt]=2026-02-01')).toMatchObject({ code: 'invalid_parameter' });
  });
});
