import type { PricingContext } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
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
} from '../../test/store.ts';
import { collectDiscounts } from './taps.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openStore({ plugins: ['inventory'] });
});
afterAll(() => shop?.stop());

const settings = (values: Record<string, unknown>) =>
  shop.a.admin.put('/api/admin/plugins/promotions/settings', { settings: values });
const archive = (id: string) => shop.a.admin.patch(`${promotionsPath}${id}`, { archived: true });
const show = async (client: { get: TestShop['a']['guest']['get'] }) => (await client.get<Json>(`${cartPath}/`)).body;

const nothingMissing = { missing: null, missingQuantity: null };

describe('codes on a cart', () => {
  it('apply while their conditions hold, and report the reason otherwise', async () => {
    const { variantId } = await product(shop.a, 2000);
    const { client, cart } = await cartOf(shop.a.guest, [variantId, 1]);
    const big = await promote(shop.a, {
      name: 'From 50',
      code: 'FIFTY',
      conditions: [{ type: 'min_subtotal', value: ron(5000) }],
    });
    await promote(shop.a, { code: 'OVER', endsAt: '2026-01-01T00:00:00Z' });
    await promote(shop.a, { code: 'SOON', startsAt: '2100-01-01T00:00:00Z' });
    await promote(shop.a, { code: 'OFF', enabled: false });
    await promote(shop.a, { code: 'THREE', conditions: [{ type: 'min_quantity', value: 3 }] });
    await promote(shop.a, { code: 'SHOP', conditions: [{ type: 'channel', value: 'pos' }] });
    await promote(shop.a, { code: 'EURO', type: 'fixed_amount', value: { amounts: [{ amount: 100, currency: 'EUR' }] } });
    const reason = async (code: string) => {
      const { status, code: problem, missing, missingQuantity } = await enterCode(client, code);
      return [status, problem, missing ?? missingQuantity];
    };
    expect(await reason('nothing')).toEqual([404, 'coupon_not_found', undefined]);
    expect(await reason('OFF')).toEqual([404, 'coupon_not_found', undefined]);
    expect(await reason('OVER')).toEqual([422, 'coupon_expired', undefined]);
    expect(await reason('SOON')).toEqual([422, 'coupon_not_started', undefined]);
    expect(await reason('FIFTY')).toEqual([422, 'coupon_min_not_met', ron(3000)]);
    expect(await reason('THREE')).toEqual([422, 'coupon_min_not_met', 2]);
    expect(await reason('SHOP')).toEqual([422, 'coupon_not_eligible', undefined]);
    expect(await reason('EURO')).toEqual([422, 'coupon_not_eligible', undefined]);
    expect((await show(client)).promotions).toEqual([]);
    await client.patch(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 3 });
    const with50 = await enterCode(client, ' fifty ');
    expect(with50.promotions).toEqual([
      { code: 'fifty', name: 'From 50', applied: true, amount: ron(600), reason: null, pending: [], ...nothingMissing },
    ]);
    expect(with50.totals).toMatchObject({ itemsDiscount: ron(600), total: ron(5400) });
    expect(with50.lines[0].discounts).toEqual([{ promotionId: big.id, code: 'fifty', name: 'From 50', amount: ron(600) }]);
    // B17: removing the qualifying item removes the discount; no total falls below 0.
    await client.patch(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 1 });
    const less = await show(client);
    expect(less.promotions[0]).toMatchObject({
      applied: false,
      reason: 'coupon_min_not_met',
      missing: ron(3000),
      amount: ron(0),
    });
    expect(less.totals.total).toEqual(ron(2000));
    await client.delete(`${cartPath}/items/${cart.lines[0].id}`);
    expect((await show(client)).totals.total).toEqual(ron(0));
  });

  it('never discount more than the total (B17)', async () => {
    const { variantId } = await product(shop.a, 500);
    const { client } = await cartOf(shop.a.guest, [variantId, 1]);
    await promote(shop.a, { code: 'HUGE', type: 'fixed_amount', value: { amounts: [ron(132_400)] } });
    expect((await enterCode(client, 'HUGE')).totals).toMatchObject({ itemsDiscount: ron(500), total: ron(0), amountDue: ron(0) });
  });

  it('are limited to one a promotion and the maximum of the shop, and must combine', async () => {
    const { variantId } = await product(shop.a, 10_000);
    const { client } = await cartOf(shop.a.guest, [variantId, 1]);
    await promote(shop.a, { codes: ['PAIR-1', 'PAIR-2'] });
    await promote(shop.a, { code: 'ITEMS', target: 'items' });
    await promote(shop.a, { code: 'ALONE', priority: -1, combineWith: [] });
    expect((await enterCode(client, 'PAIR-1')).totals.total).toEqual(ron(9000));
    expect((await enterCode(client, 'PAIR-2')).code).toBe('coupon_not_combinable');
    expect((await enterCode(client, 'ALONE')).code).toBe('coupon_not_combinable');
    await settings({ maxCodes: 1 });
    expect((await enterCode(client, 'ITEMS')).code).toBe('coupon_not_combinable');
    await settings({ maxCodes: 2 });
    expect((await enterCode(client, 'ITEMS')).totals.total).toEqual(ron(8100));
    await settings({ percentStacking: 'parallel' });
    expect((await show(client)).totals.total).toEqual(ron(8000));
    await settings({ percentStacking: 'sequential', maxCodes: 5 });
  });
});

