import { levelEvents } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron, sized, sizes } from '../test/shop.ts';
import { stubs, world } from '../test/stubs.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', ...Object.keys(stubs)], modules: stubs });
});
afterAll(() => shop?.stop());
beforeEach(async () => {
  world.plain = true;
  world.off.clear();
  world.calls = { resolve: 0, availability: 0 };
  await shop.a.run('catalog', async (ctx) => ctx.dropCache('catalog'));
});
const get = async (path: string): Promise<Json> => (await shop.a.guest.get<Json>(`/api/storefront${path}`)).body;
const level = { id: crypto.randomUUID(), warehouseId: crypto.randomUUID(), onHand: 0, reserved: 0, available: 0 };
/** Stock moved: the event that inventory sends. */
const stocked = async (variantId: string, units: number): Promise<void> => {
  world.units.set(variantId, units);
  await shop.a.run('inventory', (ctx) => ctx.emit(levelEvents.changed, { id: variantId, data: { ...level, variantId } }));
  await shop.settled();
};

describe('with inventory', () => {
  it('cards show the best availability of their variants, variants their own; one call a page', async () => {
    const made = await makeProduct(shop.a, {
      slug: 'stoc',
      options: sizes,
      variants: [sized('ST-S', 'S'), sized('ST-M', 'M'), sized('ST-L', 'L')],
    });
    const [s, m] = made.variants.map(({ id }: Json) => id);
    const card = async () => (await get('/products/?limit=100')).data.find(({ slug }: Json) => slug === 'stoc').availability;
    expect(await card()).toBe('out_of_stock');
    world.calls.availability = 0;
    await stocked(s, 2);
    expect(await card()).toBe('low_stock');
    await stocked(m, 9);
    world.calls.availability = 0;
    expect((await get('/products/?limit=50')).data.find(({ slug }: Json) => slug === 'stoc').availability).toBe('in_stock');
    expect(world.calls.availability).toBe(1);
    const { data } = await get('/products/stoc/variants');
    expect(data.map(({ availability, stock }: Json) => [availability, stock])).toEqual([
      ['low_stock', 2],
      ['in_stock', 9],
      ['out_of_stock', 0],
    ]);
  });
  it('the inStock filter follows stock, bundles with their components', async () => {
    const [cup, plate] = [await makeProduct(shop.a, { slug: 'f-cup' }), await makeProduct(shop.a, { slug: 'f-plate' })];
    const kit = await makeProduct(shop.a, { slug: 'f-kit', type: 'bundle' });
    await make(
      shop.a.admin,
      `/api/admin/bundles/${kit.id}`,
      { components: [{ variantId: cup.variants[0].id, quantity: 2 }] },
      200,
    );
    const inStock = async (query: string) =>
      (await get(`/products/?limit=100&${query}`)).data
        .map(({ slug }: Json) => slug)
        .filter((slug: string) => slug.startsWith('f-'))
        .sort();
    expect(await inStock('inStock=true')).toEqual([]);
    world.units.set(kit.variants[0].id, 5);
    await stocked(cup.variants[0].id, 10);
    expect(await inStock('inStock=true')).toEqual(['f-cup', 'f-kit']);
    expect(await inStock('inStock=false')).toEqual(['f-plate']);
    world.units.set(kit.variants[0].id, 0);
    await stocked(cup.variants[0].id, 0);
    expect(await inStock('inStock=true')).toEqual([]);
    expect((await shop.a.admin.get<Json>('/api/admin/products/?inStock=true&slug=f-cup')).body.data).toEqual([]);
    expect(plate.id).toBeDefined();
  });
  it('C50: stock 10, kit of 2 → at most 5; stock 5, kit of 5 → 1', async () => {
    const [a, b] = [await makeProduct(shop.a), await makeProduct(shop.a)];
    const kit = await makeProduct(shop.a, { type: 'bundle' });
    world.units.set(a.variants[0].id, 10);
    world.units.set(b.variants[0].id, 5);
    const put = async (variantId: string, quantity: number): Promise<Json> =>
      make(shop.a.admin, `/api/admin/bundles/${kit.id}`, { components: [{ variantId, quantity }] }, 200);
    expect(await put(a.variants[0].id, 2)).toMatchObject({ available: 5, components: [{ available: 10 }] });
    expect(await put(b.variants[0].id, 5)).toMatchObject({ available: 1 });
  });
});

