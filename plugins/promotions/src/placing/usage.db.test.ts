import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../../../payments/test/fake-payment-a.ts';
import {
  Crowd,
  cancel,
  cartOf,
  cartPath,
  counterOf,
  enterCode,
  type Json,
  make,
  openStore,
  place,
  product,
  promote,
  promotionsPath,
  readPromotion,
  ron,
  usagesOf,
} from '../../test/store.ts';

let shop: TestShop;
let provider: FakePaymentA;
let thing: string;
let crowd: Crowd;
beforeAll(async () => {
  provider = await new FakePaymentA().start();
  shop = await openStore();
  const card = { code: 'card', name: 'card', provider: 'payment-a', config: provider.config({}), enabled: true };
  await make(shop.a.admin, '/api/admin/payment-methods/', card);
  thing = (await product(shop.a, 1000)).variantId;
  crowd = new Crowd(shop, thing);
});
afterAll(async () => {
  await shop?.stop();
  await provider?.stop();
});

describe('usage', () => {
  it('is counted once with the order, and listed', async () => {
    const promotion = await promote(shop.a, { code: 'COUNT', usageLimit: 5 });
    const client = await crowd.buyer('COUNT');
    const placed = await place(client, 900);
    expect(placed.status).toBe(201);
    const again = await place(client, 900);
    expect([again.status, again.body.order.id]).toEqual([200, placed.body.order.id]);
    expect(await usagesOf(shop, promotion.id)).toEqual([
      { order_id: placed.body.order.id, reverted_at: null, amount: 100, code: 'COUNT' },
    ]);
    expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ usageCount: 1, spent: ron(100), version: 1 });
  });

  it("a used promotion's value can't change, and it can't be deleted", async () => {
    const promotion = await promote(shop.a, { code: 'FROZEN' });
    await place(await crowd.buyer('FROZEN'), 900);
    const patch = (body: object) => shop.a.admin.patch<Json>(`${promotionsPath}${promotion.id}`, body);
    for (const body of [
      { value: { percentBp: 2000 } },
      { target: 'items' },
      { stage: 'catalog', code: null },
      { type: 'free_shipping', value: {} },
    ])
      expect([(await patch(body)).status, (await patch(body)).body.code]).toEqual([409, 'promotion_in_use']);
    const removed = await shop.a.admin.delete<Json>(`${promotionsPath}${promotion.id}`);
    expect([removed.status, removed.body.code]).toEqual([409, 'promotion_in_use']);
    expect((await patch({ name: 'Still', priority: 4, value: { percentBp: 1000 } })).status).toBe(200);
    expect((await patch({ archived: true })).body).toMatchObject({ status: 'archived', usageCount: 1 });
  });

  it('counts earlier uses when a limit is added', async () => {
    const promotion = await promote(shop.a, { code: 'LATER' });
    await place(await crowd.buyer('LATER'), 900);
    await place(await crowd.buyer('LATER'), 900);
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { usageLimit: 2, budget: ron(1000) });
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 2, used_amount: 200 });
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(client, 'LATER')).code).toBe('coupon_usage_limit');
  });

  it('counts catalogue promotions and gifts, but no promotion without an effect', async () => {
    const own = await product(shop.a, 2000);
    const gift = await product(shop.a, 300);
    const shelf = await promote(shop.a, {
      stage: 'catalog',
      usageLimit: 1,
      conditions: [{ type: 'product', value: own.productId }],
    });
    const given = await promote(shop.a, { type: 'gift_item', code: 'GIVE', get: { variantIds: [gift.variantId] } });
    const idle = await promote(shop.a, { type: 'free_shipping', code: 'IDLE' });
    const { client } = await cartOf(shop.a.guest, [own.variantId, 2]);
    await enterCode(client, 'GIVE');
    expect((await enterCode(client, 'IDLE')).promotions.map((one: Json) => [one.code, one.applied])).toEqual([
      ['GIVE', true],
      ['IDLE', true],
    ]);
    const placed = await place(client, 3600);
    expect(placed.status).toBe(201);
    expect((await usagesOf(shop, shelf.id)).map((one) => one.amount)).toEqual([400]);
    expect((await usagesOf(shop, given.id)).map((one) => one.amount)).toEqual([0]);
    expect(await usagesOf(shop, idle.id)).toEqual([]);
    // Used up: the catalogue shows the original price again.
    const next = await cartOf(shop.a.guest, [own.variantId, 1]);
    expect(next.cart.lines[0].unitPrice).toEqual(ron(2000));
  });

  it('C35: is released once by cancellation, unless the promotion remains used', async () => {
    for (const [code, more] of [
      ['BACK', {}],
      ['GONE', { reusableAfterCancel: false }],
    ] as const) {
      const promotion = await promote(shop.a, { code, usageLimit: 1, budget: ron(100), ...more });
      const first = await place(await crowd.buyer(code), 900);
      expect((await cancel(shop.a, first.body.order.id)).status).toBe(200);
      expect((await cancel(shop.a, first.body.order.id)).status).toBe(200);
      const { client } = await cartOf(shop.a.guest, [thing, 1]);
      const cart = await enterCode(client, code);
      if (code === 'BACK') {
        expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
        expect(cart.totals.total).toEqual(ron(900));
        expect((await place(client, 900)).status).toBe(201);
        expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ usageCount: 1, spent: ron(100) });
      } else {
        expect(cart.code).toBe('coupon_usage_limit');
        expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(1);
      }
    }
  });

  it('a single-use code is used by one order and available again after its cancellation', async () => {
    const promotion = await promote(shop.a, { codes: ['ONCE-1', 'ONCE-2'] });
    const placed = await place(await crowd.buyer('once-1'), 900);
    expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ codesTotal: 2, codesUsed: 1, usageCount: 1 });
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(client, 'ONCE-1')).code).toBe('coupon_usage_limit');
    expect((await enterCode(client, 'ONCE-2')).totals.total).toEqual(ron(900));
    // A used code is kept when the list is replaced.
    const change = await shop.a.admin.patch<Json>(`${promotionsPath}${promotion.id}`, { codes: ['ONCE-3'] });
    expect(change.body.codes.sort()).toEqual(['ONCE-1', 'ONCE-3']);
    await cancel(shop.a, placed.body.order.id);
    expect((await readPromotion(shop.a, promotion.id)).codesUsed).toBe(0);
    const other = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(other.client, 'ONCE-1')).totals.total).toEqual(ron(900));
  });

  it('limits a customer by id and by normalised e-mail', async () => {
    await promote(shop.a, { code: 'MINE', usageLimitPerCustomer: 1 });
    const customer = await shop.a.customer('mine@a.example');
    const signedIn = await cartOf(customer, [thing, 1]);
    await enterCode(signedIn.client, 'MINE');
    expect((await place(signedIn.client, 900, { email: 'mine@a.example' })).status).toBe(201);
    const again = await cartOf(customer, [thing, 1]);
    expect((await enterCode(again.client, 'MINE')).code).toBe('coupon_customer_limit');
    // A guest's e-mail is known only when placing.
    const client = await crowd.buyer('MINE');
    const refused = await place(client, 900, { email: ' MINE@A.example ' });
    expect(refused.body).toMatchObject({ status: 409, code: 'promotion_changed', totals: { total: ron(1000) } });
    expect(refused.body.promotions).toEqual([
      expect.objectContaining({ code: 'MINE', applied: false, reason: 'coupon_customer_limit' }),
    ]);
    expect((await place(client, 900, { email: crowd.email() })).status).toBe(201);
  });

  it('B4: placing refuses a code that was used up meanwhile, with the new total', async () => {
    const promotion = await promote(shop.a, { code: 'LAST', usageLimit: 1 });
    const [one, two] = [await crowd.buyer('LAST'), await crowd.buyer('LAST')];
    expect((await place(one, 900)).status).toBe(201);
    const refused = await place(two, 900);
    expect(refused.body).toMatchObject({ status: 409, code: 'promotion_changed', totals: { total: ron(1000) } });
    expect(refused.body.promotions[0]).toMatchObject({ code: 'LAST', applied: false, reason: 'coupon_usage_limit' });
    expect((await place(two, 1000)).status).toBe(201);
    expect((await usagesOf(shop, promotion.id)).length).toBe(1);
  });

  it('B8: a failed payment and a retry result in one order and one use', async () => {
    const promotion = await promote(shop.a, { code: 'RETRY', usageLimit: 1, reusableAfterCancel: false });
    const client = await crowd.buyer('RETRY');
    const first = await place(client, 900, { paymentMethod: 'card' });
    expect([first.status, first.body.order.status]).toEqual([201, 'pending']);
    expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(1);
    // Another buyer can't use it while the order is pending.
    const other = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(other.client, 'RETRY')).code).toBe('coupon_usage_limit');
    // Returning to the cart cancels the pending order and releases the code.
    const added = await client.post<Json>(`${cartPath}/items`, { variantId: thing, quantity: 1 });
    expect([added.status, added.body.totals.total]).toEqual([200, ron(1800)]);
    const second = await place(client, 1800);
    expect([second.status, second.body.order.id === first.body.order.id]).toEqual([201, false]);
    const rows = await usagesOf(shop, promotion.id);
    expect(rows.map((row) => [row.order_id, row.reverted_at === null])).toEqual([
      [first.body.order.id, false],
      [second.body.order.id, true],
    ]);
    expect((await counterOf(shop, promotion.id)).used_count).toBe(1);
  });

  it('is updated by an edit that recalculates', async () => {
    const promotion = await promote(shop.a, {
      code: 'EDIT',
      usageLimit: 1,
      budget: ron(1000),
      conditions: [{ type: 'min_quantity', value: 2 }],
    });
    const placed = await place(await crowd.buyer('EDIT', 3), 2700);
    const { id, lines } = placed.body.order;
    const edit = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, {
        operations: [{ op: 'change_quantity', itemId: lines[0].id, quantity }],
        promotions: 'recalculate',
      });
    const two = await edit(2);
    expect([two.status, two.body.order?.totals.total]).toEqual([200, ron(1800)]);
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 1, used_amount: 200 });
    expect((await edit(1)).body.order.totals.total).toEqual(ron(1000));
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
    expect((await edit(4)).body.order.totals.total).toEqual(ron(3600));
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 1, used_amount: 400 });
    expect((await usagesOf(shop, promotion.id)).map((row) => [row.amount, row.reverted_at])).toEqual([[400, null]]);
  });

  it('P21: changes never affect placed orders', async () => {
    const promotion = await promote(shop.a, { code: 'STILL' });
    const placed = await place(await crowd.buyer('STILL'), 900);
    const order = async () => {
      const { updatedAt, version, ...rest } = (await shop.a.admin.get<Json>(`/api/admin/orders/${placed.body.order.id}`)).body;
      return rest;
    };
    await shop.settled();
    const before = await order();
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { name: 'Renamed', archived: true });
    expect(await order()).toEqual(before);
  });
});
