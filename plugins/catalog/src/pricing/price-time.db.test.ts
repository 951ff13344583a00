import { sql } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, makeProduct, ron } from '../../test/shop.ts';
import { changeDue } from '../events.ts';
import type { ProductPatch } from '../product/product.ts';
import { productView } from '../product/read.ts';
import { updateProduct } from '../product/write.ts';

let shop: TestShop;
beforeAll(async () => {
  // Signing in at the end of the test period gives a session that is valid throughout the tests.
  shop = await testShop({ plugins: ['catalog'], now: '2026-10-01T10:00:00Z' });
  shop.clock.freeze('2026-06-01T10:00:00Z');
});
afterAll(() => shop?.stop());
const get = (path: string, headers: Record<string, string> = {}) => shop.a.guest.get<Json>(`/api/storefront${path}`, { headers });

// Tokens expire within the days that the tests simulate, so staff changes call the function behind the route.
const change = (id: string, body: ProductPatch) => shop.a.run('catalog', (ctx) => updateProduct(ctx, id, body));

describe('prices over time', () => {
  let reduced: Json;
  beforeAll(async () => {
    reduced = await makeProduct(shop.a, { slug: 'redus', price: ron(9000) });
  });

  it('a scheduled product appears at its publication time', async () => {
    const made = await makeProduct(shop.a, { slug: 'maine', publishedAt: '2026-06-02T10:00:00Z' });
    expect((await get('/products/maine')).status).toBe(404);
    expect(await shop.rows(`select 1 from jobs.job where data::text like $1`, [`%${made.id}%`])).not.toEqual([]);
    shop.clock.freeze('2026-06-02T10:00:00Z');
    expect((await get('/products/maine')).status).toBe(200);
    shop.clock.freeze('2026-06-01T10:00:00Z');
  });

  it('a dated price applies from its start; the job updates lists and history', async () => {
    const now = shop.clock.ms();
    const at = (hours: number) => new Date(now + hours * 3600 * 1000).toISOString();
    const made = await makeProduct(shop.a, {
      slug: 'datat',
      variants: [{ sku: 'DAT', price: ron(5000), prices: [{ price: ron(4000), startsAt: at(1), endsAt: at(3) }] }],
    });
    const price = async () => (await get('/products/datat')).body.price.amount;
    const due = () => shop.a.run('catalog', (ctx) => changeDue(ctx, { productId: made.id }));
    const range = () => shop.a.run('catalog', async (ctx) => ((await productView(ctx, made.id)) as Json).priceRange.min.amount);
    expect(await price()).toBe(5000);
    shop.clock.advance(2 * 3600 * 1000);
    await due();
    expect([await price(), await range()]).toEqual([4000, 4000]);
    shop.clock.advance(2 * 3600 * 1000);
    await due();
    expect([await price(), await range()]).toEqual([5000, 5000]);
    const rows = await shop.rows<{ price: number }>(
      'select price_amount::int as price from catalog_price_history where variant_id = $1 order by created_at, id',
      [made.variants[0].id],
    );
    expect(rows.map(({ price: amount }) => amount)).toEqual([5000, 4000, 5000]);
    const waiting = await shop.rows<{ n: number }>(`select count(*)::int as n from jobs.job where data::text like $1`, [
      `%${made.id}%`,
    ]);
    expect(waiting[0]!.n).toBeGreaterThanOrEqual(2);
  });

  it('a reduction shows the lowest price of the 30 days before it began', async () => {
    const day = 24 * 3600 * 1000;
    const made = reduced;
    const [{ id }] = made.variants;
    const set = (values: object) => change(made.id, { variants: [{ id, ...values }] });
    shop.clock.advance(20 * day);
    await set({ price: ron(12_000) });
    shop.clock.advance(20 * day);
    await set({ price: ron(10_000), compareAtPrice: ron(12_000) });
    expect((await get('/products/redus')).body).toMatchObject({
      price: ron(10_000),
      compareAtPrice: ron(12_000),
      lowestPrice30d: ron(9000),
    });
    shop.clock.advance(40 * day);
    await shop.a.run('catalog', async (ctx) => ctx.dropCache('catalog'));
    expect((await get('/products/redus')).body.lowestPrice30d).toEqual(ron(9000));
    await set({ compareAtPrice: ron(9999) });
    expect((await get('/products/redus')).body).toMatchObject({ compareAtPrice: null, lowestPrice30d: null });
    // The application role can't update the price history.
    for (const statement of [sql`update catalog_price_history set price_amount = 1`, sql`delete from catalog_price_history`])
      await expect(shop.a.run('catalog', (ctx) => ctx.db.run(statement))).rejects.toMatchObject({ code: '42501' });
    const rows = await shop.rows<{ price: string }>(
      'select price_amount::text as price from catalog_price_history where variant_id = $1 order by created_at, id',
      [id],
    );
    expect(rows.map(({ price }) => price)).toEqual(['9000', '12000', '10000', '10000']);
    const told = await shop.rows<{ data: Json }>(
      `select data from core_event where type = 'catalog.variant.price_changed' and aggregate = $1 order by sequence`,
      [id],
    );
    expect(told.map(({ data }) => [data.previousPrice.amount, data.price.amount])).toEqual([
      [9000, 12_000],
      [12_000, 10_000],
    ]);
  });
});
