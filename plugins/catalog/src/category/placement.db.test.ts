import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct } from '../../test/shop.ts';
import { recount } from './placement.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const category = (name: string, more: object = {}): Promise<Json> =>
  make(shop.a.admin, '/api/admin/categories/', { name, ...more });
const patch = (path: string, body: object) => shop.a.admin.patch<Json>(`/api/admin/${path}`, body);

/** Product counts in the category tree, by category. */
async function shown(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const walk = (nodes: Json[]): void => {
    for (const node of nodes) {
      counts.set(node.id, node.productCount);
      walk(node.children);
    }
  };
  walk((await shop.a.guest.get<Json>('/api/storefront/categories/')).body.data);
  return counts;
}
/** Product counts from the links between products and categories. */
async function counted(): Promise<Map<string, number>> {
  const rows = await shop.rows<{ id: string; n: number }>(
    `select a.id, count(distinct p.id)::int as n from catalog_category a
     left join catalog_category c on c.tenant_id = a.tenant_id and c.path @> jsonb_build_array(a.id::text)
     left join catalog_product_category pc on pc.tenant_id = c.tenant_id and pc.category_id = c.id
     left join catalog_product p on p.tenant_id = pc.tenant_id and p.id = pc.product_id and p.listed and p.published_at <= now()
     where a.tenant_id = $1 group by a.id`,
    [shop.a.id],
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

describe('counts of categories', () => {
  it('match the listed products after any mix of writes, including concurrent ones', async () => {
    const roots = [await category('R1'), await category('R2')];
    const subs = [
      await category('S1', { parentId: roots[0].id }),
      await category('S2', { parentId: roots[0].id }),
      await category('S3', { parentId: roots[1].id }),
    ];
    const all = [...roots, ...subs].map(({ id }) => id);
    const pick = (i: number): string[] => [all[i % 5], all[(i * 3 + 1) % 5]];
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        makeProduct(shop.a, { categoryIds: pick(i), status: i % 4 === 0 ? 'draft' : 'active' }),
      ),
    );
    expect(await shown()).toEqual(await counted());
    await Promise.all(
      made.map((one, i) => {
        if (i % 5 === 0) return shop.a.admin.delete(`/api/admin/products/${one.id}`);
        return patch(
          `products/${one.id}`,
          i % 3 === 0 ? { status: i % 2 === 0 ? 'active' : 'archived' } : { categoryIds: pick(i + 2) },
        );
      }),
    );
    expect(await shown()).toEqual(await counted());
    await patch(`categories/${subs[0].id}`, { parentId: roots[1].id });
    expect(await shown()).toEqual(await counted());
    await shop.a.admin.delete(`/api/admin/categories/${subs[2].id}`);
    await shop.a.admin.delete(`/api/admin/categories/${roots[1].id}?reassignTo=${roots[0].id}`);
    expect(await shown()).toEqual(await counted());
    await makeProduct(shop.a, { categoryIds: [roots[0].id], publishedAt: '2100-01-01T00:00:00Z' });
    const before = await shown();
    expect(before).toEqual(await counted());
    await shop.a.run('catalog', recount);
    await shop.a.run('catalog', async (ctx) => ctx.dropCache('catalog'));
    expect(await shown()).toEqual(before);
  });
  it('are merged into few rows after many writes', async () => {
    const { id } = await category('Multe');
    const product = await makeProduct(shop.a, { categoryIds: [id] });
    await shop.rows(
      `insert into catalog_shelf_count (tenant_id, category_id, delta) select $1, $2, case when i % 2 = 0 then 1 else -1 end from generate_series(1, 1000) i`,
      [shop.a.id, id],
    );
    await Promise.all(Array.from({ length: 6 }, () => makeProduct(shop.a, { categoryIds: [id] })));
    await patch(`products/${product.id}`, { status: 'archived' });
    const [row] = await shop.rows<{ n: number; sum: number }>(
      'select count(*)::int as n, sum(delta)::int as sum from catalog_shelf_count where category_id = $1',
      [id],
    );
    expect(row!.sum).toBe(6);
    expect(row!.n).toBeLessThan(50);
    expect((await shown()).get(id)).toBe(6);
  });
});
