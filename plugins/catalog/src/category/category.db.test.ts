import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const path = '/api/admin/categories/';
const category = (name: string, more: object = {}): Promise<Json> => make(shop.a.admin, path, { name, ...more });
const patch = (id: string, body: object) => shop.a.admin.patch<Json>(`${path}${id}`, body);
const one = async (id: string): Promise<Json> => (await shop.a.admin.get<Json>(`${path}?id=${id}`)).body.data[0];

describe('categories', () => {
  it('get slug, path and depth; a slug is unique below one parent', async () => {
    const root = await category('Casă & Grădină');
    const child = await category('Lămpi', { parentId: root.id });
    expect(root).toMatchObject({ slug: 'casa-gradina', path: [root.id], depth: 1, version: 1, productCount: 0 });
    expect(child).toMatchObject({ slug: 'lampi', path: [root.id, child.id], depth: 2 });
    expect(await one(child.id)).toEqual(child);
    expect((await shop.a.admin.post<Json>(path, { name: 'X', slug: 'lampi', parentId: root.id })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      field: 'slug',
    });
    expect((await category('X', { slug: 'lampi' })).slug).toBe('lampi');
    expect((await shop.a.admin.post<Json>(path, { name: 'X', slug: 'lampi' })).body).toMatchObject({ code: 'duplicate' });
    expect((await category('Lămpi', { parentId: root.id })).slug).toBe('lampi-2');
    expect((await shop.a.admin.post<Json>(path, { name: 'X', depth: 3 })).body).toMatchObject({ code: 'unknown_field' });
  });
  it('move with their descendants, never below themselves', async () => {
    const [a, x] = [await category('A'), await category('X')];
    const b = await category('B', { parentId: a.id });
    const c = await category('C', { parentId: b.id });
    for (const parentId of [a.id, b.id, c.id])
      expect((await patch(a.id, { parentId })).body).toMatchObject({ status: 409, code: 'category_cycle' });
    expect((await patch(b.id, { parentId: x.id })).body).toMatchObject({ path: [x.id, b.id], depth: 2 });
    expect(await one(c.id)).toMatchObject({ path: [x.id, b.id, c.id], depth: 3 });
    expect((await patch(b.id, { parentId: null })).body).toMatchObject({ path: [b.id], depth: 1 });
    expect(await one(c.id)).toMatchObject({ path: [b.id, c.id], depth: 2 });
    expect((await patch(a.id, { parentId: '0190a000-0000-7000-8000-000000000001' })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/parentId' }],
    });
  });
  it('lie at most eight levels deep', async () => {
    let last = await category('1');
    const first = last;
    for (let depth = 2; depth <= 8; depth++) last = await category(String(depth), { parentId: last.id });
    expect((await shop.a.admin.post<Json>(path, { name: '9', parentId: last.id })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/parentId' }],
    });
    const above = await category('0');
    expect((await patch(first.id, { parentId: above.id })).status).toBe(422);
    expect(await one(first.id)).toMatchObject({ depth: 1, parentId: null });
  });
  it('two concurrent moves never create a cycle', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await category(`ring a${round}`), await category(`ring b${round}`)];
      const answers = await Promise.all([patch(a.id, { parentId: b.id }), patch(b.id, { parentId: a.id })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    const rows = await shop.rows<{ id: string; path: string[] }>('select id, path from catalog_category');
    for (const { id, path: ids } of rows) expect([new Set(ids).size, ids.at(-1)]).toEqual([ids.length, id]);
  });
  it('with children can be deleted only with reassignTo; products are detached', async () => {
    const [gone, target] = [await category('Pleacă'), await category('Rămâne')];
    const child = await category('Copil', { parentId: gone.id });
    const grandchild = await category('Nepot', { parentId: child.id });
    const product = await makeProduct(shop.a, { categoryIds: [gone.id, child.id] });
    expect(await one(gone.id)).toMatchObject({ productCount: 1 });
    expect((await shop.a.admin.delete(`${path}${gone.id}`)).body).toMatchObject({
      status: 409,
      code: 'in_use',
      counts: { categories: 1 },
    });
    expect((await shop.a.admin.delete(`${path}${gone.id}?reassignTo=${grandchild.id}`)).body).toMatchObject({
      status: 409,
      code: 'category_cycle',
    });
    expect((await shop.a.admin.delete(`${path}${gone.id}?reassignTo=0190a000-0000-7000-8000-000000000001`)).status).toBe(404);
    expect((await shop.a.admin.delete(`${path}${gone.id}?reassignTo=${target.id}`)).status).toBe(204);
    expect(await one(grandchild.id)).toMatchObject({ path: [target.id, child.id, grandchild.id], depth: 3 });
    expect((await shop.a.admin.get<Json>(`/api/admin/products/${product.id}`)).body.categoryIds).toEqual([child.id]);
    expect((await shop.a.admin.delete(`${path}${gone.id}`)).status).toBe(404);
  });
});

describe('brands', () => {
  it('have a unique slug, count products, and keep the products when deleted', async () => {
    const brand = await make(shop.a.admin, '/api/admin/brands/', { name: 'Ștefănel', website: 'https://brand.example' });
    expect(brand).toMatchObject({ slug: 'stefanel', productCount: 0 });
    expect((await shop.a.admin.post<Json>('/api/admin/brands/', { name: 'X', slug: 'stefanel' })).body).toMatchObject({
      status: 409,
      field: 'slug',
    });
    expect((await make(shop.a.admin, '/api/admin/brands/', { name: 'Stefanel' })).slug).toBe('stefanel-2');
    const product = await makeProduct(shop.a, { brandId: brand.id });
    const listed = await shop.a.admin.get<Json>(`/api/admin/brands/?id[in]=${brand.id}`);
    expect(listed.body.data).toMatchObject([{ id: brand.id, productCount: 1, version: 1 }]);
    expect((await shop.a.admin.patch<Json>(`/api/admin/brands/${brand.id}`, { name: 'Nou' })).body).toMatchObject({
      name: 'Nou',
      slug: 'stefanel',
      version: 2,
    });
    expect((await shop.a.admin.delete(`/api/admin/brands/${brand.id}`)).status).toBe(204);
    const after = (await shop.a.admin.get<Json>(`/api/admin/products/${product.id}`)).body;
    expect(after).toMatchObject({ brandId: null, version: product.version + 1 });
  });
});
