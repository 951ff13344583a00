import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, visitor } from '../../test/goods.ts';
import { openTill, placeBody, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill([], { processes: 2, rateLimitFactor: 1 });
  shop = till.shop;
});
afterAll(() => till?.stop());

describe('orders of guests', () => {
  const goods = { a: '', b: '' };
  beforeAll(async () => {
    for (const slug of ['a', 'b'] as const) goods[slug] = (await product(shop[slug], 5000)).variantId;
  });
  const place = async (email: string, slug: 'a' | 'b' = 'a', process = 0) => {
    const { client } = await visitor(shop[slug], [goods[slug], 1]);
    return client.at(shop.bases[process] as string).post<Json>('/api/storefront/checkout/place', placeBody(5000, { email }));
  };

  it('to one address are ten in ten minutes, in any spelling and process; other buyers and shops are unaffected', async () => {
    const spellings = ['Victim@test.example', 'victim@test.example', 'victim+1@test.example', ' victim+two@TEST.example'];
    const placed = await Promise.all(Array.from({ length: 40 }, (_, i) => place(spellings[i % 4] as string, 'a', i % 2)));
    const count = (status: number): number => placed.filter((response) => response.status === status).length;
    expect([count(201), count(429)]).toEqual([10, 30]);
    for (const { status, headers, body } of placed)
      if (status === 429) {
        expect(body).toMatchObject({ code: 'rate_limited' });
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
    await shop.settled();
    const mails = await shop.rows("select from core_mail where template = 'orders.placed' and recipient ilike 'victim%'");
    expect(mails).toHaveLength(10);
    expect((await place('other@test.example')).status).toBe(201);
    expect((await place('victim@test.example', 'b')).status).toBe(201);
  });

  it('from one visitor are thirty in ten minutes', async () => {
    const attempt = (i: number) =>
      shop.b.guest
        .at(shop.bases[i % 2] as string)
        .post('/api/storefront/checkout/place', placeBody(1, { email: `b${i}@test.example` }));
    const statuses: number[] = [];
    for (let i = 0; i < 60; i += 20)
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, j) => attempt(i + j)))).map(({ status }) => status));
    // The other test has placed one order in this shop.
    expect([29, 30]).toContain(statuses.filter((status) => status !== 429).length);
    expect(statuses.at(-1)).toBe(429);
  });
});
