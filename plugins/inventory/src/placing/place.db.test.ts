import { placeCommit, stock } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  cancel,
  figures,
  type Json,
  makeGoods,
  makeKit,
  newOrder,
  place,
  placeInput,
  placeOrder,
  problemOf,
  refund,
  ship,
  states,
  stockFaults,
} from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], now: '2026-11-27T10:00:00.000Z' });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop)).toEqual([]);
});

describe('cases', () => {
  it('C47: refund with restock, then cancel: restocks once', async () => {
    const variantId = await makeGoods(shop.a, 100);
    const order = await place(shop.a, [{ variantId, quantity: 1 }]);
    expect((await figures(shop.a, variantId))[2]).toBe(99);
    await refund(shop.a, order, { unshipped: 1 });
    expect((await figures(shop.a, variantId))[2]).toBe(100);
    await cancel(shop.a, order);
    expect(await figures(shop.a, variantId)).toEqual([100, 0, 100]);
  });

  it("C49: placeInput reserves, shipping commits, cancelling releases; a count can't go below the reserved quantity", async () => {
    const variantId = await makeGoods(shop.a, 5);
    const first = await place(shop.a, [{ variantId, quantity: 3 }]);
    expect(await figures(shop.a, variantId)).toEqual([5, 3, 2]);
    const low = await shop.a.admin.post<Json>(`/api/admin/inventory/${variantId}/adjust`, {
      set: 2,
      expectedOnHand: 5,
      reason: 'count',
    });
    expect([low.status, low.body.code, low.body.reserved]).toEqual([409, 'stock_below_reserved', 3]);
    await ship(shop.a, first);
    expect(await figures(shop.a, variantId)).toEqual([2, 0, 2]);
    expect(await states(shop, first.id)).toEqual([{ state: 'committed', units: 3 }]);

    const other = await makeGoods(shop.a, 5);
    const second = await place(shop.a, [{ variantId: other, quantity: 3 }]);
    await cancel(shop.a, second);
    expect(await figures(shop.a, other)).toEqual([5, 0, 5]);
  });

  it('C51: a bundle and its component in one order compete for the last unit, in both orders of the lines', async () => {
    const a = await makeGoods(shop.a, 1);
    const b = await makeGoods(shop.a, 1);
    const parts = [a, b].map((variantId) => ({ variantId, quantity: 1 }));
    const kit = { ...(await makeKit(shop.a, parts)), quantity: 1 };
    const single = { variantId: a, quantity: 1 };
    for (const lines of [
      [kit, single],
      [single, kit],
    ])
      await expect(place(shop.a, lines)).rejects.toEqual(problemOf('insufficient_stock', { available: 1 }));
    expect(await figures(shop.a, a)).toEqual([1, 0, 1]);
    await place(shop.a, [kit]);
    expect([await figures(shop.a, a), await figures(shop.a, b)]).toEqual([
      [1, 1, 0],
      [1, 1, 0],
    ]);
  });
});

describe('placing', () => {
  it('is all or nothing, and reports every short line', async () => {
    const plenty = await makeGoods(shop.a, 10);
    const scarce = await makeGoods(shop.a, 2);
    const order = newOrder([
      { variantId: plenty, quantity: 4 },
      { variantId: scarce, quantity: 3 },
      { ...(await makeKit(shop.a, [{ variantId: scarce, quantity: 2 }])), quantity: 2 },
    ]);
    await expect(placeOrder(shop.a, order)).rejects.toEqual(
      problemOf('insufficient_stock', {
        available: 2,
        lines: [
          { lineId: order.lines[1]?.id, variantId: scarce, quantity: 3, available: 2 },
          { lineId: order.lines[2]?.id, variantId: scarce, quantity: 2, available: 1 },
        ],
      }),
    );
    expect(await figures(shop.a, plenty)).toEqual([10, 0, 10]);
  });

  it('ignores untracked variants, and passes the allotments to later taps', async () => {
    const free = await makeGoods(shop.a, 0, { trackInventory: false });
    const counted = await makeGoods(shop.a, 3);
    const order = newOrder([
      { variantId: free, quantity: 1000 },
      { variantId: counted, quantity: 2 },
    ]);
    const input = await placeOrder(shop.a, order);
    const warehouseId = expect.any(String);
    expect(input.results.inventory).toEqual({
      allotments: [{ orderLineId: order.lines[1]?.id, variantId: counted, warehouseId, quantity: 2, backordered: 0 }],
    });
    expect(await shop.a.run('catalog', async (ctx) => (await ctx.require(stock).availability([free])).get(free))).toEqual({
      variantId: free,
      available: null,
      availability: 'in_stock',
      stock: null,
    });
  });

  it("doesn't affect another tenant", async () => {
    const variantId = await makeGoods(shop.a, 5);
    await shop.b.run('checkout', (ctx) => ctx.call(placeCommit, placeInput(newOrder([{ variantId, quantity: 5 }]))));
    expect(await figures(shop.a, variantId)).toEqual([5, 0, 5]);
    expect(await shop.b.run('catalog', (ctx) => ctx.require(stock).levels([variantId]))).toEqual([]);
    expect((await shop.b.admin.post(`/api/admin/inventory/${variantId}/adjust`, { delta: 1, reason: 'received' })).status).toBe(
      404,
    );
  });
});
