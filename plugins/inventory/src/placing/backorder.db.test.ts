import { stock } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  adjust,
  cancel,
  figures,
  type Json,
  levelOf,
  makeGoods,
  place,
  problemOf,
  ship,
  stockFaults,
  type TestOrder,
} from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], processes: 2 });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop, { backorders: true })).toEqual([]);
});

const owed = async (order: TestOrder): Promise<number> => {
  const rows = await shop.rows<Json>(`select sum(backordered)::int as units from inventory_reservation where order_id = $1`, [
    order.id,
  ]);
  return rows[0].units;
};
const view = (variantId: string) =>
  shop.a.run('catalog', async (ctx) => (await ctx.require(stock).availability([variantId])).get(variantId));
const short = (available: number) => problemOf('insufficient_stock', { available });

it('allows negative availability up to the limit, and assigns receipts to the oldest order', async () => {
  const variantId = await makeGoods(shop.a, 2, { allowBackorder: true, backorderLimit: 6 });
  const first = await place(shop.a, [{ variantId, quantity: 4 }]);
  expect(await view(variantId)).toMatchObject({ available: -2, availability: 'backorder' });
  const second = await place(shop.a, [{ variantId, quantity: 3 }]);
  await expect(place(shop.a, [{ variantId, quantity: 2 }])).rejects.toEqual(short(1));
  expect([await owed(first), await owed(second)]).toEqual([2, 3]);
  expect(await levelOf(shop.a, variantId)).toMatchObject({ onHand: 2, reserved: 7, backordered: 5, available: -5 });

  // Units reserved for the older order can't be shipped for the newer one.
  await expect(ship(shop.a, second)).rejects.toEqual(short(0));
  await adjust(shop.a, variantId, { delta: 3, reason: 'received' });
  expect([await owed(first), await owed(second)]).toEqual([0, 2]);
  await expect(ship(shop.a, second)).rejects.toEqual(short(1));
  await ship(shop.a, first);
  expect(await figures(shop.a, variantId)).toEqual([1, 3, -2]);
  // The second receipt covers the rest of the backorder.
  await adjust(shop.a, variantId, { delta: 2, reason: 'received' });
  await ship(shop.a, second);
  expect(await figures(shop.a, variantId)).toEqual([0, 0, 0]);
});

it('works without a level; the stock of a cancelled order covers the next backorder', async () => {
  const variantId = await makeGoods(shop.a, 0, { allowBackorder: true });
  expect(await view(variantId)).toMatchObject({ available: 0, availability: 'backorder' });
  const [first, second] = [await place(shop.a, [{ variantId, quantity: 2 }]), await place(shop.a, [{ variantId, quantity: 2 }])];
  await adjust(shop.a, variantId, { delta: 3, reason: 'received' });
  expect([await owed(first), await owed(second)]).toEqual([0, 1]);
  await cancel(shop.a, first);
  expect([await owed(second), await figures(shop.a, variantId)]).toEqual([0, [3, 2, 1]]);
  const low = await shop.a.admin.post(`/api/admin/inventory/${variantId}/adjust`, { delta: -2, reason: 'damage' });
  expect(low.body).toMatchObject({ code: 'stock_below_reserved', reserved: 2 });
});

it('is covered from another warehouse that serves the country', async () => {
  const variantId = await makeGoods(shop.a, 0, { allowBackorder: true });
  const domestic = await place(shop.a, [{ variantId, quantity: 2 }], { country: 'RO' });
  const abroad = await place(shop.a, [{ variantId, quantity: 2 }], { country: 'DE' });
  const created = await shop.a.admin.post<Json>('/api/admin/warehouses/', { name: 'Berlin', code: 'BER', countries: ['DE'] });
  await adjust(shop.a, variantId, { warehouseId: created.body.id, delta: 5, reason: 'received' });
  expect([await owed(domestic), await owed(abroad)]).toEqual([2, 0]);
  await ship(shop.a, abroad, undefined, created.body.id);
  const levels = await shop.a.run('catalog', (ctx) => ctx.require(stock).levels([variantId]));
  expect(levels.find((each) => each.warehouseId === created.body.id)).toMatchObject({ onHand: 3, reserved: 0 });
});

it('enforces the limit for concurrent buyers', async () => {
  const variantId = await makeGoods(shop.a, 3, { allowBackorder: true, backorderLimit: 5 });
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => place(shop.a, [{ variantId, quantity: 1 }])));
  expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(8);
  expect(await levelOf(shop.a, variantId)).toMatchObject({ onHand: 3, reserved: 8, backordered: 5 });
});
