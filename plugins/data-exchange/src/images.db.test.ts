import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Report {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  warnings: { line: number | null; code: string; message: string }[];
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('images of an import', () => {
  let shop: TestShop;
  let server: Server;
  let base: string;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['catalog', 'data-exchange'] });
    server = createServer((req, res) => {
      setTimeout(() => {
        res.statusCode = req.url?.startsWith('/gone') ? 404 : 200;
        res.end(png);
      }, 150);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server?.close();
    await shop?.stop();
  });
  const load = (rows: string[]) =>
    shop.a.admin.call<Report>('POST', '/api/admin/import/products?format=shopify', {
      raw: { content: rows.join('\n'), type: 'text/csv' },
    });
  const imagesOf = async (slug: string): Promise<string[]> => {
    const { body } = await shop.a.guest.get<{ images: { url: string }[] }>(`/api/storefront/products/${slug}`);
    return body.images.map(({ url }) => url);
  };

  it('fetches each of 41 images of a slow server, names each failure, and changes nothing the second time', async () => {
    const rows = ['Handle,Title,Variant Price,Variant SKU,Image Src'];
    for (let i = 0; i < 41; i++)
      rows.push(`slow-${i},Slow ${i},1.00,SLOW-${i},${base}/${i === 7 || i === 30 ? 'gone' : 'image'}-${i}.png`);
    const first = await load(rows);
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({ created: 41, failed: 0 });
    expect(first.body.warnings.map(({ code, message }) => [code, message.split(': ')[0]])).toEqual([
      ['image_not_fetched', `${base}/gone-7.png`],
      ['image_not_fetched', `${base}/gone-30.png`],
    ]);
    for (let i = 0; i < 41; i++) {
      const [url] = await imagesOf(`slow-${i}`);
      if (i === 7 || i === 30) expect(url).toBe(`${base}/gone-${i}.png`);
      else expect(url, `image ${i}`).toMatch(/^\/files\//);
    }
    expect((await load(rows)).body).toMatchObject({ created: 0, updated: 0, unchanged: 41, failed: 0 });
  }, 60_000);

  it('imports a product without images whose addresses are scripts, data or local files, and warns of each', async () => {
    const sources = [
      'javascript:alert(1)',
      '"data:text/html,<script>alert(1)</script>"',
      'file:///etc/passwd',
      '//evil.test/x.png',
    ];
    const rows = [
      'Handle,Title,Variant Price,Variant SKU,Image Src,Variant Image',
      `bad,Bad images,1.00,BAD-1,${sources[0]},`,
      ...sources.slice(1).map((source) => `bad,,,,${source},`),
      'bad,,,,,vbscript:x',
      'bad,,,,/files/kept.png,',
    ];
    const { status, body, text } = await load(rows);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ created: 1, failed: 0 });
    expect(body.warnings.map(({ line, code }) => [line, code])).toEqual([
      [2, 'image_invalid'],
      [3, 'image_invalid'],
      [4, 'image_invalid'],
      [5, 'image_invalid'],
      [6, 'image_invalid'],
    ]);
    expect(await imagesOf('bad')).toEqual(['/files/kept.png']);
    const json = [
      {
        slug: 'bad-json',
        title: 'Bad',
        status: 'active',
        images: [{ url: 'javascript:alert(1)' }],
        variants: [{ sku: 'BAD-J', price: { amount: 100, currency: 'RON' } }],
      },
    ];
    const asJson = await shop.a.admin.call<Report>('POST', '/api/admin/import/products', {
      raw: { content: JSON.stringify(json), type: 'application/json' },
    });
    expect(asJson.body.warnings.map(({ line, code }) => [line, code])).toEqual([[1, 'image_invalid']]);
    expect(await imagesOf('bad-json')).toEqual([]);
    const stored = await shop.rows<{ images: string }>(
      "select images::text as images from catalog_product where slug like 'bad%'",
    );
    for (const { images } of stored) expect(images).not.toMatch(/script|data:|file:|evil/);
  });

  it('keeps the image of each variant through import, repetition, export and import into another shop', async () => {
    const rows = [
      'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant SKU,Image Src,Variant Image',
      `hat,Hat,Color,Red,1.00,HAT-R,${base}/image-hat.png,${base}/image-red.png`,
      `hat,,,Blue,1.00,HAT-B,,${base}/image-blue.png`,
      'hat,,,Green,1.00,HAT-G,,',
    ];
    const first = await load(rows);
    expect(first.body, first.text).toMatchObject({ created: 1, failed: 0, warnings: [] });
    const variantImages = async (tenant: TestTenant) => {
      const { body } = await tenant.guest.get<{ variants: { sku: string; image: { url: string } | null }[] }>(
        '/api/storefront/products/hat',
      );
      return Object.fromEntries(body.variants.map(({ sku, image }) => [sku, image?.url ?? null]));
    };
    const stored = await variantImages(shop.a);
    const [, red, blue] = (await imagesOf('hat')) as [string, string, string];
    expect(stored).toEqual({ 'HAT-R': red, 'HAT-B': blue, 'HAT-G': null });
    expect(red).toMatch(/^\/files\//);
    expect((await load(rows)).body).toMatchObject({ created: 0, updated: 0, unchanged: 1, failed: 0 });
    const file = (await shop.a.admin.get('/api/admin/export/products.csv')).text;
    expect(file.split('\n')[0]).toContain('variantImage');
    const into = (tenant: TestTenant, content: string) =>
      tenant.admin.call<Report>('POST', '/api/admin/import/products', { raw: { content, type: 'text/csv' } });
    expect((await into(shop.b, file)).body).toMatchObject({ failed: 0 });
    expect(await variantImages(shop.b)).toEqual(stored);
    const wrong = file.replaceAll(red, '/files/unknown.png').replace('/files/unknown.png', red);
    // The product is refused with all its rows.
    const refused = await into(shop.b, wrong);
    expect([refused.body.failed, refused.text]).toEqual([3, expect.stringContaining('unknown_image')]);
    expect(await variantImages(shop.b)).toEqual(stored);
  });
});
