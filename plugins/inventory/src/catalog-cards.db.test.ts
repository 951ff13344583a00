import { catalog } from '@storeloom/commerce';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron, sized, sizes } from '../../catalog/test/shop.ts';

let shop: TestShop;
const products: Json = {};
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], now: '2026-06-01T10:00:00Z' });
  customer = await shop.a.customer();
  products.lamp = await makeProduct(shop.a, { slug: 'lamp' });
  products.shirt = await makeProduct(shop.a, {
    slug: 'shirt',
    options: sizes,
    variants: [sized('S1', 'S', 4000), sized('S2', 'M', 3000, { compareAtPrice: ron(3500) }), sized('S3', 'L', 5000)],
  });
  products.kit = await makeProduct(shop.a, { slug: 'kit', type: 'bundle' });
  const [{ id: lampId }] = products.lamp.variants;
  await make(
    shop.a.admin,
    `/api/admin/bundles/${products.kit.id}`,
    { pricing: 'sum', components: [{ variantId: lampId, quantity: 2 }] },
    200,
  );
  await shop.a.admin.post(`/api/admin/inventory/${lampId}/adjust`, { delta: 20, reason: 'received' });
});
afterAll(() => shop?.stop());

/** Responses for a signed-in customer aren't cached. */
let customer: TestClient;
const shown = async (query = ''): Promise<Json[]> =>
  (await customer.get<Json>(`/api/storefront/products/?limit=100${query}`)).body.data;
const kept = () =>
  shop.rows<{ slug: string; card: Json }>(
    'select slug, card from catalog_product where tenant_id = $1 and listed order by slug',
    [shop.a.id],
  );
/** The list from cached cards, and from the database without cache: both must be equal. */
async function both(): Promise<{ withCards: Json[]; without: Json[] }> {
  const withCards = await shown();
  const cards = await kept();
  await shop.rows('update catalog_product set card = null where tenant_id = $1', [shop.a.id]);
  const without = await shown();
  for (const { slug, card } of cards)
    await shop.rows('update catalog_product set card = $3::json where tenant_id = $1 and slug = $2', [
      shop.a.id,
      slug,
      JSON.stringify(card),
    ]);
  return { withCards, without };
}
const patch = async (product: Json, body: object): Promise<void> => {
  const response = await shop.a.admin.patch<Json>(`/api/admin/products/${product.id}`, body);
  expect(response.status, response.text).toBe(200);
};
const bulk = async (body: object): Promise<void> => {
  expect((await shop.a.admin.post<Json>('/api/admin/products/bulk', body)).body).toMatchObject({ failed: 0 });
};
const variant = (product: Json, i: number) => product.variants[i].id as string;