describe('codes for a payment method or a country', () => {
  it('stay on the cart until the method is known, and apply when the buyer intends it or places the order with it', async () => {
    const { variantId } = await product(shop.a, 5000);
    await promote(shop.a, { code: 'COD10', conditions: [{ type: 'payment_method', value: 'cod' }] });
    await promote(shop.a, { code: 'CARD10', conditions: [{ type: 'payment_method', value: 'card' }] });
    const { client } = await cartOf(shop.a.guest, [variantId, 1]);
    const waiting = await enterCode(client, 'COD10');
    expect(waiting.promotions).toEqual([
      {
        code: 'COD10',
        name: 'Promotion',
        applied: false,
        amount: ron(0),
        reason: 'coupon_not_eligible',
        pending: ['payment_method'],
        ...nothingMissing,
      },
    ]);
    // Placing judges the code: the buyer confirms the total with the discount.
    const refused = await place(client, 5000);
    expect([refused.status, refused.body.code, refused.body.totals.total]).toEqual([409, 'total_changed', ron(4500)]);
    const intends = await client.patch<Json>(`${cartPath}/`, { paymentMethod: 'cod' });
    expect(intends.body).toMatchObject({ paymentMethod: 'cod', totals: { total: ron(4500) } });
    expect(intends.body.promotions).toMatchObject([{ applied: true, reason: null, pending: [], amount: ron(500) }]);
    // A code for another method than the intended one is refused.
    expect(await enterCode(client, 'CARD10')).toMatchObject({ status: 422, code: 'coupon_not_eligible' });
    expect((await client.patch<Json>(`${cartPath}/`, { paymentMethod: 'card' })).body).toMatchObject({
      status: 422,
      code: 'payment_method_unavailable',
    });
    expect((await client.patch<Json>(`${cartPath}/`, { paymentMethod: null })).body.totals.total).toEqual(ron(5000));
    expect((await place(client, 4500)).status).toBe(201);
    const other = await cartOf(shop.a.guest, [variantId, 1]);
    await enterCode(other.client, 'CARD10');
    expect((await place(other.client, 4500)).body.code).toBe('promotion_changed');
  });

  it('stay on the cart until the country is known', async () => {
    const { variantId } = await product(shop.a, 5000);
    await promote(shop.a, { code: 'HOME', conditions: [{ type: 'country', value: 'RO' }] });
    await promote(shop.a, { code: 'AWAY', conditions: [{ type: 'country', op: 'ne', value: 'RO' }] });
    await promote(shop.a, {
      code: 'BOTH',
      conditions: [
        { type: 'country', value: 'RO' },
        { type: 'channel', value: 'pos' },
      ],
    });
    const { client } = await cartOf(shop.a.guest, [variantId, 1]);
    expect((await enterCode(client, 'HOME')).promotions).toMatchObject([{ applied: false, pending: ['country'] }]);
    // Another condition fails for every country.
    expect(await enterCode(client, 'BOTH')).toMatchObject({ status: 422, code: 'coupon_not_eligible' });
    const named = await client.patch<Json>(`${cartPath}/`, { country: 'RO' });
    expect(named.body).toMatchObject({ country: 'RO', totals: { total: ron(4500) } });
    expect(await enterCode(client, 'AWAY')).toMatchObject({ status: 422, code: 'coupon_not_eligible' });
    expect((await client.patch<Json>(`${cartPath}/`, { country: 'DE' })).body.totals.total).toEqual(ron(5000));
    // The address of the order decides, not what the buyer said before.
    expect((await place(client, 4500)).status).toBe(201);
    expect((await shop.b.guest.patch<Json>(`${cartPath}/`, { country: 'RO' })).status).toBe(404);
  });
});

