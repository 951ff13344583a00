import { readFile } from 'node:fs/promises';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf } from '../demo/csv.mjs';
import { seedShop } from '../demo/seed.ts';
import { everyPlugin } from './support/house.ts';

const folder = new URL('../demo/nord/', import.meta.url);
const seed = seedShop(folder);
let shop: TestShop;
const fill = () => shop.kernel.inTenant(shop.a.id, 'workspace', (ctx) => seed(ctx), { transaction: 'none' });
const records = async (name: string) => recordsOf(await readFile(new URL(name, folder), 'utf8')).records;

beforeAll(async () => {
  shop = await testShop({ plugins: everyPlugin });
  await fill();
});
afterAll(() => shop?.stop());

interface Node {
  slug: string;
  name: string;
  productCount: number;
  children: Node[];
}

describe('the demo shop', () => {
  it('shows its categories in both languages, in their order', async () => {
    const wanted = await records('categories.csv');
    for (const locale of ['ro', 'en'] as const) {
      const tree = await shop.a.guest.with({ 'accept-language': locale }).get<{ data: Node[] }>('/api/storefront/categories/');
      const shown = tree.body.data.flatMap((top) => [top, ...top.children]);
      expect(shown.map(({ slug, name }) => [slug, name]).sort()).toEqual(
        wanted.map((record) => [record.slug, record[`name_${locale}`]]).sort(),
      );
      expect(tree.body.data.map(({ slug }) => slug)).toEqual(
        wanted.filter(({ parent }) => parent === '').map(({ slug }) => slug),
      );
      for (const top of tree.body.data) expect(top.productCount).toBeGreaterThan(0);
    }
  });

  it('has the texts of its brands', async () => {
    const brands = await shop.a.admin.get<{ data: { slug: string; description: Record<string, string> }[] }>(
      '/api/admin/brands/?limit=100',
    );
    const wanted = await records('brands.csv');
    expect(brands.body.data.map(({ slug, description }) => [slug, description]).sort()).toEqual(
      wanted.map((record) => [record.slug, { ro: record.description_ro, en: record.description_en }]).sort(),
    );
  });

  it('puts the recommended products on the front page', async () => {
    const tagged = (await records('products.csv')).filter(({ Tags = '' }) => /(^|, )recomandat(,|$)/.test(Tags));
    expect(tagged.length).toBeGreaterThan(3);
    const page = await shop.a.guest.get<{ data: { slug: string }[] }>('/api/storefront/products/featured?limit=100');
    expect(page.body.data.map(({ slug }) => slug).sort()).toEqual(tagged.map(({ Handle }) => Handle).sort());
  });

  it('says who runs it', async () => {
    const { store } = JSON.parse(await readFile(new URL('shop.json', folder), 'utf8')) as { store: Record<string, unknown> };
    const { legalName, emails, phone, orderNumberFormat, invoiceSeries } = store;
    const shown = await shop.a.admin.get('/api/admin/settings/store');
    expect(shown.body).toMatchObject({ legalName, emails: emails as object, phone, orderNumberFormat, invoiceSeries });
  });

  it('stays as it is when it is filled again', async () => {
    const before = await shop.rows('select id, version from catalog_category order by id');
    const products = await shop.rows('select id, version from catalog_product order by id');
    await fill();
    expect(await shop.rows('select id, version from catalog_category order by id')).toEqual(before);
    expect(await shop.rows('select id, version from catalog_product order by id')).toEqual(products);
  });
});
