import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { type Ctx, type FileReply, files, type JobData } from '@storeloom/plugin-sdk';
import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataExchange } from './contract.ts';
import { exportProducts } from './export.ts';
import { fetchImages, imagesJob } from './images.ts';
import { importJob, importRun, limits } from './import-products.ts';
import plugin from './index.ts';
import { queued } from './queued.ts';
import { batchLimits } from './run-import.ts';

contractTest(plugin, { plugins: ['catalog'] });

interface Report {
  status: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string; code: string }[];
  warnings: { code: string; message: string }[];
}

const header =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Barcode,Image Src,Image Position,Image Alt Text';
const shirt = [
  'linen-shirt,Linen shirt,<p>Cool on the <b>skin</b></p><script>x</script>,Atelier,Clothing > Shirts,"linen, summer",true,Size,S,Colour,White,SH-S-W,240,shopify,5,deny,199.00,249.00,true,,https://images.invalid/shirt.jpg,1,White shirt',
  'linen-shirt,,,,,,,,M,,White,,240,shopify,7,deny,199.00,,true,,,,',
  'linen-shirt,,,,,,,,L,,White,SH-L-W,240,shopify,x,deny,199.00,,true,,,,',
  'linen-shirt,,,,,,,,XL,,White,SH-XL-W,240,shopify,0,deny,12.345,,true,,,,',
];
const mug = 'mug,Mug,,Atelier,Kitchen,,true,Title,Default Title,,,,300,,2,continue,"1,299.50",,true,,,,';

/** Rows that make a file long. What a job does differently from a request doesn't depend on how many there are. */
const usual = limits.atOnce;
const atOnce = process.env.STORELOOM_NIGHTLY === '1' ? usual : 250;