describe('offers on single units', () => {
  const any = { productIds: [], categoryIds: [] };
  const sets = (productId: string, buy: number, more: Record<string, unknown> = {}) => ({
    type: 'buy_x_get_y',
    conditions: [{ type: 'product', value: productId }],
    buy: { ...any, quantity: buy },
    get: { ...any, quantity: 1, percentBp: 10_000 },
    ...more,
  });
  // Options of its own make an entry a line of its own.
  const separately = async (variantId: string, names: string[]) => {
    let client = shop.a.guest;
    for (const name of names) {
      const cart = await make(client, `${cartPath}/items`, { variantId, quantity: 1, custom: { name } });
      client = client.with({ 'x-cart-token': cart.cartToken });
    }
    return client;
  };

  it('1+1 free twice on two units costs one of them, in one line as in two', async () => {
    const { variantId, productId } = await product(shop.a, 1000);
    const offers = [await promote(shop.a, sets(productId, 1)), await promote(shop.a, sets(productId, 1))];
    const { cart } = await cartOf(shop.a.guest, [variantId, 2]);
    expect([cart.lines.length, cart.totals.total]).toEqual([1, ron(1000)]);
    const split = await show(await separately(variantId, ['Ana', 'Ion']));
    expect([split.lines.length, split.totals.total]).toEqual([2, ron(1000)]);
    for (const { id } of offers) await archive(id);
  });
  it('half of one unit after 2+1 free takes half off a unit that is not free', async () => {
    const { variantId, productId } = await product(shop.a, 1000);
    const half = {
      type: 'percentage',
      target: 'items',
      value: { percentBp: 5000 },
      maxUnits: 1,
      conditions: [{ type: 'product', value: productId }],
    };
    const offers = [await promote(shop.a, sets(productId, 2)), await promote(shop.a, half)];
    const { client, cart } = await cartOf(shop.a.guest, [variantId, 3]);
    expect(cart.totals.total).toEqual(ron(1500));
    expect((await show(await separately(variantId, ['a', 'b', 'c']))).totals.total).toEqual(ron(1500));
    // Placing refuses a total that differs from the shown one.
    expect((await place(client, 1500)).status).toBe(201);
    for (const { id } of offers) await archive(id);
  });
});

