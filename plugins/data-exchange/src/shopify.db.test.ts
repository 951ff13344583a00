import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Report {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string | null; code: string; message: string }[];
  warnings: { line: number | null; code: string; message: string }[];
}
interface Detail {
  title: string;
  variants: { optionValues: Record<string, string>; availability: string }[];
}

describe('files of another shop', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['catalog', 'inventory', 'data-exchange'] });
  });
  afterAll(() => shop?.stop());
  const load = (...rows: string[]) =>
    shop.a.admin.call<Report>('POST', '/api/admin/import/products?format=shopify', {
      raw: { content: rows.join('\n'), type: 'text/csv' },
    });
  const detail = async (slug: string): Promise<Detail> =>
    (await shop.a.guest.get<Detail>(`/api/storefront/products/${slug}`)).body;
  const availability = async (slug: string): Promise<string[]> => (await detail(slug)).variants.map((each) => each.availability);

  it('reads inch signs and other quotes inside cells as they are', async () => {
    const { status, text, body } = await load(
      'Handle,Title,Variant Price,Variant SKU',
      'tv,TV 55" OLED,1.00,TV1',
      'say,"Say ""hi"", twice",2.00,SAY',
      'end,Screen 5",3.00,END',
    );
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ created: 3, failed: 0, errors: [] });
    expect((await detail('tv')).title).toBe('TV 55" OLED');
    expect((await detail('say')).title).toBe('Say "hi", twice');
    expect((await detail('end')).title).toBe('Screen 5"');
  });

  it('refuses a file with an open quote as malformed instead of failing', async () => {
    const { status, body } = await load('Handle,Title,Variant Price,Variant SKU', 'open,"Open,1.00,OPEN');
    expect([status, (body as unknown as { code: string }).code]).toEqual([400, 'malformed_request']);
  });

  it('tracks all variants of a product if one is tracked, and warns of the others', async () => {
    const { body } = await load(
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price',
      'tracked,Tracked,Size,S,TRACK-S,shopify,1,1.00',
      'tracked,,,M,TRACK-M,,0,1.00',
    );
    expect(body).toMatchObject({ created: 1, failed: 0 });
    expect(body.warnings.map(({ line, code }) => [line, code])).toEqual([[3, 'inventory_tracked']]);
    expect(await availability('tracked')).toEqual(['low_stock', 'out_of_stock']);
  });

  it('tracks variants with 0 units if the file has no column for the tracker, and none if it is empty everywhere', async () => {
    await load(
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price',
      'no-column,No column,Title,Default Title,NOCOL,0,1.00',
    );
    expect(await availability('no-column')).toEqual(['out_of_stock']);
    await load(
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price',
      'untracked,Untracked,Title,Default Title,UNTR,,0,1.00',
    );
    expect(await availability('untracked')).toEqual(['in_stock']);
  });

  it('warns that an untaxed variant needs a tax category', async () => {
    const { body } = await load(
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Taxable,Variant Price',
      'book,Book,Cover,Soft,BOOK-S,TRUE,1.00',
      'book,,,Hard,BOOK-H,FALSE,2.00',
    );
    expect(body).toMatchObject({ created: 1, failed: 0 });
    expect(body.warnings.map(({ line, code }) => [line, code])).toEqual([[3, 'taxable_ignored']]);
    expect(body.warnings[0]?.message).toContain('BOOK-H');
  });
});