describe('with checkout', () => {
  it('a guest’s page asks the pipeline for nothing while general prices hold, else once', async () => {
    const made = await makeProduct(shop.a, { slug: 'promo', price: ron(10_000), position: -5 });
    expect((await get('/products/?limit=5')).data[0].price).toEqual(ron(10_000));
    expect(world.calls.resolve).toBe(0);
    world.plain = false;
    world.off.set(made.id, { amount: 2500, since: new Date().toISOString() });
    const page = await get('/products/?limit=6');
    expect(page.data[0]).toMatchObject({
      slug: 'promo',
      price: ron(7500),
      compareAtPrice: ron(10_000),
      lowestPrice30d: ron(10_000),
      priceRange: { min: ron(7500), max: ron(7500) },
    });
    expect(world.calls.resolve).toBe(1);
    world.calls.resolve = 0;
    expect(await get('/products/promo')).toMatchObject({
      price: ron(7500),
      compareAtPrice: ron(10_000),
      variants: [{ price: ron(7500) }],
    });
    expect(world.calls.resolve).toBe(1);
  });
  it('a promotion without a known beginning advertises no lowest price', async () => {
    const made = await makeProduct(shop.a, { slug: 'promo2', price: ron(1000) });
    world.plain = false;
    world.off.set(made.id, { amount: 100, since: undefined as never });
    expect(await get('/products/promo2')).toMatchObject({ price: ron(900), compareAtPrice: ron(1000), lowestPrice30d: null });
  });
  it('tiers are those of the pipeline', async () => {
    const made = await makeProduct(shop.a, { slug: 'trepte', price: ron(1000) });
    await make(shop.a.admin, `/api/admin/volume-prices/${made.id}`, { minQuantity: 3, percentBp: 1000 });
    world.plain = false;
    world.off.set(made.id, { amount: 50, since: new Date().toISOString() });
    expect(await get('/products/trepte')).toMatchObject({ price: ron(950), tiers: [{ minQuantity: 3, price: ron(850) }] });
  });
  it('another currency of the shop is converted once; one it does not take is refused', async () => {
    await makeProduct(shop.a, { slug: 'valuta', variants: [{ sku: 'VAL', price: ron(5499), compareAtPrice: ron(9000) }] });
    const page = await get('/products/valuta?currency=EUR');
    expect(page).toMatchObject({
      price: { amount: 1100, currency: 'EUR' },
      compareAtPrice: { amount: 1800, currency: 'EUR' },
      priceRange: { min: { amount: 1100, currency: 'EUR' } },
    });
    const cards = (await get('/products/?limit=100&currency=EUR')).data;
    expect(cards.every(({ price }: Json) => price.currency === 'EUR')).toBe(true);
    expect(await get('/products/valuta?currency=USD')).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter: 'currency',
    });
  });
});

describe('while staff archive or remove a product', () => {
  const archive = ({ id }: Json) => shop.a.admin.patch(`/api/admin/products/${id}`, { status: 'archived' });
  const remove = ({ id }: Json) => shop.a.admin.delete(`/api/admin/products/${id}`);
  /** The response to a visitor if it happens between the reading of the page and its pricing. */
  const during = async (path: string, change: () => Promise<Json>, client = shop.a.guest): Promise<Json> => {
    world.plain = false;
    world.meanwhile = async () => expect((await change()).status).toBeLessThan(300);
    const answer = await client.get<Json>(`/api/storefront${path}`);
    expect(world.meanwhile, path).toBeUndefined();
    return answer;
  };

  it.each([
    ['/products/?limit=100', 'archived', archive],
    ['/products/?limit=100&sort=price', 'removed', remove],
    ['/products/featured?limit=100', 'archived', archive],
  ])('%s has all but what is %s', async (path, how, change) => {
    const [goes, stays] = [await makeProduct(shop.a, { featured: true }), await makeProduct(shop.a, { featured: true })];
    const { status, body } = await during(path, () => change(goes));
    expect([how, status]).toEqual([how, 200]);
    const slugs = body.data.map(({ slug }: Json) => slug);
    expect(slugs).toContain(stays.slug);
    expect(slugs).not.toContain(goes.slug);
  });
  it.each(['', '/variants'])('a product’s page%s has the variants that are left, and is 404 when none is', async (path) => {
    const made = await makeProduct(shop.a, {
      options: sizes,
      variants: ['S', 'M'].map((size) => sized(`GO${path}-${size}`, size)),
    });
    const [s] = made.variants;
    const { status, body } = await during(`/products/${made.slug}${path}`, () =>
      shop.a.admin.patch(`/api/admin/products/${made.id}`, { variants: [{ id: s.id, active: false }] }),
    );
    expect(status).toBe(200);
    expect((body.variants ?? body.data).map(({ sku }: Json) => sku)).toEqual([`GO${path}-M`]);
    expect((await during(`/products/${made.slug}${path}`, () => archive(made))).status).toBe(404);
  });
  it('a wishlist has the rest', async () => {
    const customer = await shop.a.customer();
    const made = [await makeProduct(shop.a), await makeProduct(shop.a), await makeProduct(shop.a)];
    for (const { variants } of made)
      expect((await customer.post('/api/storefront/wishlist/items', { variantId: variants[0].id })).status).toBe(201);
    const { status, body } = await during('/wishlist/', () => archive(made[1]), customer);
    expect(status).toBe(200);
    expect(body.data.map(({ productId }: Json) => productId)).toEqual([made[2].id, made[0].id]);
  });
});

describe('with orders', () => {
  it('what an order names is archived, not removed: 204 either way, and its slug stays taken', async () => {
    const made = await makeProduct(shop.a, { slug: 'vandut' });
    world.ordered.add(made.id);
    expect((await shop.a.admin.delete(`/api/admin/products/${made.id}`)).status).toBe(204);
    expect((await shop.a.admin.get<Json>(`/api/admin/products/${made.id}`)).body).toMatchObject({
      status: 'archived',
      slug: 'vandut',
    });
    expect((await shop.a.admin.delete(`/api/admin/products/${made.id}`)).status).toBe(204);
    expect((await shop.a.guest.get('/api/storefront/products/vandut')).status).toBe(404);
    expect((await shop.a.admin.post<Json>('/api/admin/products/', { title: 'X', slug: 'vandut' })).body).toMatchObject({
      status: 409,
      field: 'slug',
    });
    const told = await shop.rows<{ type: string }>(`select type from core_event where aggregate = $1 order by sequence`, [
      made.id,
    ]);
    expect(told.map(({ type }) => type)).toEqual(['catalog.product.created', 'catalog.product.archived']);
  });
});