describe('automatic promotions', () => {
  it('change prices in the catalogue and in the cart alike', async () => {
    const { variantId, productId, slug } = await product(shop.a, 10_000, {}, { minPrice: ron(6000) });
    const other = await product(shop.a, 10_000);
    const detail = async (which: string) => (await shop.a.guest.get<Json>(`/api/storefront/products/${which}`)).body.price;
    expect(await detail(slug)).toEqual(ron(10_000));
    const promotion = await promote(shop.a, {
      name: 'Shelf',
      stage: 'catalog',
      value: { percentBp: 2500 },
      type: 'percentage',
      conditions: [{ type: 'product', value: productId }],
    });
    expect([await detail(slug), await detail(other.slug)]).toEqual([ron(7500), ron(10_000)]);
    // The price before the promotion is known (Omnibus).
    const shown = (await shop.a.guest.get<Json>(`/api/storefront/products/${slug}`)).body;
    expect(shown.lowestPrice30d).toEqual(ron(10_000));
    const { cart } = await cartOf(shop.a.guest, [variantId, 2]);
    expect(cart.lines[0]).toMatchObject({ unitPrice: ron(7500), listPrice: ron(10_000), lineSubtotal: ron(15_000) });
    expect(cart.totals).toMatchObject({ itemsSubtotal: ron(15_000), itemsDiscount: ron(0) });
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { value: { percentBp: 9000 } });
    expect(await detail(slug)).toEqual(ron(6000));
    await archive(promotion.id);
    expect(await detail(slug)).toEqual(ron(10_000));
  });

  it('skip reduced and excluded products', async () => {
    const plain = await product(shop.a, 1000);
    const sale = await product(shop.a, 1000, {}, { compareAtPrice: ron(2000) });
    const excluded = await product(shop.a, 1000);
    const promotion = await promote(shop.a, { code: 'PLAIN', excludeSaleItems: true, excludedProductIds: [excluded.productId] });
    const { client } = await cartOf(shop.a.guest, [plain.variantId, 1], [sale.variantId, 1], [excluded.variantId, 1]);
    const cart = await enterCode(client, 'PLAIN');
    expect(cart.lines.map((line: Json) => line.discountTotal)).toEqual([ron(100), ron(0), ron(0)]);
    await archive(promotion.id);
  });

  it("add a gift, remove it when its condition fails, and don't add a sold-out gift", async () => {
    const goods = await product(shop.a, 5000);
    const gift = await product(shop.a, 700, { type: 'physical' }, { trackInventory: true, allowBackorder: false });
    const promotion = await promote(shop.a, {
      name: 'Gift',
      type: 'gift_item',
      get: { productIds: [gift.productId], quantity: 2 },
      conditions: [
        { type: 'min_subtotal', value: ron(10_000) },
        { type: 'product', value: [goods.productId] },
      ],
    });
    const { client, cart } = await cartOf(shop.a.guest, [goods.variantId, 2]);
    expect(cart.lines).toHaveLength(1);
    expect(cart.warnings.map((warning: Json) => warning.code)).toEqual(['gift_unavailable']);
    await make(shop.a.admin, '/api/admin/warehouses/', { name: 'Main', code: 'MAIN' });
    const stocked = await shop.a.admin.post<Json>(`/api/admin/inventory/${gift.variantId}/adjust`, {
      delta: 5,
      reason: 'received',
    });
    expect(stocked.status).toBe(200);
    const full = await show(client);
    expect(full.lines.map((line: Json) => [line.variantId, line.quantity, line.total, line.gift])).toEqual([
      [goods.variantId, 2, ron(10_000), false],
      [gift.variantId, 2, ron(0), true],
    ]);
    expect(full.promotions).toEqual([
      { code: null, name: 'Gift', applied: true, amount: ron(0), reason: null, pending: [], ...nothingMissing },
    ]);
    await client.patch(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 1 });
    expect((await show(client)).lines).toHaveLength(1);
    await archive(promotion.id);
  });

  it('remove a gift with its use and stock reservation when an edit breaks its condition', async () => {
    const goods = await product(shop.a, 5000);
    const gift = await product(shop.a, 700, {}, { trackInventory: true, allowBackorder: false });
    await shop.a.admin.post(`/api/admin/inventory/${gift.variantId}/adjust`, { delta: 5, reason: 'received' });
    const promotion = await promote(shop.a, {
      name: 'Present',
      type: 'gift_item',
      get: { productIds: [gift.productId], quantity: 2 },
      conditions: [
        { type: 'min_subtotal', value: ron(10_000) },
        { type: 'product', value: [goods.productId] },
      ],
      usageLimit: 1,
    });
    const { client } = await cartOf(shop.a.guest, [goods.variantId, 2]);
    const placed = await place(client, 10_000);
    expect(placed.status, placed.text).toBe(201);
    const { order } = placed.body;
    const reserved = async () =>
      (await shop.a.admin.get<Json>(`/api/admin/inventory/?variantId=${gift.variantId}`)).body.data.map(
        (row: Json) => row.reserved,
      );
    expect([(await readPromotion(shop.a, promotion.id)).usageCount, await reserved()]).toEqual([1, [2]]);
    const line = order.lines.find((each: Json) => each.variantId === goods.variantId);
    const edit = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/edit`, {
        promotions: 'recalculate',
        operations: [{ op: 'change_quantity', itemId: line.id, quantity }],
      });
    const less = await edit(1);
    expect([less.status, less.body.order?.lines.length], less.text).toEqual([200, 1]);
    expect([(await readPromotion(shop.a, promotion.id)).usageCount, await reserved()]).toEqual([0, [0]]);
    const again = await edit(2);
    expect([again.status, again.body.order?.lines.length], again.text).toEqual([200, 2]);
    expect([(await readPromotion(shop.a, promotion.id)).usageCount, await reserved()]).toEqual([1, [2]]);
    await archive(promotion.id);
  });

  it('check the customer’s groups and orders', async () => {
    const { variantId } = await product(shop.a, 1000);
    const group = await make(shop.a.admin, '/api/admin/customer-groups/', { name: 'Friends', code: 'friends' });
    const first = await promote(shop.a, { name: 'First', conditions: [{ type: 'first_order', value: true }] });
    const member = await promote(shop.a, { name: 'Members', conditions: [{ type: 'customer_group', value: [group.id] }] });
    const customer = await shop.a.customer(undefined, { confirmed: true });
    const { client, cart } = await cartOf(customer, [variantId, 1]);
    expect(cart.promotions.map((one: Json) => one.name)).toEqual(['First']);
    await shop.rows(`update customers_customer set orders_count = 1 where id = $1`, [customer.customerId]);
    const joined = await shop.a.admin.post(`/api/admin/customer-groups/${group.id}/assign`, {
      customerIds: [customer.customerId],
    });
    expect(joined.status).toBe(200);
    expect((await show(client)).promotions.map((one: Json) => one.name)).toEqual(['First', 'Members']);
    await archive(first.id);
    await archive(member.id);
  });

  it('are chosen by priority, or by savings', async () => {
    const { variantId } = await product(shop.a, 1000);
    const small = await promote(shop.a, {
      name: 'Small',
      exclusive: true,
      priority: 5,
      type: 'fixed_amount',
      value: { amounts: [ron(50)] },
    });
    const large = await promote(shop.a, { name: 'Large', value: { percentBp: 2000 }, type: 'percentage' });
    const { client, cart } = await cartOf(shop.a.guest, [variantId, 1]);
    expect([cart.totals.total, cart.promotions.map((one: Json) => one.name)]).toEqual([ron(950), ['Small']]);
    await settings({ promotionMode: 'best_deal' });
    const best = await show(client);
    expect([best.totals.total, best.promotions.map((one: Json) => one.name)]).toEqual([ron(800), ['Large']]);
    await settings({ promotionMode: 'priority' });
    await archive(small.id);
    await archive(large.id);
  });

  it('of another tenant never apply', async () => {
    await promote(shop.b, { code: 'THEIRS' });
    await promote(shop.b, { value: { percentBp: 5000 }, type: 'percentage' });
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await cartOf(shop.a.guest, [variantId, 1]);
    expect(cart.totals.total).toEqual(ron(1000));
    expect((await enterCode(client, 'THEIRS')).code).toBe('coupon_not_found');
  });
});

describe('query count', () => {
  const context = (): PricingContext => ({
    purpose: 'cart',
    at: new Date().toISOString(),
    channel: 'web',
    currency: 'RON',
    priceMode: 'gross',
    locale: 'ro',
    codes: [],
    rules: {
      taxRoundingLevel: 'line',
      crossBorderPricePolicy: 'constant_gross',
      shippingTaxMode: 'proportional',
      percentStacking: 'sequential',
    },
    facts: {},
  });
  function counting(ctx: Ctx, seen: { queries: number }): Ctx {
    const db = new Proxy(ctx.db, {
      get(target, name, receiver) {
        const member = Reflect.get(target, name, receiver);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          seen.queries += 1;
          return member.apply(target, args);
        };
      },
    });
    return new Proxy(ctx, { get: (target, name) => (name === 'db' ? db : Reflect.get(target, name, target)) });
  }
  const sheet = () => ({
    lines: () => [],
    itemsTotal: () => 0,
    units: () => [],
    shipping: () => null,
    fork: sheet,
    add: () => 0,
    preview: () => 0,
    reject: () => {},
    addGift: async () => {},
  });
  async function queries(): Promise<number> {
    const seen = { queries: 0 };
    await shop.b.run('promotions', async (ctx) => {
      const own = counting(ctx, seen);
      const priced = context();
      const one = sheet();
      for (const phase of ['lines', 'order', 'shipping'] as const)
        await collectDiscounts(own, { context: priced, phase, sheet: one });
    });
    return seen.queries;
  }

  it('is one query a pricing for any number of promotions', async () => {
    expect(await queries()).toBe(1);
    for (let i = 0; i < 5; i++) await promote(shop.b, { conditions: [{ type: 'min_subtotal', value: ron(1_000_000) }] });
    expect(await queries()).toBe(1);
  });
});