describe('import and export', () => {
  let shop: TestShop;
  beforeAll(async () => {
    limits.atOnce = atOnce;
    shop = await testShop({ plugins: ['catalog', 'data-exchange'] });
  });
  afterAll(async () => {
    limits.atOnce = usual;
    await shop?.stop();
  });
  const load = (content: string, query = 'format=shopify', type = 'text/csv') =>
    shop.a.admin.call<Report>('POST', `/api/admin/import/products?${query}`, { raw: { content, type } });

  it('takes the good rows, names the bad ones, and changes nothing the second time', async () => {
    const csv = `\uFEFF${[header, ...shirt, mug, ',No handle', 'poor,Poor,,,,,true,Title,Default Title,,,,,,,deny,,,true,,,,'].join('\r\n')}\r\n`;
    const rehearsed = await load(csv, 'format=shopify&dryRun=true');
    expect(rehearsed.body).toMatchObject({ created: 2, failed: 4 });
    expect((await shop.a.admin.get<{ data: object[] }>('/api/admin/products/')).body.data).toEqual([]);
    const first = await load(csv);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      status: 'completed_with_errors',
      rows: 7,
      created: 2,
      updated: 0,
      unchanged: 0,
      failed: 4,
    });
    expect(first.body.errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [4, 'Variant Inventory Qty', 'invalid'],
      [5, 'Variant Price', 'money_invalid'],
      [7, 'Handle', 'required'],
      [8, 'Variant Price', 'required'],
    ]);
    expect(first.body.warnings.map((warning) => warning.code)).toEqual(['image_not_fetched']);
    const again = await load(csv);
    expect(again.body).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    const list = await shop.a.admin.get<{ data: { id: string; slug: string }[] }>('/api/admin/products/?sort=title');
    expect(list.body.data.map((product) => product.slug).sort()).toEqual(['linen-shirt', 'mug']);
    const id = list.body.data.find((product) => product.slug === 'linen-shirt')?.id;
    const detail = await shop.a.admin.get<{ description: { ro: string }; variants: { sku: string; price: object }[] }>(
      `/api/admin/products/${id}`,
    );
    expect(detail.body.description.ro).toBe('<p>Cool on the <b>skin</b></p>');
    expect(detail.body.variants.map((variant) => variant.sku)).toEqual(['SH-S-W', 'linen-shirt-2']);
    expect((await shop.b.admin.get<{ data: object[] }>('/api/admin/products/')).body.data).toEqual([]);
  });

  it('exports what an import reads back unchanged, with formulas disarmed', async () => {
    const evil = 'evil,"=HYPERLINK(""x"")",,Atelier,,,true,Title,Default Title,,,EVIL-1,,,,deny,5.00,,true,,,,';
    await load([header, evil].join('\n'));
    const exported = await shop.a.admin.get('/api/admin/export/products.csv');
    expect(exported.headers['content-type']).toContain('text/csv');
    expect(exported.text.startsWith('slug,status,type,title[ro],title[en],')).toBe(true);
    expect(exported.text).toContain(`"'=HYPERLINK(""x"")"`);
    expect(exported.text.split('\r\n').length).toBeGreaterThan(4);
    const back = await load(exported.text, 'format=native');
    expect(back.body).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 0 });
    expect((await shop.a.admin.get('/api/admin/export/products.csv')).text).toBe(exported.text);
  });

  it('refuses what is no such file, and unknown filters', async () => {
    expect((await load('a,b\n1,2')).status).toBe(422);
    expect((await load('"broken')).status).toBe(400);
    const faultOf = async (content: string | Buffer, format = 'native', type = 'text/csv') => {
      const raw = { content, type };
      const answer = await shop.a.admin.call<{ code: string; detail: string }>(
        'POST',
        `/api/admin/import/products?format=${format}`,
        { raw },
      );
      return [answer.status, answer.body.code, answer.body.detail];
    };
    const noText = [400, 'malformed_request', expect.stringContaining('NUL')];
    for (const format of ['native', 'shopify']) {
      expect(await faultOf('', format)).toEqual([400, 'malformed_request', 'The file has no header row.']);
      expect(await faultOf('\n\n', format)).toEqual([400, 'malformed_request', 'The file has no header row.']);
      expect(await faultOf(Buffer.alloc(1000), format)).toEqual(noText);
      expect(await faultOf(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), format)).toEqual([
        400,
        'malformed_request',
        'The file is not valid UTF-8.',
      ]);
    }
    expect(await faultOf('slug,sku,price\nmug,MUG\0,5')).toEqual(noText);
    // A header alone has to be one of the format, too; with one, a file without rows changes nothing.
    expect(await faultOf('%PDF-1.7')).toEqual([422, 'validation_failed', expect.stringContaining('slug, sku, price')]);
    expect((await load('slug,sku,price', 'format=native')).body).toMatchObject({ status: 'completed', rows: 0 });
    expect((await load('{', 'format=native', 'application/json')).status).toBe(400);
    expect((await load('{}', 'format=native', 'application/json')).status).toBe(422);
    expect((await load('x', 'format=other')).body).toMatchObject({ code: 'invalid_parameter' });
    expect(
      (
        await shop.a.admin.call('POST', '/api/admin/import/products', {
          raw: { content: Buffer.from([0xff, 0xfe, 0x00]), type: 'text/csv' },
        })
      ).status,
    ).toBe(400);
    expect((await shop.a.admin.get('/api/admin/export/products.csv?nothing=1')).body.code).toBe('invalid_parameter');
    expect((await shop.a.guest.get('/api/admin/export/products.csv')).status).toBe(401);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'an option called %s is refused by its row, in every format',
    async (name) => {
      const shopify = `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\nodd,Odd,${name},S,ODD-S,10\nodd,,,M,ODD-M,10\nodd-none,Odd,,,ODD-N,10`;
      const own = `slug,title,option1Name,option1Value,sku,price\nodd,Odd,${name},S,ODD-S,10\nodd,,,M,ODD-M,10\nodd-none,Odd,,,ODD-N,10`;
      const json = `[{"slug":"odd","title":"Odd","options":[{"name":"${name}","values":["S"]}],"variants":[{"sku":"ODD-S","price":{"amount":1000,"currency":"RON"},"optionValues":{"${name}":"S"}}]}]`;
      for (const [content, query, type, created] of [
        [shopify, 'format=shopify&dryRun=true', 'text/csv', 1],
        [own, 'format=native&dryRun=true', 'text/csv', 1],
        [json, 'dryRun=true', 'application/json', 0],
      ] as const) {
        const { status, text, body } = await load(content, query, type);
        expect(status, text).toBe(200);
        expect(body, text).toMatchObject({ created });
        expect(body.failed, text).toBeGreaterThan(0);
        expect(body.errors.length, text).toBeGreaterThan(0);
        expect(
          body.errors.map(({ line }) => line).every((line) => line <= 3),
          text,
        ).toBe(true);
        expect(text).toContain(`an option can't be called ${name}`);
      }
    },
  );

  it('takes JSON, and a form with one file', async () => {
    const product = {
      slug: 'lamp',
      title: { ro: 'Lampă', en: 'Lamp' },
      description: '<p>Sare & piper</p><script>x()</script>',
      // Plain text, as staff write it: nothing of it is HTML.
      shortDescription: 'Sare & piper < 5 kg',
      status: 'active',
      variants: [{ sku: 'LAMP', price: { amount: 9900, currency: 'RON' } }],
    };
    const report = await load(JSON.stringify([product, { slug: 'x' }]), 'format=native', 'application/json');
    expect(report.body).toMatchObject({ rows: 2, created: 1, failed: 1 });
    expect((await shop.a.guest.get('/api/storefront/products/lamp')).body).toMatchObject({
      description: '<p>Sare &amp; piper</p>',
      shortDescription: 'Sare & piper < 5 kg',
    });
    const boundary = 'xxBOUNDARYxx';
    const form = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\nContent-Type: text/csv\r\n\r\n${[header, mug].join('\n')}\r\n--${boundary}--\r\n`;
    expect((await load(form, 'format=shopify', `multipart/form-data; boundary=${boundary}`)).body).toMatchObject({
      unchanged: 1,
    });
    expect((await load(`--${boundary}--\r\n`, 'format=shopify', `multipart/form-data; boundary=${boundary}`)).status).toBe(422);
  });

  it('releases its connection when the client disconnects', async () => {
    // Longer than what the streams hold, and more often than the pool has connections.
    const long = 'x'.repeat(9000);
    const rows = Array.from(
      { length: 40 },
      (_, i) => `long-${i},Long ${i},${long},,,,true,Title,Default Title,,,LONG-${i},,,,deny,1.00,,true,,,,`,
    );
    expect((await load([header, ...rows].join('\n'))).body).toMatchObject({ created: 40 });
    for (let i = 0; i < 15; i++) {
      const reply = await shop.a.run(
        'data-exchange',
        (ctx) => exportProducts.handler(ctx as never, { query: { bom: false, filter: {} } } as never) as Promise<FileReply>,
        { transaction: 'none' },
      );
      const content = reply.content as Readable;
      // Also when the client has read a part and waits.
      if (i % 2 === 0) await once(content, 'readable');
      content.destroy();
    }
    expect((await shop.a.admin.get('/api/admin/products/?limit=1')).status).toBe(200);
    const whole = await shop.a.admin.get('/api/admin/export/products.csv');
    expect(whole.text.split(long).length).toBeGreaterThan(40);
  });

  const notes = async (type: string) =>
    (
      await shop.a.admin.get<{ data: { type: string; body: { en: string } }[] }>('/api/admin/notifications/?limit=100')
    ).body.data.filter((note) => note.type === type);
  /** A context whose transactions fail like a database would, where `when` says so. */
  const failing = (ctx: Ctx, when: (options?: { readOnly?: boolean }) => boolean): Ctx =>
    Object.create(ctx, {
      transaction: {
        value: (fn: never, options?: { readOnly?: boolean }) =>
          when(options)
            ? Promise.reject(Object.assign(new Error('secret text of the driver'), { code: '57P01' }))
            : ctx.transaction(fn, options),
      },
    }) as Ctx;
  interface Run {
    status: string;
    attempts: number;
    report: Report | null;
  }
  const runOf = async (id: unknown) =>
    (await shop.rows<Run>('select status, attempts, report from data_exchange_import where id = $1', [id]))[0];

  it('ends a long import of a file that is refused', async () => {
    const long = ['a,b', ...Array.from({ length: atOnce + 1 }, () => '1,2')].join('\n');
    // Immediately, if the header shows it; otherwise the queued import fails.
    expect((await load(long)).status).toBe(422);
    const { id } = await shop.a.run('data-exchange', async (ctx) => {
      const kept = { name: 'import.csv', contentType: 'text/csv', public: false, purpose: 'import' } as const;
      const { key } = await ctx.require(files).put(Buffer.from(long), kept);
      const options = {
        kind: 'csv',
        format: 'shopify',
        mode: 'upsert',
        dryRun: false,
        decimalComma: false,
        stock: 'new',
      } as const;
      const row = await ctx.rows(importRun).insert({ status: 'queued', file: key, options });
      await ctx.enqueue(queued.import, { id: row.id });
      return row;
    });
    await shop.settled();
    const run = await runOf(id);
    expect(run).toMatchObject({ status: 'failed', attempts: 1, report: { status: 'failed', created: 0 } });
    expect(run?.report?.errors).toMatchObject([{ line: 1, code: 'validation_failed' }]);
    expect(await notes('import_failed')).toHaveLength(1);
  });

  it('tries a long import again, and gives it up in the end', async () => {
    const row = await shop.a.run('data-exchange', (ctx) =>
      ctx.rows(importRun).insert({
        status: 'queued',
        file: 'none',
        options: { kind: 'csv', format: 'shopify', mode: 'upsert', dryRun: false, decimalComma: false, stock: 'new' },
      }),
    );
    const attempt = () =>
      shop.a.run(
        'data-exchange',
        (ctx) =>
          importJob.run(
            failing(ctx, (options) => options?.readOnly === true),
            { id: row.id },
          ),
        {
          transaction: 'none',
        },
      );
    for (const attempts of [1, 2]) {
      await expect(attempt()).rejects.toThrow('secret');
      expect(await runOf(row.id)).toMatchObject({ status: 'running', attempts });
    }
    await attempt();
    const run = await runOf(row.id);
    expect(run).toMatchObject({ status: 'failed', attempts: 3, report: { errors: [{ code: 'unavailable' }] } });
    expect(JSON.stringify(run)).not.toContain('secret');
    expect(await notes('import_failed')).toHaveLength(2);
  });

  it('goes on behind what an attempt has written before it broke off: nothing of its own is a duplicate', async () => {
    const rows = Array.from(
      { length: 60 },
      (_, i) => `again-${i},Again ${i},,,,,true,Title,Default Title,,,AGAIN-${i},,,,deny,1.00,,true,,,,`,
    );
    // One that was there before is one.
    expect((await load([header, rows[0]].join('\n'))).body).toMatchObject({ created: 1 });
    const row = await shop.a.run('data-exchange', async (ctx) => {
      const kept = await ctx.require(files).put(Buffer.from([header, ...rows].join('\n')), {
        name: 'import.csv',
        contentType: 'text/csv',
        public: false,
        purpose: 'import',
      });
      const options = {
        kind: 'csv',
        format: 'shopify',
        mode: 'create',
        dryRun: false,
        decimalComma: false,
        stock: 'new',
      } as const;
      return ctx.rows(importRun).insert({ status: 'queued', file: kept.key, options });
    });
    let transactions = 0;
    const usualBatch = batchLimits.products;
    batchLimits.products = 25;
    const attempt = (fails: number) =>
      shop.a.run(
        'data-exchange',
        (ctx) =>
          importJob.run(
            failing(ctx, () => ++transactions === fails),
            { id: row.id },
          ),
        {
          transaction: 'none',
        },
      );
    // Status, file, the first batch; the second breaks off.
    await expect(attempt(4)).rejects.toThrow('secret');
    expect(await runOf(row.id)).toMatchObject({ status: 'running', report: { created: 24, errors: [{ code: 'duplicate' }] } });
    await attempt(-1);
    const run = await runOf(row.id);
    batchLimits.products = usualBatch;
    expect(run).toMatchObject({ status: 'completed_with_errors', attempts: 2, report: { rows: 60, created: 59, failed: 1 } });
    expect(run?.report?.errors).toMatchObject([{ line: 2, code: 'duplicate' }]);
  });

  it('repeats a batch that met a deadlock, and counts it once', async () => {
    const rows = [
      ',No handle',
      'dead-a,Dead A,,,,,true,Title,Default Title,,,DEAD-A,,,,deny,1.00,,true,,,,',
      'dead-b,Dead B,,,,,true,Title,Default Title,,,DEAD-B,,,,deny,1.00,,true,,https://images.invalid/b.jpg,1,',
      'dead-c,Dead C,,,,,true,Title,Default Title,,,DEAD-C,,,,deny,,,true,,,,',
    ];
    let calls = 0;
    const report = await shop.a.run(
      'data-exchange',
      (ctx) =>
        ctx.require(dataExchange).importProducts(Buffer.from([header, ...rows].join('\n')), {
          format: 'shopify',
          image: async () => {
            if (++calls === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
            return null;
          },
        }),
      { transaction: 'none' },
    );
    expect(calls).toBe(2);
    expect(report).toMatchObject({ rows: 4, created: 2, failed: 2 });
    expect(report.errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'required'],
      [5, 'required'],
    ]);
  });

  it('asks again for images that may still come, and tells of those that are missing', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    // Behind the last byte of a picture anything may stand.
    const png = Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from('<script>alert(1)</script>')]);
    const asked = new Map<string, number>();
    const server = createServer((req, res) => {
      const times = (asked.get(req.url ?? '') ?? 0) + 1;
      asked.set(req.url ?? '', times);
      res.statusCode = req.url === '/gone.png' ? 404 : req.url === '/late.png' && times === 1 ? 503 : 200;
      res.end(req.url === '/fake.png' ? Buffer.concat([png.subarray(0, 8), Buffer.alloc(32)]) : png);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const kept = async (path: string) =>
      (await shop.rows('select 1 from data_exchange_image where source = $1', [base + path])).length;
    const job = (data: JobData<typeof queued.images>) =>
      shop.a.run('data-exchange', (ctx) => imagesJob.run(ctx, data), { transaction: 'none' });
    try {
      await job({ sources: [`${base}/late.png`, `${base}/gone.png`] });
      const [next] = await shop.rows<{ data: JobData<typeof queued.images> }>(
        "select data -> 'data' as data from jobs.job where data ->> 'name' = 'images' and start_after > now()",
      );
      expect(next?.data).toEqual({ sources: [`${base}/late.png`], userId: null, attempt: 2, lost: 1 });
      expect([await kept('/late.png'), await notes('import_images_missing')]).toEqual([0, []]);
      await job(next?.data ?? { sources: [] });
      expect(await kept('/late.png')).toBe(1);
      expect(asked.get('/gone.png')).toBe(1);
      expect((await notes('import_images_missing')).map((note) => note.body.en)).toEqual(['1 images could not be fetched.']);

      // What is wrong on this side is no fault of the image: the job gets it, and the report says nothing of the database.
      let transactions = 0;
      const warnings = await shop.a.run(
        'data-exchange',
        (ctx) =>
          fetchImages(
            failing(ctx, () => ++transactions === 1),
            [`${base}/mine.png`],
            5000,
            null,
          ),
        { transaction: 'none' },
      );
      expect(warnings).toEqual([{ line: null, code: 'image_later', message: `${base}/mine.png: is being fetched` }]);
      await shop.settled();
      expect(await kept('/mine.png')).toBe(1);

      // Kept as an upload is: encoded again, what only begins like a picture refused.
      await job({ sources: [`${base}/fake.png`] });
      expect(await kept('/fake.png')).toBe(0);
      const [{ url }] = (await shop.rows<{ url: string }>('select url from data_exchange_image where source = $1', [
        `${base}/mine.png`,
      ])) as [{ url: string }];
      const served = await shop.a.guest.get(url);
      expect([served.status, served.headers['content-type']]).toEqual([200, 'image/png']);
      expect(served.text).not.toContain('script');
    } finally {
      server.close();
    }
  });

  it('exports customers', async () => {
    await shop.a.customer('zoe@a.example');
    const csv = await shop.a.admin.get('/api/admin/export/customers.csv?bom=true');
    expect(csv.text.startsWith('\uFEFFid,email,')).toBe(true);
    expect(csv.text).toContain('zoe@a.example');
  });

  it('refuses form fields, because options belong in the query', async () => {
    const boundary = 'xxBOUNDARYxx';
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\nContent-Type: text/csv\r\n\r\n${header}\nrefused,Refused,,,,,true,Title,Default Title,,,REFUSED-1,,,,deny,1.00,,true,,,,\r\n`;
    for (const form of [part('format', 'shopify') + file, file + part('mode', 'update'), part('mode', 'update')]) {
      const answer = await load(`${form}--${boundary}--\r\n`, 'format=shopify', `multipart/form-data; boundary=${boundary}`);
      expect(answer).toMatchObject({ status: 422, body: { code: 'unknown_field', errors: [{ code: 'unknown_field' }] } });
    }
    expect((await shop.a.admin.get<{ data: object[] }>('/api/admin/products/?q=REFUSED-1')).body.data).toEqual([]);
  });

  it('the notification of a queued import links to the rows that failed', async () => {
    const before = limits.atOnce;
    limits.atOnce = 1;
    try {
      const answer = await load(
        [header, 'linked,Linked,,,,,true,Title,Default Title,,,LINKED-1,,,,deny,1.00,,true,,,,', ',No handle'].join('\n'),
      );
      expect(answer.status).toBe(202);
      const { importId } = answer.body as unknown as { importId: string };
      const path = `/api/admin/import/${importId}`;
      expect((await shop.a.admin.get(path)).status).toBe(200);
      await shop.settled();
      const notes = await shop.a.admin.get<{ data: { link: string }[] }>('/api/admin/notifications/');
      const link = notes.body.data.find((note) => note.link.endsWith(importId))?.link;
      const shown = await shop.a.admin.get<Report>(`/api/admin${link}`);
      expect(shown).toMatchObject({
        status: 200,
        body: { id: importId, status: 'completed_with_errors', rows: 2, created: 1, failed: 1 },
      });
      expect(shown.body.errors).toMatchObject([{ line: 3 }]);
      expect((await shop.b.admin.get(path)).status).toBe(404);
      const staff = await shop.a.staff(['catalog.product.read']);
      expect((await staff.get(path)).status).toBe(403);
    } finally {
      limits.atOnce = before;
    }
  });

  it('imports long files by a job, and reports by a notification', async () => {
    const rows = Array.from(
      { length: atOnce + 100 },
      (_, i) => `bulk-${i},Bulk ${i},,,,,true,Title,Default Title,,,BULK-${i},,,,deny,1.00,,true,,,,`,
    );
    const queued = await load([header, ...rows].join('\n'));
    expect(queued.status).toBe(202);
    // Longer than `settled` waits, on a busy machine.
    const { importId } = queued.body as unknown as { importId: string };
    await expect.poll(async () => (await runOf(importId))?.status, { interval: 250, timeout: 280_000 }).toBe('completed');
    const notes = await shop.a.admin.get<{ data: { type: string; body: { en: string } }[] }>('/api/admin/notifications/');
    expect(notes.body.data.find((note) => note.type === 'import_finished')?.body.en).toBe(
      `${rows.length} + 0 / ${rows.length}, 0 !`,
    );
  });
});
