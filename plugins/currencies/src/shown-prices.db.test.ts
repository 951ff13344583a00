import { type TestShop, testShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: answers of the wire, looked at member by member
type Json = any;
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['currencies', 'catalog'], processes: 2 });
  const made = await shop.a.admin.post('/api/admin/products/', {
    title: 'Lamp',
    slug: 'lamp',
    status: 'active',
    price: { amount: 10_000, currency: 'RON' },
  });
  expect(made.status).toBe(201);
});
afterAll(() => shop?.stop());

/** What guests see at a process: prices in euros, or the status in their place, and the currencies of the shop. */
async function seenAt(base: string | undefined): Promise<unknown[]> {
  const guest = shop.a.guest.at(base!);
  const { status, body } = await guest.get<Json>('/api/storefront/products/lamp?currency=EUR');
  const list = await guest.get<Json>('/api/storefront/products/?currency=EUR');
  const config = await guest.get<Json>('/api/storefront/tenant-config/');
  return [body.price?.amount ?? status, list.body.data?.[0].price.amount ?? list.status, config.body.currencies];
}
/** At the process that made the change, at once; at the other, which hears of it by a notice, long before its pages are too old. */
async function expectEverywhere(...expected: unknown[]): Promise<void> {
  expect(await seenAt(shop.bases[0])).toEqual(expected);
  await expect.poll(() => seenAt(shop.bases[1]), { timeout: 5000, interval: 20 }).toEqual(expected);
}
const put = async (path: string, body: Json, status: number): Promise<void> => {
  expect((await shop.a.admin.post(`/api/admin/${path}/`, body)).status).toBe(status);
};

describe('pages with prices in other currencies', () => {
  it('follow rates and currencies at once, at every process', async () => {
    await expectEverywhere(400, 400, ['RON']);
    await put('currencies', { code: 'EUR' }, 201);
    await put('fx-rates', { base: 'RON', quote: 'EUR', rate: '0.2' }, 201);
    await expectEverywhere(2000, 2000, ['RON', 'EUR']);
    await put('fx-rates', { base: 'RON', quote: 'EUR', rate: '0.25' }, 201);
    await expectEverywhere(2500, 2500, ['RON', 'EUR']);
    await put('currencies', { code: 'EUR', enabled: false }, 200);
    await expectEverywhere(400, 400, ['RON']);
    await put('currencies', { code: 'EUR', enabled: true }, 200);
    await expectEverywhere(2500, 2500, ['RON', 'EUR']);
    expect((await shop.a.admin.delete('/api/admin/currencies/EUR')).status).toBe(204);
    await expectEverywhere(400, 400, ['RON']);
  });
});
