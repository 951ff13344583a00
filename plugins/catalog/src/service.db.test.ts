import { type Catalog, catalog } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hiding, type Json, make, makeProduct, ron, sized, sizes } from '../test/shop.ts';
import { orderPlaced } from './events.ts';

let shop: TestShop;
const hidden = new Set<string>();
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', hiding(hidden)] });
});
afterAll(() => shop?.stop());
const call = <T>(fn: (service: Catalog) => Promise<T>, tenant = shop.a): Promise<T> =>
  tenant.run('catalog', (ctx) => fn(ctx.require(catalog)));

const admin = async (id: string): Promise<Json> => (await shop.a.admin.get(`/api/admin/products/${id}`)).body;

describe('the service', () => {
  it('gives variants in the order asked for, of its tenant only', async () => {
    const category = await make(shop.a.admin, '/api/admin/categories/', { name: 'Sus2' });
    const made = await makeProduct(shop.a, {
      title: { ro: 'Haină', en: 'Coat' },
      categoryIds: [category.id],
      options: sizes,
      variants: [sized('SV-S', 'S', 100, { maxPerOrder: 3 }), sized('SV-M', 'M', 200)],
    });
    const [s, m] = made.variants.map(({ id }: Json) => id);
    const foreign = (await makeProduct(shop.b)).variants[0].id;
    const views = await call((service) => service.variants([m, foreign, s]));
    expect(views.map(({ id }) => id)).toEqual([m, s]);
    expect(views[1]).toMatchObject({
      productId: made.id,
      sku: 'SV-S',
      title: { ro: 'Haină – S', en: 'Coat – S' },
      price: ron(100),
      compareAtPrice: null,
      active: true,
      sellable: true,
      maxPerOrder: 3,
      categoryIds: [category.id],
      components: null,
      weightG: 0,
      slug: made.slug,
    });
    expect((await call((service) => service.variantBySku('sv-m')))?.id).toBe(m);
    expect(await call((service) => service.variantBySku('SV-M'), shop.b)).toBeUndefined();
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { status: 'draft' });
    expect((await call((service) => service.variants([s])))[0]).toMatchObject({
      sellable: false,
      active: true,
      productStatus: 'draft',
    });
  });
  it('gives the stock rules of variants and bundles as `variants` does, in one query', async () => {
    const part = (
      await makeProduct(shop.a, {
        variants: [{ sku: 'SR-1', price: ron(100), optionValues: {}, allowBackorder: true, backorderLimit: 3 }],
      })
    ).variants[0].id;
    const kit = await makeProduct(shop.a, { type: 'bundle', status: 'draft' });
    await make(
      shop.a.admin,
      `/api/admin/bundles/${kit.id}`,
      { components: [{ variantId: part, quantity: 2 }], pricing: 'sum' },
      200,
    );
    const foreign = (await makeProduct(shop.b)).variants[0].id;
    const ids = [part, kit.variants[0].id, foreign];
    const rules = await call((service) => service.stockRules(ids));
    const views = await call((service) => service.variants(ids));
    const of = (id: string) => rules.find(({ variantId }) => variantId === id);
    expect(rules).toHaveLength(2);
    expect(of(part)).toMatchObject({ sku: 'SR-1', allowBackorder: true, backorderLimit: 3, components: null });
    expect(of(ids[1] as string)?.components).toEqual([{ variantId: part, quantity: 2 }]);
    for (const { id, sku, productType, trackInventory, allowBackorder, backorderLimit, components } of views)
      expect(of(id)).toEqual({ variantId: id, sku, productType, trackInventory, allowBackorder, backorderLimit, components });
    expect(await call((service) => service.stockRules([]))).toEqual([]);
  });
  it('gives cards in order without what is hidden', async () => {
    const [one, two, draft] = [
      await makeProduct(shop.a),
      await makeProduct(shop.a),
      await makeProduct(shop.a, { status: 'draft' }),
    ];
    const cards = await call((service) => service.cards([two.id, draft.id, one.id, two.id]));
    expect(cards.map(({ id }) => id)).toEqual([two.id, one.id]);
    expect(await call((service) => service.visibleProducts([one.id, draft.id]))).toEqual(new Set([one.id]));
  });
  it('keeps ratings without a new version, and shows them', async () => {
    const made = await makeProduct(shop.a);
    await call((service) => service.setRating(made.id, { average: 4.666, count: 3 }));
    expect(await admin(made.id)).toMatchObject({ ratingAvg: 4.67, ratingCount: 3, version: made.version });
    expect((await shop.a.guest.get<Json>(`/api/storefront/products/${made.slug}`)).body.rating).toEqual({
      average: 4.67,
      count: 3,
    });
    await call((service) => service.setRating(made.id, { average: 0, count: 0 }));
    expect((await admin(made.id)).ratingAvg).toBeNull();
  });
  it('writes search documents of what is shown', async () => {
    const brand = await make(shop.a.admin, '/api/admin/brands/', { name: 'Doc' });
    const parent = await make(shop.a.admin, '/api/admin/categories/', { name: { ro: 'Părinte', en: 'Parent' } });
    const child = await make(shop.a.admin, '/api/admin/categories/', { name: 'Copil', parentId: parent.id });
    const made = await makeProduct(shop.a, {
      title: 'Document',
      shortDescription: 'Scurt',
      description: '<p>Lung &amp; <b>gras</b></p>',
      brandId: brand.id,
      categoryIds: [child.id],
      tags: ['t'],
      options: sizes,
      variants: [
        sized('DOC-S', 'S', 100, { barcode: '73513537' }),
        sized('DOC-M', 'M', 300),
        sized('DOC-L', 'L', 1, { active: false }),
      ],
    });
    expect(await call((service) => service.searchDocument(made.id))).toMatchObject({
      productId: made.id,
      title: { ro: 'Document' },
      text: { ro: 'Scurt Lung & gras' },
      skus: ['DOC-S', 'DOC-M'],
      barcodes: ['73513537'],
      brandName: 'Doc',
      brandSlug: 'doc',
      categoryIds: [parent.id, child.id],
      categoryNames: [{ ro: 'Părinte', en: 'Parent' }, { ro: 'Copil' }],
      options: { Size: ['M', 'S'] },
      priceMin: 100,
      priceMax: 300,
      currency: 'RON',
      ratingAvg: null,
      variantIds: made.variants.slice(0, 2).map(({ id }: Json) => id),
      extra: [],
    });
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { status: 'draft' });
    expect(await call((service) => service.searchDocument(made.id))).toBeUndefined();
    const ids = await call((service) => service.productIds(null, 3));
    expect(ids).toHaveLength(3);
    expect((await call((service) => service.productIds(ids[1]!, 1)))[0]).toBe(ids[2]);
  });
  it('counts ordered units for the sort by popularity', async () => {
    const made = await makeProduct(shop.a);
    const lines = [
      { productId: made.id, quantity: 2 },
      { productId: made.id, quantity: 3 },
      { productId: null, quantity: 9 },
    ];
    await shop.a.run('catalog', (ctx) =>
      orderPlaced(ctx, {
        id: 'e',
        type: 'orders.order.placed',
        at: '',
        aggregate: '',
        sequence: 1,
        data: { lines },
      }),
    );
    expect((await shop.a.guest.get<Json>('/api/storefront/products/?sort=-popularity&limit=1')).body.data[0].id).toBe(made.id);
    expect((await admin(made.id)).version).toBe(made.version);
  });
});

