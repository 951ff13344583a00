import { isShape, type SchemaLike, shapeSchema } from '@storeloom/plugin-sdk';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Json, make, makeProduct, ron, sized, sizes } from '../test/shop.ts';

let shop: TestShop;
let customer: TestClient;
let shirt: Json;
let kit: Json;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
  const { admin } = shop.a;
  const brand = await make(admin, '/api/admin/brands/', {
    name: 'Marca',
    logo: '/x.png',
    website: 'https://x.example',
    description: 'x',
  });
  const parent = await make(admin, '/api/admin/categories/', { name: 'A', seo: { title: 'x' }, metadata: { a: 1 } });
  const child = await make(admin, '/api/admin/categories/', { name: 'B', parentId: parent.id });
  shirt = await makeProduct(shop.a, {
    title: 'Tricou',
    slug: 'tricou',
    brandId: brand.id,
    categoryIds: [child.id],
    options: sizes,
    featured: true,
    seo: { title: 't' },
    minAge: 3,
    countryOfOrigin: 'RO',
    images: [{ url: '/a.webp', alt: 'x' }],
    description: '<p>x</p>',
    tags: ['a'],
    variants: [
      sized('A', 'S', 100, {
        compareAtPrice: ron(200),
        cost: ron(1),
        dimsMm: { length: 1, width: 2, height: 3 },
        prices: [{ price: ron(1), priceListCode: 'x' }],
        barcode: '73513537',
        minPrice: ron(1),
      }),
      sized('B', 'M'),
    ],
  });
  kit = await makeProduct(shop.a, { type: 'bundle', slug: 'kit' });
  await make(admin, `/api/admin/bundles/${kit.id}`, { components: [{ variantId: shirt.variants[0].id, quantity: 1 }] }, 200);
  await make(admin, `/api/admin/volume-prices/${shirt.id}`, { minQuantity: 2, percentBp: 5 });
  customer = await shop.a.customer();
  await make(customer, '/api/storefront/wishlist/items', { variantId: shirt.variants[0].id });
});
afterAll(() => shop?.stop());

describe('answers are what the documentation of their routes says', () => {
  const cases: [string, () => string][] = [
    ['/api/admin/products', () => '/api/admin/products/'],
    ['/api/admin/products/{id}', () => `/api/admin/products/${shirt.id}`],
    ['/api/admin/brands', () => '/api/admin/brands/'],
    ['/api/admin/categories', () => '/api/admin/categories/'],
    ['/api/admin/bundles/{productId}', () => `/api/admin/bundles/${kit.id}`],
    ['/api/admin/volume-prices/{productId}', () => `/api/admin/volume-prices/${shirt.id}`],
    ['/api/storefront/products', () => '/api/storefront/products/'],
    ['/api/storefront/products/featured', () => '/api/storefront/products/featured'],
    ['/api/storefront/products/{slug}', () => '/api/storefront/products/tricou'],
    ['/api/storefront/products/{slug}', () => '/api/storefront/products/kit'],
    ['/api/storefront/products/{slug}/variants', () => '/api/storefront/products/tricou/variants'],
    ['/api/storefront/categories', () => '/api/storefront/categories/'],
    ['/api/storefront/wishlist', () => '/api/storefront/wishlist/'],
  ];
  it.each(cases)('%s', async (template, path) => {
    const mounted = shop.kernel.routes.find((one) => one.path.replace(/\/$/, '') === template && one.route.method === 'GET');
    const { response, list } = mounted!.route.options;
    const client = template.startsWith('/api/admin') ? shop.a.admin : customer;
    const answer = await client.get<Json>(path());
    expect(answer.status).toBe(200);
    const schema = schemaOf(response as SchemaLike);
    const items: unknown[] = list ? answer.body.data : [answer.body];
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(schema.safeParse(item)).toMatchObject({ success: true });
  });
});

function schemaOf(response: SchemaLike): z.ZodType {
  return isShape(response) ? shapeSchema(response, 'answer') : (response as z.ZodType);
}
