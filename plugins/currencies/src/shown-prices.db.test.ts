import { type TestShop, testShop } from '@storeloom/testing';
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
/** Immediately in the process of the change; in the other, after its notification, long before its pages expire. */
async function expectEverywhere(...expected: unknown[]): Promise<void> {
  expect(await seenAt(shop.bases[0])).toEqual(expected);
  await expect.poll(() => seenAt(shop.bases[1]), { interval: 20 }).toEqual(expected);
}
const put = async (path: string, body: Json, status: number): Promise<void> => {
  expect((await shop.a.admin.post(`/api/admin/${path}/`, body)).status).toBe(status);
};

describe('pages with prices in other currencies', () => {
  it('say what a price is reduced from in the same currency', async () => {
    const made = await shop.b.admin.post('/api/admin/products/', {
      title: 'Chair',
      slug: 'chair',
      status: 'active',
      variants: [
        {
          sku: 'CHAIR',
          optionValues: {},
          price: { amount: 8000, currency: 'RON' },
          compareAtPrice: { amount: 10_000, currency: 'RON' },
        },
      ],
    });
    expect(made.status, made.text).toBe(201);
    for (const [path, body] of [
      ['currencies', { code: 'EUR' }],
      ['fx-rates', { base: 'RON', quote: 'EUR', rate: '0.2' }],
    ] as const)
      expect((await shop.b.admin.post(`/api/admin/${path}/`, body)).status).toBe(201);
    const reduced = { price: { amount: 1600, currency: 'EUR' }, compareAtPrice: { amount: 2000, currency: 'EUR' } };
    const get = (path: string) => shop.b.guest.get<Json>(`/api/storefront/products/${path}?currency=EUR`);
    expect((await get('')).body.data).toMatchObject([reduced]);
    expect((await get('chair')).body).toMatchObject({ ...reduced, variants: [reduced] });
    expect((await get('chair/variants')).body.data).toMatchObject([reduced]);
    const own = await shop.b.guest.get<Json>('/api/storefront/products/chair');
    expect(own.body).toMatchObject({ compareAtPrice: { amount: 10_000, currency: 'RON' } });
  });

  it('follow rates and currencies immediately, in every process', async () => {
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
