import { orders } from '@storeloom/commerce';
import { postalAddress, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { figures, type Json, make, makeGoods, makeKit, stockFaults } from '../test/shop.ts';

// Runs the taps through the real orders and checkout plugins.
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'payments', 'orders', 'checkout', 'inventory'] });
  await make(shop.a.admin, '/api/admin/payment-methods/', { name: 'cod', code: 'cod', provider: 'cod', enabled: true });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop)).toEqual([]);
});

/** An order of a guest, paid on delivery. */
async function buy(variantId: string, quantity: number): Promise<Json> {
  const cart = await make(shop.a.guest, '/api/storefront/cart/items', { variantId, quantity });
  const response = await shop.a.guest.with({ 'x-cart-token': cart.cartToken }).post<Json>('/api/storefront/checkout/place', {
    email: 'ana@example.org',
    billingAddress: postalAddress,
    shippingAddress: postalAddress,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: cart.totals.total,
  });
  if (response.status !== 201) throw new Error(response.text);
  return response.body.order;
}
const admin = async (path: string, body: object, method: 'post' | 'patch' = 'post'): Promise<Json> => {
  const response = await shop.a.admin[method]<Json>(`/api/admin/orders/${path}`, body);
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${response.text}`);
  return response.body;
};

describe('an order through checkout', () => {
  it('reserves its goods, adjusts them on edits, and releases them on cancellation', async () => {
    const variantId = await makeGoods(shop.a, 5);
    const order = await buy(variantId, 3);
    expect(await figures(shop.a, variantId)).toEqual([5, 3, 2]);
    const edit = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/items/${order.lines[0].id}`, { quantity });
    expect((await edit(5)).status).toBe(200);
    expect((await edit(6)).body).toMatchObject({ code: 'insufficient_stock' });
    expect(await figures(shop.a, variantId)).toEqual([5, 5, 0]);
    expect((await edit(1)).status).toBe(200);
    expect(await figures(shop.a, variantId)).toEqual([5, 1, 4]);
    await admin(`${order.id}/status`, { status: 'cancelled', reason: 'changed their mind' });
    await admin(`${order.id}/status`, { status: 'cancelled', reason: 'again' });
    expect(await figures(shop.a, variantId)).toEqual([5, 0, 5]);
  });

  it('ships a bundle as its components, once, and reserves them again when returned to the sender', async () => {
    const [a, b] = [await makeGoods(shop.a, 10), await makeGoods(shop.a, 10)];
    const kit = await makeKit(shop.a, [
      { variantId: a, quantity: 2 },
      { variantId: b, quantity: 1 },
    ]);
    const order = await buy(kit.variantId, 3);
    expect([await figures(shop.a, a), await figures(shop.a, b)]).toEqual([
      [10, 6, 4],
      [10, 3, 7],
    ]);
    const parcel = await admin(`${order.id}/fulfillments`, { lines: [{ lineId: order.lines[0].id, quantity: 2 }] });
    await admin(`${order.id}/edit`, { operations: [{ op: 'cancel_fulfillment', fulfillmentId: parcel.id }] }, 'patch');
    expect(await figures(shop.a, a)).toEqual([10, 6, 4]);
    await admin(`${order.id}/ship`, {});
    await admin(`${order.id}/ship`, {});
    expect([await figures(shop.a, a), await figures(shop.a, b)]).toEqual([
      [4, 0, 4],
      [7, 0, 7],
    ]);
    const [sent] = await shop.rows<Json>(`select id from orders_fulfillment where order_id = $1 and status = 'shipped'`, [
      order.id,
    ]);
    await shop.a.run('orders', (ctx) => ctx.require(orders).failDelivery(order.id, sent.id, 'returned_to_sender', 'not at home'));
    expect([await figures(shop.a, a), await figures(shop.a, b)]).toEqual([
      [10, 6, 4],
      [10, 3, 7],
    ]);
  });
});
