import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  account,
  cartOf,
  home,
  type Json,
  methodOf,
  must,
  openShop,
  place,
  quotes,
  ron,
  type ShippingShop,
  zoneOf,
} from '../../test/shop.ts';

let sells: ShippingShop;
let flat: Json;
let byWeight: Json;
let live: Json;
beforeAll(async () => {
  sells = await openShop();
  const { a } = sells.shop;
  const { id } = await zoneOf(a);
  flat = await methodOf(a, [id], {
    code: 'flat',
    freeOver: ron(30_000),
    codFee: ron(700),
    handlingDays: 1,
    etaMinDays: 1,
    etaMaxDays: 2,
  });
  byWeight = await methodOf(a, [id], { code: 'weight', type: 'weight', price: null, position: 1 });
  for (const [min, max, price] of [
    [0, 1000, 1500],
    [1000, 5000, 2500],
  ])
    await must(
      a.admin.post(`/api/admin/shipping-zones/zones/${id}/rates`, {
        methodId: byWeight.id,
        min,
        max,
        price: ron(price as number),
      }),
    );
  await methodOf(a, [id], { code: 'off', enabled: false, position: 2 });
});
afterAll(() => sells?.stop());

const priceOf = (list: { data: Json[] }): Record<string, number> =>
  Object.fromEntries(list.data.map((quote) => [quote.code, quote.price.amount]));
const quoteOf = async (client: TestClient, code: string): Promise<Json> =>
  (await quotes(client)).data.find((quote) => quote.code === code);

describe('quotes', () => {
  it('come from the zone, by weight and total, in the buyer’s language', async () => {
    const { a } = sells.shop;
    const one = await cartOf(a, 10_000, 1, 500);
    const list = await quotes(one.with({ 'accept-language': 'en' }));
    expect(list.data[0]).toMatchObject({
      methodId: flat.id,
      code: 'flat',
      carrier: null,
      name: 'Courier',
      price: ron(1999),
      etaMinDays: 2,
      etaMaxDays: 3,
      pickupPoints: null,
      quoteToken: expect.any(String),
    });
    expect(priceOf(list)).toEqual({ flat: 1999, weight: 1500 });
    expect(priceOf(await quotes(await cartOf(a, 10_000, 3, 400)))).toEqual({ flat: 0, weight: 2500 });
    expect(priceOf(await quotes(await cartOf(a, 10_000, 1, 6000)))).toEqual({ flat: 1999 });
    const abroad = await quotes(one, { ...home, country: 'US' });
    expect([abroad.data, abroad.warnings.map(({ code }) => code)]).toEqual([[], ['no_shipping_method']]);
  });

  it('take one query if no carrier is called', async () => {
    const { a } = sells.shop;
    const { quoteMethods } = await import('./checkout-taps.ts');
    await a.run('shipping', async (ctx) => {
      let queries = 0;
      const count =
        <A extends unknown[], R>(call: (...given: A) => R) =>
        (...given: A): R => {
          queries += 1;
          return call(...given);
        };
      const { db: own } = ctx;
      const db = { ...own, first: count(own.first.bind(own)), rows: count(own.rows.bind(own)), run: count(own.run.bind(own)) };
      const counted = new Proxy(ctx, { get: (target, name) => (name === 'db' ? db : Reflect.get(target, name, target)) });
      const line = { id: 'l', kind: 'product', quantity: 1, weightG: 100, ships: true, running: 1000 };
      const context = {
        currency: 'RON',
        shippingAddress: { ...home, company: null, vatId: null, line2: null, phone: null, email: null },
      };
      const found = await quoteMethods(counted, { context: context as never, lines: [line], itemsTotal: 1000 });
      expect([found.length, queries]).toEqual([2, 1]);
    });
  });
});

describe('placing', () => {
  it('charges the cash-on-delivery fee once, and the quoted shipping price', async () => {
    const { a } = sells.shop;
    const client = await cartOf(a, 10_000);
    const quote = await quoteOf(client, 'flat');
    const wrong = await place(client, quote, 11_999);
    expect([wrong.status, wrong.body.code, wrong.body.totals.surcharges]).toEqual([409, 'total_changed', ron(700)]);
    const created = await place(client, quote, 12_699);
    expect([created.status, created.body.order.totals.total]).toEqual([201, ron(12_699)]);
    expect(created.body.order.surcharges).toMatchObject([{ code: 'cod:flat', name: 'Taxă de ramburs', total: ron(700) }]);
  });

  it('honours a quoted price for 30 minutes, for the same goods only', async () => {
    const { a } = sells.shop;
    const client = await cartOf(a, 10_000);
    const quote = await quoteOf(client, 'weight');
    const other = await cartOf(a, 10_001);
    const rates = await a.admin.get<Json>(`/api/admin/shipping-zones/zones/${byWeight.zoneIds[0]}/rates`);
    const rate = `/api/admin/shipping-zones/rates/${rates.body.data[0].id}`;
    await must(a.admin.patch(rate, { price: ron(1600) }), 200);
    const token = { quoteToken: quote.quoteToken };
    expect((await place(other, quote, 11_501, token)).body).toMatchObject({ status: 409, code: 'total_changed' });
    expect((await place(client, quote, 11_500, token)).status).toBe(201);
    await must(a.admin.patch(rate, { price: ron(1500) }), 200);
  });

  it('is refused without a shipping method for the address', async () => {
    const { a } = sells.shop;
    const client = await cartOf(a, 10_000);
    const quote = await quoteOf(client, 'flat');
    const abroad = await place(client, quote, 10_000, { shippingAddress: { ...home, country: 'US' } });
    expect([abroad.status, abroad.body.code]).toEqual([409, 'no_shipping_method']);
    expect((await place(client, { methodId: undefined }, 10_000)).body.code).toBe('shipping_method_required');
    await must(a.admin.patch(`/api/admin/shipping/methods/${flat.id}`, { enabled: false }), 200);
    expect((await place(client, quote, 12_699)).body.code).toBe('shipping_method_unavailable');
    await must(a.admin.patch(`/api/admin/shipping/methods/${flat.id}`, { enabled: true }), 200);
  });

  it('is refused for countries without a zone, for shipping methods of other plugins too', async () => {
    const { a } = sells.shop;
    const { checkCountry } = await import('./checkout-taps.ts');
    const check = (country: string, methodId: string | null, channel = 'web') =>
      a.run('shipping', async (ctx) => {
        const input = {
          context: { shippingAddress: { ...home, country }, channel },
          priced: { lines: [{ ships: true }], shippingLines: [{ methodId }] },
        };
        return checkCountry(ctx, input as never);
      });
    await check('RO', flat.id);
    await expect(check('US', flat.id)).rejects.toMatchObject({ code: 'country_not_served', extra: { country: 'US' } });
    await expect(check('US', null)).rejects.toMatchObject({ code: 'country_not_served' });
    await check('US', null, 'draft');
    await check('US', '01900000-0000-7000-8000-000000000009');
  });
});

