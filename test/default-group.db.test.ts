import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: answers of the wire, looked at member by member
type Json = any;
let shop: TestShop;
let variantId: string;
const ron = (amount: number) => ({ amount, currency: 'RON' });
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'orders', 'payments', 'checkout', 'promotions', 'customers'], processes: 2 });
  const made = await shop.a.admin.post<Json>('/api/admin/products/', {
    title: 'Lamp',
    slug: 'lamp',
    status: 'active',
    variants: [{ sku: 'LAMP', price: ron(10_000), trackInventory: false, prices: [{ price: ron(8000), priceListCode: 'club' }] }],
  });
  expect(made.status).toBe(201);
  variantId = made.body.variants[0].id;
});
afterAll(() => shop?.stop());

const groups = '/api/admin/customer-groups/';
const group = async (body: object): Promise<string> => {
  const made = await shop.a.admin.post<Json>(groups, body);
  expect(made.status).toBe(201);
  return made.body.id;
};
const change = async (id: string, body: object): Promise<void> => {
  expect((await shop.a.admin.patch(`${groups}${id}`, body)).status).toBe(200);
};
/** What a guest pays by the list, the product's page and the cart. */
async function prices(base: string | undefined): Promise<number[]> {
  const guest = shop.a.guest.at(base!);
  const card = (await guest.get<Json>('/api/storefront/products/')).body.data[0];
  const detail = (await guest.get<Json>('/api/storefront/products/lamp')).body;
  const cart = (await guest.post<Json>('/api/storefront/cart/items', { variantId, quantity: 1 })).body;
  return [card.price.amount, detail.price.amount, detail.variants[0].price.amount, cart.totals.total.amount];
}
async function expectEverywhere(amount: number): Promise<void> {
  expect(await prices(shop.bases[0])).toEqual(Array(4).fill(amount));
  await expect.poll(() => prices(shop.bases[1]), { interval: 20 }).toEqual(Array(4).fill(amount));
}

describe('the default group', () => {
  it('is what guests pay by, the same on the shelf and in the cart, at every process', async () => {
    await expectEverywhere(10_000);
    const first = await group({ name: 'Guests', code: 'guests', isDefault: true, discountBp: 1000 });
    await expectEverywhere(9000);
    await change(first, { discountBp: 2500 });
    await expectEverywhere(7500);
    await change(first, { discountBp: null, priceListCode: 'club' });
    await expectEverywhere(8000);
    await change(first, { discountBp: 1000, priceListCode: null });
    await expectEverywhere(9000);
    // Another becomes the default one.
    const second = await group({ name: 'Everybody', code: 'everybody', isDefault: true });
    await expectEverywhere(10_000);
    await change(second, { name: 'All' });
    await change(first, { isDefault: true });
    await expectEverywhere(9000);
  });
});
