import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct } from '../../catalog/test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'] });
});
afterAll(() => shop?.stop());
const receive = (variantId: string, delta: number) =>
  shop.a.admin.post<Json>(`/api/admin/inventory/${variantId}/adjust`, { delta, reason: 'received' });
const shown = async (query = ''): Promise<[string, string][]> =>
  (await shop.a.guest.get<Json>(`/api/storefront/products/?${query}`)).body.data.map(({ slug, availability }: Json) => [
    slug,
    availability,
  ]);

describe('beside the real inventory', () => {
  it('C50: component stock 10, kit of 2: at most 5 kits; the shelf follows the stock', async () => {
    const cup = await makeProduct(shop.a, { slug: 'cup', position: 1 });
    const kit = await makeProduct(shop.a, { slug: 'kit', position: 2, type: 'bundle' });
    await make(
      shop.a.admin,
      `/api/admin/bundles/${kit.id}`,
      { components: [{ variantId: cup.variants[0].id, quantity: 2 }] },
      200,
    );
    expect(await shown()).toEqual([
      ['cup', 'out_of_stock'],
      ['kit', 'out_of_stock'],
    ]);
    expect(await shown('inStock=true')).toEqual([]);
    expect((await receive(cup.variants[0].id, 10)).status).toBe(200);
    await shop.settled();
    expect((await shop.a.admin.get<Json>(`/api/admin/bundles/${kit.id}`)).body).toMatchObject({
      available: 5,
      components: [{ available: 10 }],
    });
    expect((await shown('inStock=true')).map(([slug]) => slug)).toEqual(['cup', 'kit']);
  });
  it('the flags of a kit follow its component through parallel edits and stock changes', async () => {
    const part = await makeProduct(shop.a, { slug: 'walk-part' });
    const kit = await makeProduct(shop.a, { slug: 'walk-kit', type: 'bundle' });
    const component = { variantId: part.variants[0].id, quantity: 1 };
    await make(shop.a.admin, `/api/admin/bundles/${kit.id}`, { components: [component] }, 200);
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all([
        receive(component.variantId, round % 2 === 0 ? 1 : -1),
        ...[1, 2, 3].map((n) => shop.a.admin.patch(`/api/admin/products/${part.id}`, { title: `Part ${round} ${n}` })),
        shop.a.admin.patch(`/api/admin/products/${kit.id}`, { title: `Kit ${round}` }),
      ]);
      for (const { status, text } of answers) expect(status, text).toBe(200);
      await shop.settled();
      const rows = await shop.rows<{ flag: boolean }>("select in_stock as flag from catalog_product where slug like 'walk-%'");
      expect(rows).toEqual([{ flag: round % 2 === 0 }, { flag: round % 2 === 0 }]);
    }
  });
  it('C50: stock 5, kit of 5: one kit', async () => {
    const part = await makeProduct(shop.a);
    const kit = await makeProduct(shop.a, { type: 'bundle' });
    await receive(part.variants[0].id, 5);
    expect(
      await make(
        shop.a.admin,
        `/api/admin/bundles/${kit.id}`,
        { components: [{ variantId: part.variants[0].id, quantity: 5 }] },
        200,
      ),
    ).toMatchObject({ available: 1 });
  });
  it('what is not tracked never limits', async () => {
    const free = await makeProduct(shop.a, {
      slug: 'free',
      variants: [{ sku: 'FREE', price: { amount: 1, currency: 'RON' }, trackInventory: false }],
    });
    expect((await shown('inStock=true')).map(([slug]) => slug)).toContain('free');
    const kit = await makeProduct(shop.a, { type: 'bundle' });
    expect(
      await make(
        shop.a.admin,
        `/api/admin/bundles/${kit.id}`,
        { components: [{ variantId: free.variants[0].id, quantity: 3 }] },
        200,
      ),
    ).toMatchObject({ available: null });
  });
});