describe('quotes of a carrier', () => {
  it('are listed with the shop’s methods; a failure is a warning', async () => {
    const { a } = sells.shop;
    await must(a.admin.put('/api/admin/shipping-carriers/carrier-a', account(sells.fake, { services: ['economy'] })), 200);
    live = await methodOf(a, flat.zoneIds, {
      code: 'live',
      type: 'carrier',
      price: null,
      carrier: 'carrier-a',
      position: 9,
      handlingDays: 1,
    });
    const client = await cartOf(a, 10_000, 2, 700);
    const list = await quotes(client);
    expect(list.data.find(({ code }) => code === 'live')).toMatchObject({
      carrier: 'carrier-a',
      price: ron(1500),
      etaMinDays: 3,
      etaMaxDays: 5,
    });
    const asked = sells.fake.calls.at(-1);
    expect(asked).toMatchObject({
      path: '/api/v1/quotes',
      headers: { authorization: 'Bearer key-of-the-shop-0001', 'x-mode': 'test' },
      body: { parcels: [{ weightG: 1400 }], recipient: { country: 'RO', postalCode: '400001', line1: null }, currency: 'RON' },
    });
    for (const fault of [{ status: 500, body: {} }, { status: 422, body: { message: 'too heavy' } }, 'hang', 'lost'] as const) {
      if (fault === 'lost') sells.fake.services = [{ code: 'economy', price: '12.50' }];
      else sells.fake.fault = fault;
      const failed = await quotes(client);
      expect(priceOf(failed)).toEqual({ flat: 1999, weight: 2500 });
      expect(failed.warnings.map(({ code }) => code)).toEqual(['carrier_failed']);
      sells.fake.fault = undefined;
    }
    sells.fake.services = [{ code: 'economy', price: ron(1500) }];
  });

  it('are reused without another request while the quote is valid', async () => {
    const { a } = sells.shop;
    const client = await cartOf(a, 10_000);
    const quote = await quoteOf(client, 'live');
    sells.fake.fault = { status: 500, body: {} };
    const calls = sells.fake.calls.length;
    const without = await place(client, quote, 11_500);
    expect([without.status, without.body.code]).toEqual([409, 'shipping_method_unavailable']);
    expect(sells.fake.calls.length).toBe(calls + 1);
    expect((await place(client, quote, 11_500, { quoteToken: quote.quoteToken })).status).toBe(201);
    expect(sells.fake.calls.length).toBe(calls + 1);
    sells.fake.fault = undefined;
    expect(live.carrier).toBe('carrier-a');
  });

  it('are requested without an open transaction, and again if the cart changes meanwhile', async () => {
    const { shop, fake } = sells;
    const open = async (): Promise<void> => void seen.push(await shop.openTransactions());
    const seen: number[] = [];
    const client = await cartOf(shop.a, 10_000);
    const other = await cartOf(shop.a, 5000);
    const { lines } = await must(other.get('/api/storefront/cart/'), 200);
    fake.meanwhile = open;
    const quote = await quoteOf(client, 'live');
    let added = false;
    fake.meanwhile = async () => {
      await open();
      if (added) return;
      added = true;
      // The cart's row isn't locked; a change that had to wait for it would be refused.
      await must(client.post('/api/storefront/cart/items', { variantId: lines[0].variantId, quantity: 1 }), 201);
    };
    const calls = fake.calls.length;
    const changed = await place(client, quote, 11_500);
    expect([changed.status, changed.body.code, changed.body.totals.total]).toEqual([409, 'total_changed', ron(16_500)]);
    expect(fake.calls.slice(calls).map(({ body }) => body.parcels)).toMatchObject([[{ weightG: 500 }], [{ weightG: 1000 }]]);
    expect((await place(client, quote, 16_500)).status).toBe(201);
    expect(fake.calls.length).toBe(calls + 3);
    expect(seen).toEqual([0, 0, 0, 0]);
    fake.meanwhile = undefined;
  });
});