describe('cached product cards', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['another order', () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 0), position: 9 }] })],
    [
      'another price, and no reduction',
      () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 1), price: ron(9000) }] }),
    ],
    ['a reduction', () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 0), compareAtPrice: ron(8000) }] })],
    ['another SKU', () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 0), sku: 'S1-B' }] })],
    [
      'rules of stock',
      () =>
        patch(products.shirt, {
          variants: [{ id: variant(products.shirt, 0), allowBackorder: true, backorderLimit: 3 }],
        }),
    ],
    [
      'stock that is not counted',
      () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 2), trackInventory: false }] }),
    ],
    ['a variant that is off', () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 2), active: false }] })],
    ['a variant that is gone', () => patch(products.shirt, { variants: [{ id: variant(products.shirt, 1), delete: true }] })],
    ['the price of a part', () => patch(products.lamp, { variants: [{ id: variant(products.lamp, 0), price: ron(1234) }] })],
    [
      'prices of many',
      () => bulk({ op: 'price_adjust', ids: [products.lamp.id, products.shirt.id], patch: { field: 'price', percentBp: 1000 } }),
    ],
    [
      'an import',
      () =>
        shop.a.run('catalog', (ctx) =>
          ctx.require(catalog).importProduct(
            {
              slug: 'lamp',
              title: { ro: 'Lampă' },
              description: null,
              status: 'active',
              type: 'physical',
              brand: 'Lumen',
              categoryPath: null,
              tags: [],
              options: [],
              seo: null,
              images: [],
              variants: [
                {
                  sku: products.lamp.variants[0].sku,
                  barcode: null,
                  optionValues: {},
                  price: ron(777),
                  compareAtPrice: ron(999),
                  weightG: null,
                  trackInventory: true,
                  allowBackorder: false,
                  position: 0,
                },
              ],
            },
            'update',
          ),
        ),
    ],
  ])('show what their variants are: %s', async (_, write) => {
    const before = await kept();
    await write();
    const cards = await kept();
    expect(cards.every(({ card }) => card !== null)).toBe(true);
    expect(cards).not.toEqual(before);
    const { withCards, without } = await both();
    expect(withCards).toHaveLength(cards.length);
    expect(withCards).toEqual(without);
    // A filter excludes stock and brand from the statement.
    expect(await shown('&price[gte]=0')).toEqual(withCards);
  });

  it("aren't cached beyond the next price date: a dated price applies from its instant, before any job runs", async () => {
    const at = (hours: number) => new Date(shop.clock.ms() + hours * 3600_000).toISOString();
    const id = variant(products.lamp, 0);
    await patch(products.lamp, { variants: [{ id, prices: [{ price: ron(500), startsAt: at(1), endsAt: at(2) }] }] });
    const lamp = async () => (await shown()).find(({ slug }) => slug === 'lamp')!.price.amount;
    expect((await kept()).filter(({ card }) => card === null).map(({ slug }) => slug)).toEqual(['lamp']);
    expect(await lamp()).toBe(777);
    shop.clock.advance(3600_000);
    expect(await lamp()).toBe(500);
    shop.clock.advance(3600_000);
    expect(await lamp()).toBe(777);
    await patch(products.lamp, { variants: [{ id, prices: [] }] });
    expect((await kept()).filter(({ card }) => card === null)).toEqual([]);
  });

  it('show the current stock and brand', async () => {
    const lamp = async () => (await shown()).find(({ slug }) => slug === 'lamp')!;
    expect(await lamp()).toMatchObject({ availability: 'in_stock', brand: { name: 'Lumen', slug: 'lumen' } });
    await shop.a.admin.post(`/api/admin/inventory/${variant(products.lamp, 0)}/adjust`, { delta: -20, reason: 'damage' });
    const { id } = (await lamp()).brand;
    expect((await shop.a.admin.patch(`/api/admin/brands/${id}`, { name: 'Lux' })).status).toBe(200);
    expect(await lamp()).toMatchObject({ availability: 'out_of_stock', brand: { name: 'Lux', slug: 'lumen' } });
    expect((await shop.a.admin.patch(`/api/admin/brands/${id}`, { active: false })).status).toBe(200);
    expect(await lamp()).toMatchObject({ brand: null });
  });

  it('sum the stock of warehouses like the inventory service', async () => {
    const [warehouse, closed] = [
      await make(shop.a.admin, '/api/admin/warehouses/', { name: 'Cluj', code: 'CJ' }),
      await make(shop.a.admin, '/api/admin/warehouses/', { name: 'Iași', code: 'IS', active: false }),
    ];
    const created = await makeProduct(shop.a, { slug: 'rug' });
    const id = variant(created, 0);
    const receive = (delta: number, more: object = {}) =>
      shop.a.admin.post(`/api/admin/inventory/${id}/adjust`, { delta, reason: 'received', ...more });
    const everywhere = async (): Promise<string[]> => {
      const of = (cards: Json[]) => cards.find(({ slug }) => slug === 'rug')!.availability;
      const page = await customer.get<Json>('/api/storefront/products/rug');
      return [of(await shown()), of(await shown('&price[gte]=0')), page.body.availability];
    };
    const all = (availability: string) => [availability, availability, availability];
    expect(await everywhere()).toEqual(all('out_of_stock'));
    await receive(50, { warehouseId: closed.id });
    expect(await everywhere()).toEqual(all('out_of_stock'));
    await receive(4);
    await receive(4, { warehouseId: warehouse.id });
    expect(await everywhere()).toEqual(all('in_stock'));
    // Eight units in two warehouses are four an order.
    await shop.a.run('inventory', (ctx) => ctx.saveSettings({ allowSplitShipment: false }));
    expect(await everywhere()).toEqual(all('low_stock'));
  });
});