describe('what a tap of catalog:visible hides', () => {
  it('is nowhere: lists, counts, detail, cards, search, wishlist, placing', async () => {
    const category = await make(shop.a.admin, '/api/admin/categories/', { name: 'Ascunse' });
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, position) => makeProduct(shop.a, { categoryIds: [category.id], position: position - 100 })),
    );
    for (const n of [0, 2, 3]) hidden.add(made[n].id);
    await shop.a.run('catalog', async (ctx) => ctx.dropCache('catalog'));
    const ids = made.map(({ id }: Json) => id);
    const left = ids.filter((id) => !hidden.has(id));
    const page = (query: string) => shop.a.guest.get<Json>(`/api/storefront/products/?category=ascunse&${query}`);
    const byPosition = made
      .toSorted((a: Json, b: Json) => a.position - b.position)
      .map(({ id }: Json) => id)
      .filter((id: string) => !hidden.has(id));
    // A page is full in spite of the gaps, and the cursor goes on behind it.
    const first = (await page('limit=2')).body;
    expect(first.data.map(({ id }: Json) => id)).toEqual(byPosition.slice(0, 2));
    const second = (await page(`limit=2&cursor=${first.page.nextCursor}`)).body;
    expect([second.data.map(({ id }: Json) => id), second.page.nextCursor]).toEqual([byPosition.slice(2), null]);
    expect((await shop.a.guest.get(`/api/storefront/products/${made[0].slug}`)).status).toBe(404);
    expect((await call((service) => service.cards(ids))).map(({ id }) => id)).toEqual(left);
    expect(await call((service) => service.visibleProducts(ids))).toEqual(new Set(left));
    expect(await call((service) => service.searchDocument(made[0].id))).toBeUndefined();
    // Counts ask about products of vendors.
    await shop.rows('update catalog_product set vendor_id = id where id = any($1::uuid[])', [ids]);
    await shop.a.run('catalog', async (ctx) => ctx.dropCache('catalog'));
    expect((await page('limit=1&total=true')).body.page.total).toBe(3);
    const tree = (await shop.a.guest.get<Json>('/api/storefront/categories/')).body.data;
    expect(tree.find(({ id }: Json) => id === category.id).productCount).toBe(3);
    const customer = await shop.a.customer();
    expect((await customer.post('/api/storefront/wishlist/items', { variantId: made[0].variants[0].id })).status).toBe(404);
    hidden.clear();
  });
});
