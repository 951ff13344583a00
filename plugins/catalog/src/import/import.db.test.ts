import { type Catalog, catalog, type ProductImport } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, ron } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const call = <T>(fn: (service: Catalog) => Promise<T>, tenant = shop.a): Promise<T> =>
  tenant.run('catalog', (ctx) => fn(ctx.require(catalog)));

const file = (more: Partial<ProductImport> = {}): ProductImport => ({
  slug: 'import',
  title: { ro: 'Importat' },
  description: { ro: '<p>Text</p>' },
  status: 'active',
  type: 'physical',
  brand: 'Marca Importată',
  categoryPath: ['Haine', 'Tricouri'],
  tags: ['a', 'b', 'a'],
  options: [{ name: 'Size', values: ['S', 'M'] }],
  seo: { title: 'SEO', description: null },
  images: [{ url: 'https://img.example/1.jpg', alt: 'Unu', position: 1 }],
  variants: [
    {
      sku: 'IM-S',
      barcode: '4006381333931',
      optionValues: { Size: 'S' },
      price: ron(1000),
      compareAtPrice: null,
      weightG: 100,
      trackInventory: true,
      allowBackorder: false,
      position: 1,
    },
    {
      sku: 'IM-M',
      barcode: null,
      optionValues: { Size: 'M' },
      price: ron(1100),
      compareAtPrice: ron(1500),
      weightG: null,
      trackInventory: true,
      allowBackorder: false,
      position: 2,
    },
  ],
  ...more,
});
const load = (item: ProductImport, mode: 'create' | 'update' | 'upsert' = 'upsert') =>
  call((service) => service.importProduct(item, mode));
const admin = async (id: string): Promise<Json> => (await shop.a.admin.get(`/api/admin/products/${id}`)).body;

describe('importing', () => {
  it('makes product, brand and categories; the same file again changes nothing', async () => {
    const first = await load(file());
    expect(first).toMatchObject({ outcome: 'created' });
    expect(Object.keys(first.createdVariants)).toEqual(['IM-S', 'IM-M']);
    const made = await admin(first.productId);
    expect(made).toMatchObject({
      slug: 'import',
      status: 'active',
      tags: ['a', 'b'],
      seo: { title: 'SEO', description: null, canonical: null },
      variants: [
        { sku: 'IM-S', weightG: 100, barcode: '4006381333931' },
        { sku: 'IM-M', compareAtPrice: ron(1500) },
      ],
    });
    expect((await shop.a.admin.get<Json>(`/api/admin/brands/?id=${made.brandId}`)).body.data[0]).toMatchObject({
      name: 'Marca Importată',
      slug: 'marca-importata',
    });
    const categories = (await shop.a.admin.get<Json>('/api/admin/categories/?sort=depth')).body.data;
    expect(categories.map(({ name, depth }: Json) => [name.ro, depth])).toEqual([
      ['Haine', 1],
      ['Tricouri', 2],
    ]);
    expect(made.categoryIds).toEqual([categories[1].id]);
    const again = await load(file());
    expect(again).toMatchObject({
      outcome: 'unchanged',
      productId: first.productId,
      createdVariants: {},
      variants: first.variants,
    });
    expect(await admin(first.productId)).toEqual(made);
  });
  it('changes what differs, keeps what the file does not say, adds variants', async () => {
    const { productId } = await load(file());
    const changed = file({ brand: null, categoryPath: null, description: null, tags: [], images: [], seo: null });
    changed.variants[1]!.compareAtPrice = null;
    changed.variants[0]!.price = ron(900);
    changed.variants.push({ ...changed.variants[0]!, sku: 'IM-L', barcode: null, optionValues: { Size: 'L' } });
    changed.options = [{ name: 'Size', values: ['L'] }];
    const before = await admin(productId);
    expect(await load(changed)).toMatchObject({ outcome: 'updated', createdVariants: { 'IM-L': expect.any(String) } });
    const after = await admin(productId);
    expect(after).toMatchObject({
      brandId: before.brandId,
      categoryIds: before.categoryIds,
      description: before.description,
      tags: before.tags,
      images: before.images,
      options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    });
    expect(after.variants.map((one: Json) => [one.sku, one.price.amount, one.compareAtPrice])).toEqual([
      ['IM-S', 900, null],
      ['IM-L', 900, null],
      ['IM-M', 1100, null],
    ]);
  });
  it('keeps to its mode, and refuses a SKU of another product', async () => {
    await expect(load(file(), 'create')).rejects.toMatchObject({ code: 'duplicate', extra: { field: 'slug' } });
    await expect(load(file({ slug: 'unbekannt' }), 'update')).rejects.toMatchObject({ code: 'not_found' });
    await expect(load(file({ slug: 'anderer' }))).rejects.toMatchObject({
      code: 'duplicate',
      extra: {
        field: 'sku',
        errors: [
          { pointer: '/variants/0/sku', code: 'duplicate', message: 'SKU IM-S belongs to the product import' },
          { pointer: '/variants/1/sku', code: 'duplicate' },
        ],
      },
    });
    expect((await shop.a.admin.get<Json>('/api/admin/products/?slug=anderer')).body.data).toEqual([]);
  });
  it('comes back from an export unchanged (P22)', async () => {
    const everything: Json[] = await call(async (service) => {
      const rows: Json[] = [];
      for await (const batch of service.exportProducts({})) rows.push(...batch);
      return rows;
    });
    expect(everything.length).toBeGreaterThan(0);
    for (const row of everything) {
      const { id, featured, createdAt, updatedAt, variants, ...item } = row;
      const back = { ...item, variants: variants.map(({ id: _, active: __, ...one }: Json) => one) };
      expect(await load(back)).toMatchObject({ outcome: 'unchanged', productId: id });
    }
    const clerk = await shop.a.run('catalog', async (ctx) => {
      for await (const batch of ctx.require(catalog).exportProducts({ status: 'draft' })) return batch[0];
      return undefined;
    });
    expect(clerk).toBeUndefined();
  });
});
