import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, makeProduct, ron, sized, sizes } from '../../test/shop.ts';
import { erasePerson, exportPerson } from './wishlist.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const items = '/api/storefront/wishlist/items';
const list = '/api/storefront/wishlist/';

describe('the wishlist', () => {
  it('requires a customer', async () => {
    const made = await makeProduct(shop.a);
    expect((await shop.a.guest.get(list)).status).toBe(401);
    expect((await shop.a.guest.post(items, { variantId: made.variants[0].id })).status).toBe(401);
    expect((await shop.a.guest.delete(`${items}/${made.variants[0].id}`)).status).toBe(401);
  });
  it('stores each variant once and shows the current price', async () => {
    const customer = await shop.a.customer();
    const made = await makeProduct(shop.a, {
      title: { ro: 'Tricou', en: 'Shirt' },
      options: sizes,
      variants: [sized('W-S', 'S', 500), sized('W-M', 'M', 700)],
    });
    const [s, m] = made.variants.map(({ id }: Json) => id);
    expect((await customer.post<Json>(items, { variantId: s })).status).toBe(201);
    const again = await Promise.all(Array.from({ length: 8 }, () => customer.post<Json>(items, { variantId: m })));
    expect(again.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { variants: [{ id: s, price: ron(450) }] });
    const answer = await customer.get<Json>(list, { headers: { 'accept-language': 'en' } });
    expect(answer.body.data).toMatchObject([
      {
        variantId: m,
        productId: made.id,
        title: 'Shirt',
        optionValues: { Size: 'M' },
        price: ron(700),
        availability: 'in_stock',
      },
      { variantId: s, price: ron(450) },
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await customer.delete(`${items}/${m}`)).status).toBe(204);
    expect((await customer.delete(`${items}/${m}`)).status).toBe(404);
    expect((await customer.get<Json>(list)).body.data).toHaveLength(1);
  });
  it('is private to its customer', async () => {
    const [one, two] = [await shop.a.customer(), await shop.a.customer()];
    const { id } = (await makeProduct(shop.a)).variants[0];
    await one.post(items, { variantId: id });
    expect((await two.get<Json>(list)).body.data).toEqual([]);
    expect((await two.delete(`${items}/${id}`)).status).toBe(404);
    expect((await two.post<Json>(items, { variantId: id, customerId: one.customerId })).body).toMatchObject({
      status: 422,
      code: 'unknown_field',
    });
  });
  it('omits hidden and archived products and rejects new ones', async () => {
    const customer = await shop.a.customer();
    const made = await makeProduct(shop.a);
    const { id } = made.variants[0];
    await customer.post(items, { variantId: id });
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { status: 'archived' });
    expect((await customer.get<Json>(list)).body.data).toEqual([]);
    const other = await shop.a.customer();
    expect((await other.post<Json>(items, { variantId: id })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/variantId' }],
    });
    expect(await shop.rows('select 1 from catalog_wishlist_item where customer_id = $1', [other.customerId])).toEqual([]);
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { status: 'active' });
    expect((await customer.get<Json>(list)).body.data).toHaveLength(1);
    const foreign = (await makeProduct(shop.b)).variants[0].id;
    expect((await customer.post(items, { variantId: foreign })).status).toBe(404);
  });
  it('is part of the personal data export, and erasure is idempotent', async () => {
    const customer = await shop.a.customer();
    const { id } = (await makeProduct(shop.a)).variants[0];
    await customer.post(items, { variantId: id });
    const person = { customerId: customer.customerId, emails: [], phones: [] };
    expect(await shop.a.run('catalog', async (ctx) => exportPerson(ctx, person))).toMatchObject([
      { resource: 'catalog.wishlist-item', rows: [{ variantId: id }] },
    ]);
    const told: Json[] = [];
    const erase = () =>
      shop.a.run('catalog', async (ctx) => erasePerson(ctx, { ...person, report: (entry) => void told.push(entry) }));
    await erase();
    await erase();
    expect(told.map(({ erased }) => erased)).toEqual([1, 0]);
    expect(await shop.a.run('catalog', async (ctx) => exportPerson(ctx, person))).toEqual([]);
  });
});
