import { stock } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct } from '../../test/shop.ts';
import { refreshStock } from './listing.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'] });
});
afterAll(() => shop?.stop());
const receive = (variantId: string, delta: number) =>
  shop.a.admin.post<Json>(`/api/admin/inventory/${variantId}/adjust`, { delta, reason: 'received' });

describe('the stock flags of products and bundles', () => {
  it('are not overwritten by an availability that was read before the last unit was sold', async () => {
    const part = await makeProduct(shop.a, { slug: 'raced-part' });
    const kit = await makeProduct(shop.a, { slug: 'raced-kit', type: 'bundle' });
    const component = { variantId: part.variants[0].id, quantity: 1 };
    await make(shop.a.admin, `/api/admin/bundles/${kit.id}`, { components: [component] }, 200);
    await receive(component.variantId, 1);
    await receive(component.variantId, -1);
    await shop.settled();
    const setUnits = (units: number) =>
      shop.rows('update inventory_level set on_hand = $2 where variant_id = $1', [component.variantId, units]);
    const flagsOf = () =>
      shop.rows<{ slug: string; flag: boolean }>(
        "select slug, in_stock as flag from catalog_product where slug like 'raced-%' order by slug",
      );
    for (const id of [kit.id, part.id]) {
      // One unit arrives; it is sold after the catalogue has read the availability.
      await setUnits(1);
      await shop.a.run('catalog', async (ctx) => {
        const service = ctx.require(stock);
        let reads = 0;
        const racing: typeof service = {
          ...service,
          async availability(...given) {
            const views = await service.availability(...given);
            reads += 1;
            if (reads === 1) await setUnits(0);
            return views;
          },
        };
        const use = (token: unknown) => (token === stock ? racing : ctx.use(token as typeof stock));
        await refreshStock(Object.create(ctx, { use: { value: use } }) as typeof ctx, [id]);
        expect(reads).toBe(2);
      });
      expect(await flagsOf()).toEqual([
        { slug: 'raced-kit', flag: false },
        { slug: 'raced-part', flag: false },
      ]);
    }
  });
});
