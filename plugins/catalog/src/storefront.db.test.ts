import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron, sized, sizes } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const get = (path: string, headers: Record<string, string> = {}) => shop.a.guest.get<Json>(`/api/storefront${path}`, { headers });
const patch = (id: string, body: object) => shop.a.admin.patch<Json>(`/api/admin/products/${id}`, body);
const slugs = async (query: string): Promise<string[]> =>
  (await get(`/products/?${query}`)).body.data.map(({ slug }: Json) => slug);

describe('the storefront’s products', () => {
  it('are listed as cards in the caller’s locale, with an ETag', async () => {
    const brand = await make(shop.a.admin, '/api/admin/brands/', { name: 'Marca', slug: 'marca' });
    const made = await makeProduct(shop.a, {
      title: { ro: 'Tricou', en: 'T-shirt' },
      slug: 'tricou',
      brandId: brand.id,
      images: [{ url: '/files/t.webp', alt: { ro: 'Un tricou', en: 'A T-shirt' } }],
      options: sizes,
      variants: [
        sized('TR-S', 'S', 9000),
        sized('TR-M', 'M', 8000, { compareAtPrice: ron(10_000) }),
        sized('TR-L', 'L', 1000, { active: false }),
      ],
    });
    const answer = await get('/products/', { 'accept-language': 'en' });
    expect(answer.status).toBe(200);
    expect(answer.body.data[0]).toEqual({
      id: made.id,
      slug: 'tricou',
      title: 'T-shirt',
      image: { url: '/files/t.webp', alt: 'A T-shirt' },
      brand: { id: brand.id, name: 'Marca', slug: 'marca' },
      price: ron(8000),
      compareAtPrice: ron(10_000),
      lowestPrice30d: null,
      priceRange: { min: ron(8000), max: ron(9000) },
      availability: 'in_stock',
      rating: { average: null, count: 0 },
    });
    expect(answer.headers['cache-control']).toContain('public');
    expect((await get('/products/', { 'accept-language': 'en', 'if-none-match': String(answer.headers.etag) })).status).toBe(304);
    expect((await get('/products/')).body.data[0].title).toBe('Tricou');
    // A write invalidates the cache immediately.
    await patch(made.id, { title: { ro: 'Tricou nou' } });
    expect((await get('/products/')).body.data[0].title).toBe('Tricou nou');
  });

  it('have a detail view with texts, images, options, breadcrumbs, variants and tiers, without internal fields', async () => {
    const clothes = await make(shop.a.admin, '/api/admin/categories/', { name: { ro: 'Haine', en: 'Clothes' } });
    const shirts = await make(shop.a.admin, '/api/admin/categories/', {
      name: { ro: 'Tricouri', en: 'Shirts' },
      parentId: clothes.id,
    });
    const made = await makeProduct(shop.a, {
      slug: 'camasa',
      categoryIds: [shirts.id],
      description: '<p>Bun</p>',
      options: sizes,
      metadata: { secret: 1 },
      variants: [sized('CA-S', 'S', 5000, { cost: ron(100), minPerOrder: 2 })],
    });
    const answer = await get('/products/camasa', { 'accept-language': 'en' });
    expect(answer.body).toMatchObject({
      id: made.id,
      description: '<p>Bun</p>',
      options: sizes,
      breadcrumbs: [
        { id: clothes.id, name: 'Clothes', slug: 'haine' },
        { id: shirts.id, name: 'Shirts' },
      ],
      variants: [
        {
          sku: 'CA-S',
          optionValues: { Size: 'S' },
          price: ron(5000),
          tiers: [],
          availability: 'in_stock',
          stock: null,
          minPerOrder: 2,
        },
      ],
      metafields: [],
      components: null,
    });
    for (const word of ['cost', 'secret', 'metadata', 'searchText', 'popularity', 'tenantId', 'version'])
      expect(answer.text).not.toContain(`"${word}"`);
    const variants = await get('/products/camasa/variants');
    expect(variants.body).toEqual({ data: answer.body.variants, page: { limit: 1, nextCursor: null } });
    expect(answer.headers.etag).toBeDefined();
  });

  it('are hidden while draft, archived, not yet published, or without an active variant', async () => {
    const made = await makeProduct(shop.a, { slug: 'ascuns' });
    const isShown = async () => [
      (await get('/products/ascuns')).status,
      (await get('/products/ascuns/variants')).status,
      (await slugs('limit=100')).includes('ascuns'),
    ];
    expect(await isShown()).toEqual([200, 200, true]);
    for (const change of [
      { status: 'draft' },
      { status: 'archived' },
      { status: 'active', publishedAt: '2100-06-02T10:00:00Z' },
    ]) {
      await patch(made.id, change);
      expect(await isShown()).toEqual([404, 404, false]);
    }
    await patch(made.id, { publishedAt: null });
    expect(await isShown()).toEqual([200, 200, true]);
    expect((await shop.b.guest.get('/api/storefront/products/ascuns')).status).toBe(404);
  });

  it('have a list of featured products', async () => {
    await makeProduct(shop.a, { slug: 'vedeta', featured: true });
    expect((await get('/products/featured')).body.data.map(({ slug }: Json) => slug)).toEqual(['vedeta']);
  });

  it('reject unknown parameters', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'sort=secret',
      'status=draft',
      'x=1',
      'option[]=1',
      'option[Size]=',
      'price[gte]=abc',
      'currency=eur',
      'currency=EUR',
      'cursor=abc',
      'vendor=x',
    ]) {
      const answer = await get(`/products/?${query}`);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'invalid_parameter']);
    }
    expect((await get('/products/tricou?currency=EUR')).body).toMatchObject({ status: 400, parameter: 'currency' });
  });
});

describe('viewers', () => {
  it('only members of a group see its price', async () => {
    const group = await make(shop.a.admin, '/api/admin/customer-groups/', {
      name: 'VIP',
      code: 'vip',
      priceListCode: 'vip',
      priority: 1,
    });
    const made = await makeProduct(shop.a, {
      slug: 'grup',
      variants: [{ sku: 'GR', price: ron(1000), prices: [{ price: ron(700), priceListCode: 'vip' }] }],
    });
    await make(shop.a.admin, `/api/admin/volume-prices/${made.id}`, {
      minQuantity: 2,
      price: ron(600),
      customerGroupId: group.id,
    });
    await make(shop.a.admin, `/api/admin/volume-prices/${made.id}`, { minQuantity: 3, price: ron(900) });
    const [vip, other] = [await shop.a.customer(undefined, { confirmed: true }), await shop.a.customer()];
    await make(shop.a.admin, `/api/admin/customer-groups/${group.id}/assign`, { customerIds: [vip.customerId] }, 200);
    const seen = async (client: typeof vip) => (await client.get<Json>('/api/storefront/products/grup')).body;
    expect(await seen(vip)).toMatchObject({ price: ron(700), tiers: [{ minQuantity: 2, price: ron(600) }] });
    expect(await seen(other)).toMatchObject({ price: ron(1000), tiers: [{ minQuantity: 3, price: ron(900) }] });
    const page = (await get('/products/grup')).body;
    expect(page).toMatchObject({ price: ron(1000), tiers: [{ minQuantity: 3, price: ron(900) }] });
    const cards = (await vip.get<Json>('/api/storefront/products/?limit=100')).body.data;
    expect(cards.find(({ slug }: Json) => slug === 'grup').price).toEqual(ron(700));
  });
});
