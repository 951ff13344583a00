import { readFileSync } from 'node:fs';
import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, ron } from '../plugins/checkout/test/goods.ts';
import { stockFaults } from '../plugins/inventory/test/shop.ts';
import { FakeCarrier } from '../plugins/shipping/test/fake-carrier.ts';
import { account, home } from '../plugins/shipping/test/shop.ts';
import { type House, openHouse } from './support/house.ts';

/**
 * One sale from the product file to the refund, over HTTP, with every plugin of the repository. The figures are worked out by hand in the
 * comments: gross prices, 21 % on goods, 11 % on books.
 */
let house: House;
let shop: House['shop'];
let carrier: FakeCarrier;
let admin: TestClient;
beforeAll(async () => {
  carrier = await new FakeCarrier().start();
  house = await openHouse(0);
  shop = house.shop;
  admin = shop.a.admin;
  for (const [code, ratePpm] of [
    ['standard', 210_000],
    ['reduced', 110_000],
  ] as const) {
    const category = await house.post('/api/admin/taxes/categories', { code, name: code });
    await house.post('/api/admin/taxes/rates', { country: 'RO', categoryId: category.id, ratePpm, validFrom: '2020-01-01' });
  }
});
afterAll(async () => {
  await house?.stop();
  await carrier?.stop();
});

async function get(client: TestClient, path: string): Promise<Json> {
  const answer = await client.get<Json>(path);
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, 200, '']);
  return answer.body;
}
async function done(call: ReturnType<TestClient['post']>, status = 200): Promise<Json> {
  const answer = await call;
  expect([answer.status, answer.status === status ? '' : answer.text]).toEqual([status, '']);
  return answer.body;
}
const slugs = (list: Json): string[] => list.data.map((card: Json) => card.slug).sort();
const stockOf = async (sku: string) => {
  const [row] = await shop.rows<Json>(
    `select l.on_hand, l.reserved from inventory_level l join catalog_variant v on v.tenant_id = l.tenant_id and v.id = l.variant_id
     where v.sku = $1 and l.tenant_id = $2`,
    [sku, shop.a.id],
  );
  return [row.on_hand, row.reserved];
};

