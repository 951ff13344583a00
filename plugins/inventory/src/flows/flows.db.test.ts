import { stock } from '@storeloom/commerce';
import { job, uuidv7 } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  adjust,
  cancel,
  cancelFulfillment,
  edit,
  figures,
  type Json,
  makeGoods,
  place,
  problemOf,
  refund,
  settle,
  ship,
  states,
  stockFaults,
} from '../../test/shop.ts';
import { commitCompletedOrder } from './leftovers.ts';
import { expireDue } from './release.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], now: '2026-11-27T10:00:00.000Z' });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop)).toEqual([]);
});

describe('after placing', () => {
  it('B20, P20: cancelling twice, refunding and returning in any order puts each unit back once', async () => {
    const variantId = await makeGoods(shop.a, 10);
    const cancelled = await place(shop.a, [{ variantId, quantity: 4 }]);
    await cancel(shop.a, cancelled);
    await cancel(shop.a, cancelled);
    await refund(shop.a, cancelled, { unshipped: 4 });
    expect(await figures(shop.a, variantId)).toEqual([10, 0, 10]);

    const sent = await place(shop.a, [{ variantId, quantity: 4 }]);
    await ship(shop.a, sent);
    expect(await figures(shop.a, variantId)).toEqual([6, 0, 6]);
    const item = { variantId, orderLineId: sent.lines[0]?.id as string };
    const giveBack = (quantity: number) =>
      shop.a.run('orders', (ctx) =>
        ctx.require(stock).restock(sent.id, [{ ...item, quantity }], { reason: 'return', reference: 'R' }),
      );
    await refund(shop.a, sent, { shipped: 3 });
    expect(await giveBack(3)).toBe(1);
    expect(await giveBack(1)).toBe(0);
    await refund(shop.a, sent, { shipped: 4 });
    await cancel(shop.a, sent);
    expect(await figures(shop.a, variantId)).toEqual([10, 0, 10]);
  });

  it('restocks a repeated refund once', async () => {
    const variantId = await makeGoods(shop.a, 10);
    const order = await place(shop.a, [{ variantId, quantity: 4 }]);
    await ship(shop.a, order);
    const refundId = uuidv7();
    await refund(shop.a, order, { shipped: 1 }, refundId);
    await expect(refund(shop.a, order, { shipped: 1 }, refundId)).rejects.toMatchObject({ code: '23505' });
    expect(await figures(shop.a, variantId)).toEqual([7, 0, 7]);
  });

  it('B21: cancelling a fulfilment keeps its goods reserved', async () => {
    const variantId = await makeGoods(shop.a, 3);
    const order = await place(shop.a, [{ variantId, quantity: 3 }]);
    await cancelFulfillment(shop.a, order);
    await cancelFulfillment(shop.a, order);
    expect(await figures(shop.a, variantId)).toEqual([3, 3, 0]);
    // Released goods are reserved again.
    await shop.a.run('orders', (ctx) => ctx.require(stock).release(order.id, 'lost'));
    await cancelFulfillment(shop.a, order);
    expect(await figures(shop.a, variantId)).toEqual([3, 3, 0]);
    await ship(shop.a, order);
    expect(await figures(shop.a, variantId)).toEqual([0, 0, 0]);
  });

  it('B23: cancelling an order with an abandoned payment frees its reservation', async () => {
    const variantId = await makeGoods(shop.a, 1);
    const waiting = await place(shop.a, [{ variantId, quantity: 1 }], { expiresAt: '2026-11-27T10:15:00.000Z' });
    await expect(place(shop.a, [{ variantId, quantity: 1 }])).rejects.toEqual(problemOf('insufficient_stock', { available: 0 }));
    // The buyer edits the cart: checkout cancels the pending order and places a new one, in one transaction.
    await cancel(shop.a, waiting, 'superseded');
    const next = await place(shop.a, [{ variantId, quantity: 1 }]);
    expect(await states(shop, next.id)).toEqual([{ state: 'active', units: 1 }]);
  });

  it('B24: a payment after expiry reserves the goods again, or is reported as late', async () => {
    const variantId = await makeGoods(shop.a, 3);
    const term = { expiresAt: new Date(shop.clock.ms() + 15 * 60_000).toISOString() };
    const one = [{ variantId, quantity: 1 }];
    const paid = await place(shop.a, one, term);
    const late = await place(shop.a, one, term);
    const kept = await place(shop.a, one, term);
    expect(await settle(shop.a, kept)).toBe(false);
    const expire = () => shop.a.run('inventory', expireDue);
    shop.clock.advance(16 * 60_000);
    expect(await expire()).toBe(0);
    shop.clock.advance(2 * 60_000);
    expect(await expire()).toBe(2);
    expect(await expire()).toBe(0);
    expect(await figures(shop.a, variantId)).toEqual([3, 1, 2]);

    expect(await settle(shop.a, paid)).toBe(false);
    expect(await settle(shop.a, paid)).toBe(false);
    expect(await figures(shop.a, variantId)).toEqual([3, 2, 1]);
    await place(shop.a, [{ variantId, quantity: 1 }]);
    expect(await settle(shop.a, late)).toBe(true);
    expect(await figures(shop.a, variantId)).toEqual([3, 3, 0]);
    expect(await states(shop, paid.id)).toEqual([
      { state: 'active', units: 1 },
      { state: 'expired', units: 1 },
    ]);
  });

  it('the job releases expired reservations of every tenant', async () => {
    const expiresAt = new Date(shop.clock.ms() + 60_000).toISOString();
    const [a, b] = [await makeGoods(shop.a, 2), await makeGoods(shop.b, 2)];
    const [first, second] = [
      await place(shop.a, [{ variantId: a, quantity: 2 }], { expiresAt }),
      await place(shop.b, [{ variantId: b, quantity: 1 }], { expiresAt }),
    ];
    const run = async () => {
      await shop.a.run('inventory', (ctx) => ctx.enqueue(job('expire'), {}));
      await shop.settled();
    };
    await run();
    expect([await figures(shop.a, a), await figures(shop.b, b)]).toEqual([
      [2, 2, 0],
      [2, 1, 1],
    ]);
    shop.clock.advance(10 * 60_000);
    await run();
    expect([await figures(shop.a, a), await figures(shop.b, b)]).toEqual([
      [2, 0, 2],
      [2, 0, 2],
    ]);
    expect([await states(shop, first.id), await states(shop, second.id)]).toEqual([
      [{ state: 'expired', units: 2 }],
      [{ state: 'expired', units: 1 }],
    ]);
    const [moved] = await shop.rows<Json>(
      `select from_status, to_status, actor_type from core_status_history where entity = 'inventory.reservation' and tenant_id = $1 order by at desc limit 1`,
      [shop.b.id],
    );
    expect(moved).toEqual({ from_status: 'active', to_status: 'expired', actor_type: 'system' });
  });

  it('ships in parts, and from another warehouse only unreserved stock', async () => {
    const variantId = await makeGoods(shop.a, 5);
    const created = await shop.a.admin.post<Json>('/api/admin/warehouses/', { name: 'Second', code: 'SECOND', priority: 5 });
    await adjust(shop.a, variantId, { warehouseId: created.body.id, delta: 2, reason: 'received' });
    const order = await place(shop.a, [{ variantId, quantity: 5 }]);
    const lineId = order.lines[0]?.id as string;
    await ship(shop.a, order, [{ lineId, quantity: 2 }]);
    await expect(ship(shop.a, order, [{ lineId, quantity: 3 }], created.body.id)).rejects.toEqual(
      problemOf('insufficient_stock', { available: 2 }),
    );
    await ship(shop.a, order, [{ lineId, quantity: 2 }], created.body.id);
    await ship(shop.a, order, [{ lineId, quantity: 1 }]);
    const levels = await shop.a.run('catalog', (ctx) => ctx.require(stock).levels([variantId]));
    expect(levels.map(({ onHand, reserved }) => [onHand, reserved]).sort()).toEqual([
      [0, 0],
      [2, 0],
    ]);
    await refund(shop.a, order, { shipped: 5 });
    const back = await shop.a.run('catalog', (ctx) => ctx.require(stock).levels([variantId]));
    expect(back.map(({ onHand }) => onHand).sort()).toEqual([2, 5]);
  });

  it('an edit changes reservations by the difference; added goods expire with the others', async () => {
    const variantId = await makeGoods(shop.a, 5);
    const other = await makeGoods(shop.a, 1);
    const expiresAt = new Date(shop.clock.ms() + 60_000).toISOString();
    const order = await place(shop.a, [{ variantId, quantity: 2 }], { expiresAt });
    const lineId = order.lines[0]?.id as string;
    await edit(shop.a, order, [
      { lineId, variantId, delta: 2, children: null },
      { lineId: uuidv7(), variantId: other, delta: 1, children: null },
    ]);
    expect([await figures(shop.a, variantId), await figures(shop.a, other)]).toEqual([
      [5, 4, 1],
      [1, 1, 0],
    ]);
    const terms = await shop.rows<Json>('select distinct expires_at from inventory_reservation where order_id = $1', [order.id]);
    expect(terms).toHaveLength(1);
    await edit(shop.a, order, [{ lineId, variantId, delta: -3, children: null }]);
    expect(await figures(shop.a, variantId)).toEqual([5, 1, 4]);
    const tooMany = edit(shop.a, order, [
      { lineId, variantId, delta: -1, children: null },
      { lineId, variantId: other, delta: 1, children: null },
    ]);
    await expect(tooMany).rejects.toEqual(problemOf('insufficient_stock'));
    expect(await figures(shop.a, variantId)).toEqual([5, 1, 4]);
  });

  it('a parcel returned to the sender is restocked and reserved for its order again', async () => {
    const variantId = await makeGoods(shop.a, 2);
    const order = await place(shop.a, [{ variantId, quantity: 2 }]);
    await ship(shop.a, order);
    const items = [{ variantId, orderLineId: order.lines[0]?.id as string, quantity: 2 }];
    const options = { reason: 'return', reference: 'N', again: true } as const;
    expect(await shop.a.run('orders', (ctx) => ctx.require(stock).restock(order.id, items, options))).toBe(2);
    expect(await figures(shop.a, variantId)).toEqual([2, 2, 0]);
    await ship(shop.a, order);
    await refund(shop.a, order, { shipped: 2 });
    await refund(shop.a, order, { shipped: 2 });
    expect(await figures(shop.a, variantId)).toEqual([2, 0, 2]);
  });

  it('goods without a fulfilment are committed when the order is completed', async () => {
    const variantId = await makeGoods(shop.a, 4);
    const order = await place(shop.a, [{ variantId, quantity: 3 }]);
    const event = { id: uuidv7(), type: 'orders.order.completed', data: { id: order.id, number: 'N1' } } as never;
    await shop.a.run('inventory', (ctx) => commitCompletedOrder(ctx, event));
    await shop.a.run('inventory', (ctx) => commitCompletedOrder(ctx, event));
    expect(await figures(shop.a, variantId)).toEqual([1, 0, 1]);
  });
});
