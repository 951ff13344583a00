import { fileURLToPath } from 'node:url';
import { orderEvents } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import standIn, { sold } from '../test/orders-stand-in.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: [fileURLToPath(new URL('../test/orders', import.meta.url))], modules: { orders: standIn } });
});
afterAll(() => shop?.stop());

const store = '/api/admin/settings/store';
const key = '/api/admin/settings/workspace.currency';

describe('the currency', () => {
  it('may change until the first order, then never', async () => {
    expect((await shop.a.admin.put(store, { currency: 'EUR' })).body).toMatchObject({ currency: 'EUR' });
    expect((await shop.a.admin.put(key, { value: 'RON' })).body).toMatchObject({ value: 'RON' });
    sold.add(shop.a.id);
    const before = (await shop.a.admin.get(store)).body;
    expect(await shop.a.admin.put(store, { currency: 'EUR', legalName: 'Changed' })).toMatchObject({
      status: 409,
      body: { code: 'base_currency_locked' },
    });
    expect(await shop.a.admin.put(key, { value: 'EUR' })).toMatchObject({ status: 409, body: { code: 'base_currency_locked' } });
    expect((await shop.a.admin.get(store)).body).toEqual(before);
    // The same again is no change; everything else still may.
    expect((await shop.a.admin.put(store, { currency: 'RON', priceMode: 'net' })).body).toMatchObject({
      currency: 'RON',
      priceMode: 'net',
    });
    expect((await shop.b.admin.put(store, { currency: 'EUR' })).status).toBe(200);
  });
});

describe('a new order', () => {
  it('notifies the staff of its shop, once', async () => {
    const id = crypto.randomUUID();
    await shop.a.run('orders', (ctx) =>
      ctx.emit(orderEvents.placed, {
        id,
        data: {
          id,
          number: '2026-000001',
          status: 'pending',
          customerId: null,
          email: 'buyer@mail.example',
          total: { amount: 100, currency: 'RON' },
          country: 'RO',
          placedAt: new Date().toISOString(),
          lines: [],
        },
      }),
    );
    await shop.settled();
    const list = async (client = shop.a.admin) => (await client.get<{ data: object[] }>('/api/admin/notifications/')).body.data;
    expect(await list()).toEqual([
      expect.objectContaining({
        type: 'orders.order.placed',
        title: { ro: 'Comanda 2026-000001', en: 'Order 2026-000001' },
        link: `/orders/${id}`,
      }),
    ]);
    expect(await list(shop.b.admin)).toEqual([]);
  });
});