it('sells: imported, found, put in a cart, discounted, delivered, paid, sent and partly refunded', async () => {
  // Import.
  const file = { content: readFileSync(new URL('./testdata/small-shop.csv', import.meta.url)), type: 'text/csv' };
  const load = async (): Promise<Json> => done(admin.call('POST', '/api/admin/import/products?format=shopify', { raw: file }));
  expect(await load()).toMatchObject({ status: 'completed', rows: 5, created: 4, updated: 0, unchanged: 0, failed: 0 });
  expect(await load()).toMatchObject({ created: 0, updated: 0, unchanged: 4, failed: 0 });
  expect([await stockOf('IN-S'), await stockOf('CARTE-1')]).toEqual([
    [10, 0],
    [8, 0],
  ]);
  const reduced = (await get(admin, '/api/admin/taxes/categories?code=reduced')).data[0].id;
  const book = (await get(admin, '/api/admin/products/?q=carte')).data[0].id;
  await done(admin.patch(`/api/admin/products/${book}`, { taxCategoryId: reduced }));

  // List, search, open: the draft is nowhere.
  const guest = shop.a.guest;
  expect(slugs(await get(guest, '/api/storefront/products/'))).toEqual(['camasa-de-in', 'cana-de-lut', 'carte-de-bucate']);
  expect(slugs(await get(guest, '/api/storefront/search/?q=camasa'))).toEqual(['camasa-de-in']);
  const { facets, price } = await get(guest, '/api/storefront/facets/');
  const counts = (code: string): Json =>
    Object.fromEntries(facets.find((facet: Json) => facet.code === code).values.map((each: Json) => [each.value, each.count]));
  expect(counts('brand')).toEqual({ 'atelier-nord': 1, olarii: 2 });
  expect(counts('option[Mărime]')).toEqual({ S: 1, M: 1 });
  expect(price).toEqual({ min: ron(3550), max: ron(12_000) });
  expect(slugs(await get(guest, '/api/storefront/products/?brand=olarii&price[gte]=4000'))).toEqual(['carte-de-bucate']);
  const shirt = await get(guest, '/api/storefront/products/camasa-de-in');
  expect(shirt).toMatchObject({ title: 'Cămașă de in', brand: { slug: 'atelier-nord' } });
  const small = shirt.variants.find((variant: Json) => variant.optionValues.Mărime === 'S');
  expect(small).toMatchObject({ price: ron(12_000), compareAtPrice: ron(15_000), availability: 'in_stock' });
  const cookbook = await get(guest, '/api/storefront/products/carte-de-bucate');
  expect((await guest.get('/api/storefront/products/lumanare')).status).toBe(404);
  expect((await shop.b.guest.get('/api/storefront/products/camasa-de-in')).status).toBe(404);

  // Cart: 2 × 120.00 + 49.99 = 289.99.
  const first = await done(guest.post('/api/storefront/cart/items', { variantId: small.id, quantity: 2 }), 201);
  expect(first.totals).toMatchObject({ itemsSubtotal: ron(24_000), total: ron(24_000) });
  const buyer = guest.with({ 'x-cart-token': first.cartToken });
  const two = await done(buyer.post('/api/storefront/cart/items', { variantId: cookbook.variants[0].id, quantity: 1 }), 201);
  expect(two.totals).toMatchObject({ itemsSubtotal: ron(28_999), itemsDiscount: ron(0), total: ron(28_999) });

  // Promotion, 10 % of 289.99 = 28.999 → 29.00; by weight 24.0008… and 4.9991… → 24.00 + 5.00 (the cent that is left goes to the book).
  await house.post('/api/admin/promotions/', {
    name: 'Ten',
    code: 'ZECE',
    type: 'percentage',
    target: 'order',
    value: { percentBp: 1000 },
    usageLimit: 1,
  });
  const discounted = await done(buyer.post('/api/storefront/cart/promotion', { code: 'zece' }));
  expect(discounted.totals).toMatchObject({ itemsSubtotal: ron(28_999), itemsDiscount: ron(2900), total: ron(26_099) });
  expect(discounted.lines.map((line: Json) => [line.discountTotal, line.total])).toEqual([
    [ron(2400), ron(21_600)],
    [ron(500), ron(4499)],
  ]);

  // Delivery for 19.99.
  const zone = await house.post('/api/admin/shipping/zones', { name: 'Home', countries: ['RO'] });
  const courier = { code: 'courier', name: { ro: 'Curier', en: 'Courier' }, type: 'flat', zoneIds: [zone.id], price: ron(1999) };
  await house.post('/api/admin/shipping/methods', courier);
  const quotes = await done(buyer.post('/api/storefront/checkout/shipping-quotes', { address: home }));
  expect(quotes.data).toMatchObject([{ name: 'Curier', price: ron(1999) }]);

  // Place: 260.99 + 19.99 = 280.98. Another total than that is refused.
  const placeBody = (amount: number) => ({
    email: 'ana@shop.example',
    billingAddress: home,
    shippingAddress: home,
    shippingMethodId: quotes.data[0].methodId,
    paymentMethod: 'card',
    consents: { terms: true },
    expectedTotal: ron(amount),
  });
  const wrong = await buyer.post<Json>('/api/storefront/checkout/place', placeBody(26_099));
  expect(wrong.body).toMatchObject({ status: 409, code: 'total_changed', totals: { total: ron(28_098) } });
  const placed = await done(
    buyer.post('/api/storefront/checkout/place', placeBody(28_098), { 'idempotency-key': 'the-one-sale' }),
    201,
  );
  const { id } = placed.order;
  const seen = (): Promise<Json> => get(admin, `/api/admin/orders/${id}`);
  const order = await seen();
  expect(order).toMatchObject({ status: 'pending', paymentStatus: 'unpaid', fulfillmentStatus: 'unfulfilled' });
  expect(await stockOf('IN-S')).toEqual([10, 2]);
  // Tax of a gross amount g at 21 % is g·21/121: shirts 216.00 → 37.488 → 37.49. The book at 11 %: 44.99·11/111 = 4.458 → 4.46.
  // Delivery is split by the goods' amounts: 19.99·216/260.99 = 16.54 (+ .4…), 3.44 (+ .6…) → 16.54 + 3.45; tax 2.870 → 2.87, 0.341 → 0.34.
  expect(order.totals).toMatchObject({
    itemsSubtotal: ron(28_999),
    itemsDiscount: ron(2900),
    shipping: ron(1999),
    shippingDiscount: ron(0),
    surcharges: ron(0),
    taxTotal: ron(3749 + 446 + 287 + 34),
    total: ron(28_098),
    amountDue: ron(28_098),
  });
  expect(order.lines.map((line: Json) => [line.total, line.tax])).toEqual([
    [ron(21_600), ron(3749)],
    [ron(4499), ron(446)],
  ]);
  const summary = [...order.taxSummary].sort((a: Json, b: Json) => b.ratePpm - a.ratePpm);
  expect(summary).toMatchObject([
    { ratePpm: 210_000, base: ron(21_600 - 3749 + 1654 - 287), tax: ron(3749 + 287) },
    { ratePpm: 110_000, base: ron(4499 - 446 + 345 - 34), tax: ron(446 + 34) },
  ]);

  // Paid by the provider's signed word; a forged one changes nothing, a repeated one neither.
  const ref = await house.refOf(placed.payment.id);
  expect(house.provider.intentOf(ref)).toMatchObject({ amount: 28_098, currency: 'ron' });
  house.provider.pay(ref);
  const word = JSON.stringify(house.provider.eventOf('payment_intent.succeeded', ref));
  const tell = (headers: Record<string, string>) =>
    guest.call('POST', '/api/webhooks/payment-a', { raw: { content: word, type: 'application/json' }, headers });
  const forged = await tell(house.provider.sign(word, Math.floor(shop.clock.ms() / 1000), 'whsec_of_somebody_else'));
  expect(forged.status).toBeGreaterThanOrEqual(400);
  await shop.settled();
  expect((await seen()).paymentStatus).toBe('unpaid');
  for (let i = 0; i < 2; i++)
    expect((await tell(house.provider.sign(word, Math.floor(shop.clock.ms() / 1000)))).status).toBeLessThan(300);
  await shop.settled();
  expect(await seen()).toMatchObject({
    status: 'confirmed',
    paymentStatus: 'paid',
    totals: { total: ron(28_098), amountDue: ron(0) },
    payments: [{ status: 'captured', capturedAmount: ron(28_098) }],
  });

  // Fulfil, AWB, ship.
  await done(admin.put('/api/admin/shipping-carriers/carrier-a', account(carrier)));
  const lines = order.lines.map((line: Json) => ({ lineId: line.id, quantity: line.quantity }));
  const parcel = await done(admin.post(`/api/admin/orders/${id}/fulfillments`, { lines, packed: true }), 201);
  const awb = await done(
    admin.post(`/api/admin/orders/${id}/awb`, { provider: 'carrier-a', parcels: [{ weightG: 1400 }], fulfillmentId: parcel.id }),
    201,
  );
  expect(carrier.shipmentRequests()).toHaveLength(1);
  expect(await stockOf('IN-S')).toEqual([10, 2]);
  await done(admin.post(`/api/admin/orders/${id}/ship`, { fulfillmentId: parcel.id }));
  await shop.settled();
  expect(await seen()).toMatchObject({
    status: 'shipped',
    fulfillmentStatus: 'shipped',
    fulfillments: [{ id: parcel.id, status: 'shipped', awbNumber: awb.awbNumber }],
    totals: { total: ron(28_098) },
  });
  expect([await stockOf('IN-S'), await stockOf('CARTE-1')]).toEqual([
    [8, 0],
    [7, 0],
  ]);

  // One of the two shirts comes back: half of the 216.00 that they were paid, and half of 37.49 tax (the first half has the cent).
  const refunded = await done(
    admin.post(`/api/admin/orders/${id}/refund`, {
      reason: 'too small',
      lines: [{ lineId: order.lines[0].id, quantity: 1, restock: true }],
    }),
  );
  expect(refunded.refund).toMatchObject({
    amount: ron(10_800),
    tax: ron(1875),
    lines: [{ lineId: order.lines[0].id, quantity: 1 }],
  });
  await shop.settled();
  expect(house.provider.intentOf(ref).refunds.map(({ amount }) => amount)).toEqual([10_800]);
  expect(await seen()).toMatchObject({
    status: 'shipped',
    paymentStatus: 'partially_refunded',
    totals: { total: ron(28_098), amountDue: ron(0) },
    refunds: [{ status: 'succeeded', amount: ron(10_800) }],
    invoices: [
      { kind: 'invoice', total: ron(28_098) },
      { kind: 'credit_note', total: ron(10_800) },
    ],
  });
  expect(await stockOf('IN-S')).toEqual([9, 0]);
  // What is left to give back: 280.98 − 108.00.
  const more = await admin.post<Json>(`/api/admin/orders/${id}/refund`, { reason: 'all of it', amount: ron(17_299) });
  expect(more.body).toMatchObject({ status: 409, code: 'refund_exceeds_captured', refundable: 17_298 });
  expect(await stockFaults(shop)).toEqual([]);

  // The buyer's own page says the same.
  const page = await get(guest.with({ 'x-order-token': placed.orderToken }), `/api/storefront/checkout/orders/${id}`);
  expect(page).toMatchObject({ number: order.number, status: 'shipped', totals: { total: ron(28_098) } });
});
