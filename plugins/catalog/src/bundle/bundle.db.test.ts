import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const post = (id: string, body: object) => shop.a.admin.post<Json>(`/api/admin/bundles/${id}`, body);
const product = (id: string) => shop.a.admin.get<Json>(`/api/admin/products/${id}`).then(({ body }) => body);
const shown = (slug: string) => shop.a.guest.get<Json>(`/api/storefront/products/${slug}`);
const part = async (price: number): Promise<Json> => makeProduct(shop.a, { price: ron(price) });

describe('bundles', () => {
  it('add and change components by variant and keep the others', async () => {
    const [cup, plate, kit] = [
      await part(1000),
      await part(700),
      await makeProduct(shop.a, { type: 'bundle', price: ron(1500) }),
    ];
    const [cupId, plateId] = [cup.variants[0].id, plate.variants[0].id];
    expect((await shop.a.admin.get<Json>(`/api/admin/bundles/${kit.id}`)).body).toMatchObject({
      components: [],
      pricing: 'fixed',
      percentBp: null,
      available: 0,
    });
    const first = await post(kit.id, { components: [{ variantId: cupId, quantity: 2 }] });
    expect(first.body).toMatchObject({
      productId: kit.id,
      components: [{ variantId: cupId, quantity: 2, position: 0, available: null }],
      pricing: 'fixed',
      available: null,
    });
    const second = await post(kit.id, {
      components: [
        { variantId: plateId, quantity: 1 },
        { variantId: cupId, quantity: 3 },
      ],
    });
    expect(second.body.components).toMatchObject([
      { variantId: cupId, quantity: 3 },
      { variantId: plateId, quantity: 1 },
    ]);
    expect((await product(kit.id)).variants[0].price).toEqual(ron(1500));
    const { id } = second.body.components[0];
    expect((await shop.a.admin.delete(`/api/admin/bundles/${kit.id}/${id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`/api/admin/bundles/${kit.id}/${id}`)).status).toBe(404);
    expect((await shop.a.admin.get<Json>(`/api/admin/bundles/${kit.id}`)).body.components).toHaveLength(1);
  });
  it('reject other product types with 409 and nested bundles with 422', async () => {
    const [cup, kit, outer] = [
      await part(1),
      await makeProduct(shop.a, { type: 'bundle' }),
      await makeProduct(shop.a, { type: 'bundle' }),
    ];
    const named = { components: [{ variantId: cup.variants[0].id, quantity: 1 }] };
    expect((await post(cup.id, named)).body).toMatchObject({ status: 409, code: 'not_a_bundle' });
    expect((await shop.a.admin.get<Json>(`/api/admin/bundles/${cup.id}`)).body).toMatchObject({ code: 'not_a_bundle' });
    for (const variantId of [kit.variants[0].id, outer.variants[0].id])
      expect((await post(outer.id, { components: [{ variantId, quantity: 1 }] })).body).toMatchObject({
        status: 422,
        code: 'bundle_nested',
        errors: [{ pointer: '/components/0/variantId' }],
      });
    await post(kit.id, named);
    expect((await shop.a.admin.patch<Json>(`/api/admin/products/${cup.id}`, { type: 'bundle' })).body).toMatchObject({
      status: 422,
      code: 'bundle_nested',
    });
    expect(
      (await post(kit.id, { components: [{ variantId: '0190a000-0000-7000-8000-000000000001', quantity: 1 }] })).body,
    ).toMatchObject({ status: 404, errors: [{ pointer: '/components/0/variantId' }] });
    for (const quantity of [0, -1, 1.5])
      expect((await post(kit.id, { components: [{ variantId: cup.variants[0].id, quantity }] })).status).toBe(422);
  });
  it('reject a component of another tenant', async () => {
    const [foreign, kit] = [await makeProduct(shop.b), await makeProduct(shop.a, { type: 'bundle' })];
    expect((await post(kit.id, { components: [{ variantId: foreign.variants[0].id, quantity: 1 }] })).status).toBe(404);
  });
  it('without a fixed price follow the prices of their components', async () => {
    const [cup, plate, kit] = [await part(1000), await part(333), await makeProduct(shop.a, { type: 'bundle' })];
    const components = [
      { variantId: cup.variants[0].id, quantity: 2 },
      { variantId: plate.variants[0].id, quantity: 1 },
    ];
    await post(kit.id, { components, pricing: 'sum' });
    expect((await product(kit.id)).priceRange).toEqual({ min: ron(2333), max: ron(2333) });
    await post(kit.id, { components, pricing: 'sum_minus_percent', percentBp: 1000 });
    expect((await product(kit.id)).variants[0].price).toEqual(ron(2100));
    await shop.a.admin.patch(`/api/admin/products/${plate.id}`, { variants: [{ id: plate.variants[0].id, price: ron(1000) }] });
    expect((await product(kit.id)).variants[0].price).toEqual(ron(2700));
    expect((await shown(kit.slug)).body).toMatchObject({
      price: ron(2700),
      components: [{ sku: cup.variants[0].sku, quantity: 2 }, { quantity: 1 }],
    });
    expect((await post(kit.id, { components, pricing: 'sum_minus_percent' })).status).toBe(200);
    expect((await post(kit.id, { components, pricing: 'sum', percentBp: 5 })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/percentBp' }],
    });
    const fresh = await makeProduct(shop.a, { type: 'bundle' });
    expect((await post(fresh.id, { components, pricing: 'sum_minus_percent' })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/percentBp' }],
    });
  });
  it('are listed only while all components are active', async () => {
    const [cup, kit] = [await part(1000), await makeProduct(shop.a, { type: 'bundle' })];
    expect((await shown(kit.slug)).status).toBe(404);
    await post(kit.id, { components: [{ variantId: cup.variants[0].id, quantity: 1 }] });
    expect((await shown(kit.slug)).status).toBe(200);
    await shop.a.admin.patch(`/api/admin/products/${cup.id}`, { status: 'archived' });
    expect((await shown(kit.slug)).status).toBe(404);
    await shop.a.admin.patch(`/api/admin/products/${cup.id}`, { status: 'active' });
    expect((await shown(kit.slug)).status).toBe(200);
    expect((await shop.a.admin.delete(`/api/admin/products/${cup.id}`)).body).toMatchObject({
      status: 409,
      code: 'in_use',
      counts: { bundles: 1 },
    });
    expect(
      (
        await shop.a.admin.patch<Json>(`/api/admin/products/${cup.id}`, {
          status: 'draft',
          variants: [
            { id: cup.variants[0].id, delete: true },
            { sku: 'other', price: ron(1) },
          ],
        })
      ).body,
    ).toMatchObject({ code: 'in_use' });
    await shop.a.admin.patch(`/api/admin/products/${kit.id}`, { type: 'physical' });
    expect(await shop.rows('select 1 from catalog_bundle_component where product_id = $1', [kit.id])).toEqual([]);
  });
  it('keep both of two concurrent changes', async () => {
    const kit = await makeProduct(shop.a, { type: 'bundle' });
    const parts = await Promise.all(Array.from({ length: 8 }, (_, i) => part(i + 1)));
    const answers = await Promise.all(
      parts.map((one) => post(kit.id, { components: [{ variantId: one.variants[0].id, quantity: 1 }], pricing: 'sum' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await product(kit.id)).variants[0].price).toEqual(ron(36));
  });
});

describe('volume prices', () => {
  const path = (id: string) => `/api/admin/volume-prices/${id}`;
  const tier = (id: string, body: object) => shop.a.admin.post<Json>(path(id), body);
  it('can be created, listed and deleted', async () => {
    const made = await part(1000);
    const answer = await tier(made.id, { minQuantity: 3, price: ron(900) });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(path(answer.body.id));
    expect(answer.body).toMatchObject({
      productId: made.id,
      variantId: null,
      mode: 'all_units',
      aggregate: 'variant',
      percentBp: null,
      fixedOff: null,
      customerGroupId: null,
      allowIncreasing: false,
    });
    await tier(made.id, { minQuantity: 2, percentBp: 500 });
    expect((await shop.a.admin.get<Json>(path(made.id))).body).toMatchObject({
      data: [{ minQuantity: 2 }, { minQuantity: 3 }],
      page: { nextCursor: null },
    });
    expect((await shown(made.slug)).body.tiers).toEqual([
      { minQuantity: 2, price: ron(950) },
      { minQuantity: 3, price: ron(900) },
    ]);
    expect((await shop.a.admin.delete(path(answer.body.id))).status).toBe(204);
    expect((await shop.a.admin.delete(path(answer.body.id))).status).toBe(404);
    expect((await shown(made.slug)).body.tiers).toHaveLength(1);
  });
  it('require exactly one kind of price and a variant of the product', async () => {
    const [made, other] = [await part(1000), await part(1000)];
    expect((await tier(made.id, { minQuantity: 2 })).status).toBe(422);
    expect((await tier(made.id, { minQuantity: 2, price: ron(1), percentBp: 1 })).status).toBe(422);
    expect((await tier(made.id, { minQuantity: 1, price: ron(1) })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/minQuantity' }],
    });
    expect((await tier(made.id, { minQuantity: 2, price: ron(1), variantId: other.variants[0].id })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/variantId' }],
    });
    expect(
      (await tier(made.id, { minQuantity: 2, price: ron(1), customerGroupId: '0190a000-0000-7000-8000-000000000001' })).body,
    ).toMatchObject({ status: 404, errors: [{ pointer: '/customerGroupId' }] });
    expect(
      (await tier(made.id, { minQuantity: 2, price: ron(1), startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' }))
        .status,
    ).toBe(422);
  });
  it('are unique by scope, minimum, currency and group', async () => {
    const made = await part(1000);
    expect((await tier(made.id, { minQuantity: 2, price: ron(900) })).status).toBe(201);
    expect((await tier(made.id, { minQuantity: 2, price: ron(800) })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      field: 'minQuantity',
    });
    expect((await tier(made.id, { minQuantity: 2, fixedOff: ron(200) })).body).toMatchObject({ code: 'duplicate' });
    expect((await tier(made.id, { minQuantity: 2, price: { amount: 150, currency: 'EUR' } })).status).toBe(201);
    const group = await make(shop.a.admin, '/api/admin/customer-groups/', { name: 'VIP', code: 'vip' });
    expect((await tier(made.id, { minQuantity: 2, price: ron(800), customerGroupId: group.id })).status).toBe(201);
    // Tiers of a customer group aren't compared with general tiers.
    expect((await shown(made.slug)).body.tiers).toEqual([{ minQuantity: 2, price: ron(900) }]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tier(made.id, { minQuantity: 9, price: ron(700) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
  it('don’t increase with the quantity without allowIncreasing', async () => {
    const made = await part(1000);
    expect((await tier(made.id, { minQuantity: 2, price: ron(1100) })).body).toMatchObject({
      status: 422,
      code: 'tier_increases',
      errors: [{ pointer: '/minQuantity' }],
    });
    expect((await tier(made.id, { minQuantity: 5, price: ron(800) })).status).toBe(201);
    expect((await tier(made.id, { minQuantity: 3, price: ron(700) })).body).toMatchObject({ code: 'tier_increases' });
    expect((await tier(made.id, { minQuantity: 9, price: ron(850) })).body).toMatchObject({ code: 'tier_increases' });
    expect((await tier(made.id, { minQuantity: 9, price: ron(850), allowIncreasing: true })).status).toBe(201);
    expect((await tier(made.id, { minQuantity: 4, price: { amount: 100, currency: 'EUR' } })).status).toBe(201);
    expect((await tier(made.id, { minQuantity: 6, price: { amount: 120, currency: 'EUR' } })).body).toMatchObject({
      code: 'tier_increases',
    });
    expect(await shop.rows('select 1 from catalog_volume_price where product_id = $1', [made.id])).toHaveLength(3);
    // Tiers in other periods aren't compared.
    expect((await tier(made.id, { minQuantity: 2, price: ron(950), endsAt: '2020-01-01T00:00:00Z' })).status).toBe(201);
  });
});
