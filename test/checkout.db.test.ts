import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { address, checkoutPath } from '../plugins/checkout/test/till.ts';
import { type CourierShop, openCourierShop } from './support/courier-shop.ts';

let courierShop: CourierShop;
let shop: CourierShop['shop'];
beforeAll(async () => {
  courierShop = await openCourierShop();
  shop = courierShop.shop;
});
afterAll(() => courierShop?.stop());

const items = `${cartPath}/items`;
const quotesOf = (client: TestClient, body: Record<string, unknown> = {}) =>
  client.post<Json>(`${checkoutPath}/shipping-quotes`, { address: { country: 'RO' }, ...body });

describe('stock', () => {
  it('bounds what goes into a cart, parts of bundles included (C51)', async () => {
    const { variantId } = await courierShop.stocked(1000, 3);
    expect((await shop.a.guest.post<Json>(items, { variantId, quantity: 4 })).body).toMatchObject({
      status: 409,
      code: 'insufficient_stock',
      available: 3,
    });
    const { client, cart } = await visitor(shop.a, [variantId, 2]);
    expect((await client.post<Json>(items, { variantId, quantity: 2 })).body).toMatchObject({ status: 409, available: 3 });
    expect((await client.patch<Json>(`${items}/${cart.lines[0].id}`, { quantity: 5 })).body).toMatchObject({
      status: 409,
      available: 3,
    });
    expect((await client.patch<Json>(`${items}/${cart.lines[0].id}`, { quantity: 3 })).status).toBe(200);

    const [a, b] = [await courierShop.stocked(1000, 1), await courierShop.stocked(1000, 1)];
    const kit = await product(shop.a, 1500, { type: 'bundle', status: 'draft' });
    const components = [a, b].map((part) => ({ variantId: part.variantId, quantity: 1 }));
    await courierShop.post(`/api/admin/bundles/${kit.productId}`, { components, pricing: 'fixed' });
    await shop.a.admin.patch(`/api/admin/products/${kit.productId}`, { status: 'active' });
    const first = await visitor(shop.a, [kit.variantId, 1]);
    expect((await first.client.post<Json>(items, { variantId: a.variantId, quantity: 1 })).body.code).toBe('insufficient_stock');
    const second = await visitor(shop.a, [a.variantId, 1]);
    expect((await second.client.post<Json>(items, { variantId: kit.variantId, quantity: 1 })).body.code).toBe(
      'insufficient_stock',
    );
  });

  it('warns a cart whose goods were sold meanwhile, and cuts a merge to what is there (B37)', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const slow = await visitor(shop.a, [variantId, 4]);
    const quick = await visitor(shop.a, [variantId, 3]);
    expect((await courierShop.place(quick.client, 4500, { shippingMethodId: courierShop.courier })).status).toBe(201);
    const seen = await slow.client.get<Json>(`${cartPath}/`);
    expect(seen.body).toMatchObject({
      lines: [{ available: false }],
      warnings: [{ code: 'insufficient_stock', pointer: '/lines/0' }],
    });
    const customer = await shop.a.customer();
    await customer.post(items, { variantId, quantity: 1 });
    const merged = await customer.with({ 'x-cart-token': slow.token }).get<Json>(`${cartPath}/`);
    expect(merged.body).toMatchObject({ lines: [{ quantity: 2, available: true }], warnings: [{ code: 'quantity_capped' }] });
  });

  it('P7: goes to as many orders as there are units, however many ask at both processes', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const buyers = await Promise.all(Array.from({ length: 20 }, () => visitor(shop.a, [variantId, 1])));
    const answers = await Promise.all(
      buyers.map(({ client }, i) =>
        courierShop.place(client.at(shop.bases[i % 2]!), 2500, { shippingMethodId: courierShop.courier }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(409)]);
    for (const answer of answers) if (answer.status === 409) expect(answer.body.code).toBe('insufficient_stock');
    const [level] = await shop.rows<Json>('select on_hand, reserved from inventory_level where variant_id = $1', [variantId]);
    expect(level).toMatchObject({ on_hand: 5, reserved: 5 });
    const ids = buyers.map(({ cart }) => cart.id);
    expect(await shop.rows('select id from orders_order where cart_id = any($1)', [ids])).toHaveLength(5);
    const states = await shop.rows<Json>(
      'select status, count(*)::int as n from checkout_cart where id = any($1) group by 1 order by 1',
      [ids],
    );
    expect(states).toEqual([
      { status: 'converted', n: 5 },
      { status: 'open', n: 15 },
    ]);
  });

  it('comes back when the waiting order is given up, and never blocks its own buyer (B23)', async () => {
    const { variantId } = await courierShop.stocked(1000, 1);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const paid = { shippingMethodId: courierShop.courier, paymentMethod: 'card' };
    expect((await courierShop.place(client, 2500, paid)).status).toBe(201);
    const other = await visitor(shop.a, [(await courierShop.stocked(100, 9)).variantId, 1]);
    expect((await other.client.post<Json>(items, { variantId, quantity: 1 })).body.code).toBe('insufficient_stock');
    expect((await client.get<Json>(`${cartPath}/`)).body.lines[0].available).toBe(true);
    expect((await client.patch(`${items}/${cart.lines[0].id}`, { quantity: 1 })).status).toBe(200);
    const reserved = async () =>
      (await shop.rows<Json>('select reserved from inventory_level where variant_id = $1', [variantId]))[0].reserved;
    expect(await reserved()).toBe(0);
    expect((await courierShop.place(client, 2500, paid)).status).toBe(201);
    shop.clock.advance(16 * 60_000);
    await courierShop.job('paymentWindow');
    expect(await reserved()).toBe(0);
  });
});

