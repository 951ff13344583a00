import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  address,
  cartOf,
  cartPath,
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
} from '../test/store.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
let shop: TestShop;
let courier: string;
beforeAll(async () => {
  shop = await openStore({ plugins: ['shipping', 'currencies'] });
  const zone = await make(shop.a.admin, '/api/admin/shipping/zones', { name: 'Romania', countries: ['RO'] });
  const method = { code: 'courier', name: 'Courier', type: 'flat', zoneIds: [zone.id], price: ron(1000) };
  courier = (await make(shop.a.admin, '/api/admin/shipping/methods', method)).id;
  await make(shop.a.admin, '/api/admin/currencies/', { code: 'EUR' });
  await make(shop.a.admin, '/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.2' });
});
afterAll(() => shop?.stop());

describe('shipping', () => {
  it('C24: free shipping compares the discounted total', async () => {
    const { variantId } = await product(shop.a, 12_000, { type: 'physical' });
    const half = await promote(shop.a, { type: 'percentage', value: { percentBp: 5000 }, priority: 1 });
    const free = await promote(shop.a, {
      type: 'free_shipping',
      conditions: [{ type: 'min_subtotal', value: ron(10_000) }],
      usageLimit: 10,
    });
    const one = await cartOf(shop.a.guest, [variantId, 1]);
    expect((await place(one.client, 7000, { shippingMethodId: courier })).status).toBe(201);
    const two = await cartOf(shop.a.guest, [variantId, 2]);
    const placed = await place(two.client, 12_000, { shippingMethodId: courier });
    expect(placed.status).toBe(201);
    expect(placed.body.order.totals).toMatchObject({ shipping: ron(1000), shippingDiscount: ron(1000) });
    expect(await readPromotion(shop.a, free.id)).toMatchObject({ usageCount: 1, spent: ron(1000) });
    for (const { id } of [half, free]) await shop.a.admin.patch(`${promotionsPath}${id}`, { archived: true });
  });

  it('a code never makes shipping more expensive, unless the method compares the discounted items', async () => {
    const { variantId } = await product(shop.a, 7500, { type: 'physical' });
    const off = await promote(shop.a, { code: 'FIVE', type: 'fixed_amount', value: { amounts: [ron(500)] } });
    const basis = (values: Record<string, unknown>) => shop.a.admin.patch<Json>(`/api/admin/shipping/methods/${courier}`, values);
    expect((await basis({ freeOver: ron(7500) })).body.valueBasis).toBe('before_discounts');
    const one = await cartOf(shop.a.guest, [variantId, 1]);
    await enterCode(one.client, 'FIVE');
    expect((await place(one.client, 7000, { shippingMethodId: courier })).status).toBe(201);
    expect((await basis({ valueBasis: 'after_discounts' })).status).toBe(200);
    const two = await cartOf(shop.a.guest, [variantId, 1]);
    await enterCode(two.client, 'FIVE');
    expect((await place(two.client, 8000, { shippingMethodId: courier })).status).toBe(201);
    expect((await basis({ valueBasis: 'before_discounts', freeOver: null })).status).toBe(200);
    await shop.a.admin.patch(`${promotionsPath}${off.id}`, { archived: true });
  });

  it('an exclusive shipping promotion applies alone once a shipping method is chosen', async () => {
    const { variantId } = await product(shop.a, 12_000, { type: 'physical' });
    const free = await promote(shop.a, { name: 'Free', type: 'free_shipping', exclusive: true, priority: 9 });
    const tenth = await promote(shop.a, { name: 'Tenth' });
    const { client, cart } = await cartOf(shop.a.guest, [variantId, 1]);
    expect(cart.promotions.map((one: Json) => one.name)).toEqual(['Tenth']);
    const refused = await place(client, 11_800, { shippingMethodId: courier });
    expect([refused.body.code, refused.body.totals.total]).toEqual(['total_changed', ron(12_000)]);
    for (const { id } of [free, tenth]) await shop.a.admin.patch(`${promotionsPath}${id}`, { archived: true });
  });
});

describe('another currency', () => {
  it('applies promotions with an amount in the currency, and counts in the shop’s currency', async () => {
    const { variantId } = await product(shop.a, 10_000);
    const both = await promote(shop.a, { code: 'BOTH', type: 'fixed_amount', value: { amounts: [ron(1000), eur(300)] } });
    await promote(shop.a, { code: 'LEI', type: 'fixed_amount', value: { amounts: [ron(1000)] } });
    await promote(shop.a, { code: 'MIN-LEI', conditions: [{ type: 'min_subtotal', value: ron(1) }] });
    await promote(shop.a, { code: 'CAP-LEI', maxDiscount: ron(100) });
    await promote(shop.a, { code: 'BUDGET-LEI', budget: ron(100) });
    const cart = await make(shop.a.guest, `${cartPath}/items`, { variantId, quantity: 1, currency: 'EUR' });
    const client = shop.a.guest.with({ 'x-cart-token': cart.cartToken });
    expect(cart.totals.total).toEqual(eur(2000));
    for (const code of ['LEI', 'MIN-LEI', 'CAP-LEI', 'BUDGET-LEI'])
      expect((await enterCode(client, code)).code).toBe('coupon_not_eligible');
    expect((await enterCode(client, 'BOTH')).totals.total).toEqual(eur(1700));
    const placed = await place(client, 1700, { expectedTotal: eur(1700), shippingAddress: address });
    expect(placed.status).toBe(201);
    // 3.00 EUR at 0.2 EUR a leu.
    expect(await readPromotion(shop.a, both.id)).toMatchObject({ usageCount: 1, spent: ron(1500) });
  });
});
