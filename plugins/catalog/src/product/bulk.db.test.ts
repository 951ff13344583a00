import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, makeProduct, readProduct, ron } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const unknown = '0190a000-0000-7000-8000-000000000001';
const bulk = (body: object) => shop.a.admin.post<Json>('/api/admin/products/bulk', body);

describe('bulk', () => {
  it('one bad id undoes nothing else', async () => {
    const [a, b] = [await makeProduct(shop.a), await makeProduct(shop.a)];
    const foreign = await makeProduct(shop.b);
    const answer = await bulk({
      op: 'update',
      ids: [a.id, unknown, foreign.id, b.id],
      patch: { featured: true, tags: ['vara'] },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      results: [
        { id: a.id, ok: true, error: null },
        { id: unknown, ok: false, error: { code: 'not_found' } },
        { id: foreign.id, ok: false, error: { code: 'not_found' } },
        { id: b.id, ok: true },
      ],
      succeeded: 2,
      failed: 2,
    });
    expect(await readProduct(shop.a, b.id)).toMatchObject({ featured: true, tags: ['vara'], version: 2 });
    expect((await shop.b.admin.get<Json>(`/api/admin/products/${foreign.id}`)).body).toMatchObject({
      featured: false,
      version: 1,
    });
  });
  it('a fault of the database stays with its product', async () => {
    const [a, b, c] = [await makeProduct(shop.a), await makeProduct(shop.a), await makeProduct(shop.a)];
    const answer = await bulk({ op: 'update', ids: [a.id, b.id, c.id], patch: { slug: 'unul-singur' } });
    expect(answer.body).toMatchObject({ succeeded: 1, failed: 2 });
    expect(answer.body.results.filter((one: Json) => !one.ok).map((one: Json) => one.error.code)).toEqual([
      'duplicate',
      'duplicate',
    ]);
    const rows = await shop.rows<{ n: number }>(
      `select count(*)::int as n from core_event where type = 'catalog.product.updated' and aggregate = any($1)`,
      [[a.id, b.id, c.id]],
    );
    expect(rows[0]!.n).toBe(1);
  });
  it('archives and deletes', async () => {
    const [a, b] = [await makeProduct(shop.a), await makeProduct(shop.a)];
    expect((await bulk({ op: 'archive', ids: [a.id] })).body).toMatchObject({ succeeded: 1 });
    expect((await readProduct(shop.a, a.id)).status).toBe('archived');
    expect((await bulk({ op: 'delete', ids: [a.id, b.id, b.id] })).body).toMatchObject({ succeeded: 2, failed: 0 });
    expect((await shop.a.admin.get(`/api/admin/products/${b.id}`)).status).toBe(404);
  });
  it('adjusts prices by percent or amount, with endings', async () => {
    const a = await makeProduct(shop.a, { variants: [{ sku: 'adj', price: ron(1234), compareAtPrice: ron(2000) }] });
    const price = async () => (await readProduct(shop.a, a.id)).variants[0].price.amount;
    await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price', percentBp: 1000 } });
    expect(await price()).toBe(1357);
    await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price', percentBp: -2000, rounding: '99' } });
    expect(await price()).toBe(1099);
    await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price', amount: ron(-99), rounding: 'none' } });
    expect(await price()).toBe(1000);
    await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'compareAtPrice', percentBp: 5000, rounding: '00' } });
    expect((await readProduct(shop.a, a.id)).variants[0].compareAtPrice).toEqual(ron(3000));
    expect(
      (await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price', amount: ron(-1001) } })).body.results[0],
    ).toMatchObject({ ok: false, error: { code: 'money_invalid' } });
    expect(await price()).toBe(1000);
  });
  it('refuses more than 500 and faults of the request before it touches anything', async () => {
    const a = await makeProduct(shop.a);
    const many = Array.from({ length: 501 }, (_, i) => `0190a000-0000-7000-8000-${String(i).padStart(12, '0')}`);
    expect((await bulk({ op: 'archive', ids: many })).body).toMatchObject({ status: 422, code: 'too_many' });
    expect((await bulk({ op: 'archive', ids: [] })).status).toBe(422);
    expect((await bulk({ op: 'update', ids: [a.id] })).body).toMatchObject({ status: 422, errors: [{ pointer: '/patch' }] });
    expect((await bulk({ op: 'update', ids: [a.id], patch: { variants: [] } })).body).toMatchObject({
      code: 'unknown_field',
      errors: [{ pointer: '/patch/variants' }],
    });
    expect((await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price' } })).status).toBe(422);
    expect(
      (await bulk({ op: 'price_adjust', ids: [a.id], patch: { field: 'price', amount: { amount: 1, currency: 'EUR' } } })).body,
    ).toMatchObject({ code: 'currency_mismatch' });
    expect((await bulk({ op: 'archive', ids: [a.id], patch: { featured: true } })).status).toBe(422);
    expect(await readProduct(shop.a, a.id)).toMatchObject({ version: 1, status: 'active' });
  });
  it('changes 500 products in one request', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeProduct(shop.a)));
    const ids = [
      ...made.map(({ id }) => id),
      ...Array.from({ length: 480 }, (_, i) => `0190a000-0000-7000-8000-${String(i).padStart(12, '0')}`),
    ];
    expect((await bulk({ op: 'update', ids, patch: { position: 7 } })).body).toMatchObject({ succeeded: 20, failed: 480 });
  });
});