describe('promotion codes', () => {
  const code = async (more: Record<string, unknown> = {}) => {
    const name = `CODE${Math.floor(Math.random() * 1e9)}`;
    const promotion = await courierShop.post('/api/admin/promotions/', {
      name,
      code: name,
      type: 'percentage',
      target: 'order',
      value: { percentBp: 1000 },
      ...more,
    });
    return { code: name, id: promotion.id as string };
  };

  it('count on the cart from the moment they are entered, or say why not', async () => {
    const { variantId } = await courierShop.stocked(1000, 100);
    const { client } = await visitor(shop.a, [variantId, 2]);
    const enter = (text: string) => client.post<Json>(`${cartPath}/promotion`, { code: text });
    expect((await enter('NOSUCH')).body).toMatchObject({ status: 404, code: 'coupon_not_found' });
    const ten = await code();
    const entered = await enter(` ${ten.code.toLowerCase()} `);
    expect(entered.body).toMatchObject({
      totals: { itemsDiscount: ron(200), total: ron(1800) },
      promotions: [{ applied: true, amount: ron(200) }],
    });
    expect((await enter(ten.code)).status).toBe(200);
    const big = await code({ conditions: [{ type: 'min_subtotal', op: 'gte', value: ron(5000) }] });
    const refused = await enter(big.code);
    expect(refused.body).toMatchObject({
      status: 422,
      code: 'coupon_min_not_met',
      missing: { currency: 'RON' },
      errors: [{ pointer: '/code' }],
    });
    expect((await client.get<Json>(`${cartPath}/`)).body.promotions).toHaveLength(1);
    expect((await client.delete(`${cartPath}/promotion/${ten.code}`)).status).toBe(204);
    expect((await client.delete(`${cartPath}/promotion/${ten.code}`)).status).toBe(404);
    expect((await client.get<Json>(`${cartPath}/`)).body.totals.total).toEqual(ron(2000));
  });

  it('B1, B4, P8: a code for one order discounts one; the others are refused with the reason', async () => {
    const { variantId } = await courierShop.stocked(1000, 100);
    const once = await code({ usageLimit: 1 });
    const buyers = await Promise.all(Array.from({ length: 8 }, () => visitor(shop.a, [variantId, 1])));
    for (const { client } of buyers) expect((await client.post(`${cartPath}/promotion`, { code: once.code })).status).toBe(200);
    const place = (client: TestClient, i: number) =>
      courierShop.place(client.at(shop.bases[i % 2]!), 2400, {
        shippingMethodId: courierShop.courier,
        email: `b${i}@example.org`,
      });
    const answers = await Promise.all(buyers.map(({ client }, i) => place(client, i)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 201) expect(['promotion_changed', 'coupon_usage_limit']).toContain(answer.body.code);
    const late = buyers[answers.findIndex((answer) => answer.status !== 201)]!;
    const again = await place(late.client, 99);
    expect(again.body).toMatchObject({
      status: 409,
      code: 'promotion_changed',
      totals: { total: ron(2500) },
      promotions: [{ applied: false, reason: 'coupon_usage_limit' }],
    });
    expect((await courierShop.place(late.client, 2500, { shippingMethodId: courierShop.courier })).status).toBe(201);
    const [usage] = await shop.rows<Json>('select count(*)::int as n from promotions_usage where promotion_id = $1', [once.id]);
    expect(usage.n).toBe(1);
  });

  it('C38: everything off leaves nothing due, and the order is done', async () => {
    const { variantId } = await courierShop.stocked(39_900, 10);
    const all = await code({ value: { percentBp: 10_000 } });
    const free = await code({ type: 'free_shipping', target: 'shipping', value: {} });
    const { client } = await visitor(shop.a, [variantId, 1]);
    for (const each of [all, free])
      expect((await client.post<Json>(`${cartPath}/promotion`, { code: each.code })).text).toContain('"applied":true');
    const placed = await courierShop.place(client, 0, { shippingMethodId: courierShop.courier, paymentMethod: 'card' });
    expect(placed.body).toMatchObject({
      payment: null,
      order: { status: 'confirmed', paymentStatus: 'paid', totals: { total: ron(0), taxTotal: ron(0) } },
    });
  });

  it('give things that come and go with them', async () => {
    const [paid, gift] = [await courierShop.stocked(1000, 100), await courierShop.stocked(500, 1)];
    const present = await code({
      type: 'gift_item',
      target: 'items',
      value: {},
      get: { productIds: [gift.productId], quantity: 1 },
    });
    const { client } = await visitor(shop.a, [paid.variantId, 1]);
    const entered = await client.post<Json>(`${cartPath}/promotion`, { code: present.code });
    expect(entered.body.lines).toMatchObject([{ gift: false }, { gift: true, variantId: gift.variantId, total: ron(0) }]);
    expect((await client.get<Json>(`${cartPath}/`)).body.lines[1].id).toBe(entered.body.lines[1].id);
    expect((await client.patch(`${items}/${entered.body.lines[1].id}`, { quantity: 5 })).status).toBe(404);
    const placed = await courierShop.place(client, 2500, { shippingMethodId: courierShop.courier });
    expect(placed.status).toBe(201);
    const [level] = await shop.rows<Json>('select reserved from inventory_level where variant_id = $1', [gift.variantId]);
    expect(level.reserved).toBe(1);
    const late = await visitor(shop.a, [paid.variantId, 1]);
    const none = await late.client.post<Json>(`${cartPath}/promotion`, { code: present.code });
    expect(none.body).toMatchObject({ status: 422, code: 'coupon_not_eligible' });
  });
});

describe('shipping', () => {
  it('is quoted with its tax, signed, and remembered with the address', async () => {
    const { variantId } = await courierShop.stocked(1000, 100);
    const { client } = await visitor(shop.a, [variantId, 1]);
    const quoted = await quotesOf(client, { email: 'Quote@Example.org', address: { ...address } });
    expect(quoted.body.data).toMatchObject([
      { methodId: courierShop.courier, code: 'courier', name: 'Courier', price: ron(1500), pickupPoints: null },
    ]);
    const [cart] = await shop.rows<Json>('select email, shipping_address from checkout_cart where id = $1', [
      (await client.get<Json>(`${cartPath}/`)).body.id,
    ]);
    expect(cart).toMatchObject({ email: 'quote@example.org', shipping_address: { city: 'Cluj-Napoca' } });
    const { quoteToken } = quoted.body.data[0];
    // The price was raised after the quote: it holds for its half hour.
    await shop.a.admin.patch(`/api/admin/shipping/methods/${courierShop.courier}`, { price: ron(9900) });
    const held = await courierShop.place(client, 2500, { shippingMethodId: courierShop.courier, quoteToken });
    expect(held.status).toBe(201);
    await shop.a.admin.patch(`/api/admin/shipping/methods/${courierShop.courier}`, { price: ron(1500) });
  });

  it('says where nothing is sent', async () => {
    const { variantId } = await courierShop.stocked(1000, 100);
    const { client } = await visitor(shop.a, [variantId, 1]);
    const nowhere = await quotesOf(client, { address: { country: 'JP' } });
    expect(nowhere.body).toMatchObject({ data: [], warnings: [{ code: 'no_shipping_method' }] });
    const abroad = { shippingAddress: { ...address, country: 'JP' }, shippingMethodId: courierShop.courier };
    expect(['no_shipping_method', 'country_not_served']).toContain((await courierShop.place(client, 1000, abroad)).body.code);
    expect((await courierShop.place(client, 1000, {})).body).toMatchObject({ status: 422, code: 'shipping_method_required' });
    const unknown = { shippingMethodId: '01900000-0000-7000-8000-000000000001' };
    expect((await courierShop.place(client, 1000, unknown)).body).toMatchObject({
      status: 409,
      code: 'shipping_method_unavailable',
    });
    const loose = await quotesOf(shop.a.guest, { lines: [{ variantId, quantity: 2 }] });
    expect(loose.body.data).toHaveLength(1);
    expect((await quotesOf(shop.a.guest)).status).toBe(404);
    expect((await quotesOf(shop.b.guest, { lines: [{ variantId, quantity: 2 }] })).status).toBe(404);
  });
});
