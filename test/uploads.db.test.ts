import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { files } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formOf, imageOf, pngBomb, pngOf, type Uploaded, uploadOf, zipOf } from '../plugins/workspace/test/upload.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'catalog'] });
});
afterAll(() => shop?.stop());

const stored = async (key: string): Promise<Buffer> => readFile(join(shop.prepared.dataDir.path, 'files', shop.a.id, key));

describe('images', () => {
  it('are encoded again, upright, without what a camera wrote into them', async () => {
    const photo = await imageOf(40, 20)
      .withExif({ IFD0: { Copyright: 'SECRET OWNER' }, IFD3: { GPSLatitude: '44/1 26/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(photo.includes('SECRET OWNER')).toBe(true);
    const answer = await uploadOf(shop.a.admin, 'image', Buffer.concat([photo, Buffer.from('<script>alert(1)</script>')]), {
      name: '../../evil.php',
      type: 'text/html',
    });
    expect(answer.body, answer.text).toMatchObject({
      contentType: 'image/jpeg',
      width: 20,
      height: 40,
      key: expect.stringMatching(/\.jpg$/),
    });
    const kept = await stored(answer.body.key);
    expect((await sharp(kept).metadata()).exif).toBeUndefined();
    for (const trace of ['SECRET OWNER', '<script>']) expect(kept.includes(trace), trace).toBe(false);
    expect(answer.body.size).toBe(kept.length);
    expect(answer.headers.location).toBe(`http://${shop.a.host}${answer.body.url}`);
    const served = await shop.a.guest.get(answer.body.url as string);
    expect(served.headers).toMatchObject({ 'content-type': 'image/jpeg', 'x-content-type-options': 'nosniff' });
    expect((await shop.b.guest.get(answer.body.url as string)).status).toBe(404);
  });

  it.each([
    ['png', (image: Sharp) => image.png()],
    ['webp', (image: Sharp) => image.webp()],
    ['gif', (image: Sharp) => image.gif()],
    ['avif', (image: Sharp) => image.avif()],
  ])('%s', async (format, encode) => {
    const answer = await uploadOf(shop.a.admin, 'image', await encode(imageOf(12, 8)).toBuffer());
    expect(answer.body, answer.text).toMatchObject({ contentType: `image/${format}`, width: 12, height: 8 });
  });

  it('a file of another type is refused, with any file name', async () => {
    const photo = await imageOf(400, 300).jpeg().toBuffer();
    for (const [what, bytes, code] of [
      ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'type_not_allowed'],
      ['html', Buffer.from('<!doctype html><script>alert(1)</script>'), 'type_not_allowed'],
      ['pdf', Buffer.from('%PDF-1.7\n%\n'), 'type_not_allowed'],
      ['half', photo.subarray(0, photo.length / 2), 'image_broken'],
      ['empty', Buffer.alloc(0), 'required'],
    ] as const) {
      const answer = await uploadOf(shop.a.admin, 'image', bytes, { name: 'photo.png', type: 'image/png' });
      expect(answer.status, `${what} ${answer.text}`).toBe(422);
      expect(answer.body.errors).toMatchObject([{ pointer: '/file', code }]);
    }
  });

  it('a picture of enormous size costs no memory', async () => {
    const bomb = pngBomb(20_000);
    expect((await sharp(bomb, { limitInputPixels: false }).metadata()).width).toBe(20_000);
    let least = Number.POSITIVE_INFINITY;
    // The process is that of other tests too: what they take meanwhile only adds.
    for (let i = 0; i < 5 && least >= 200_000_000; i++) {
      const before = process.memoryUsage.rss();
      const answers = await Promise.all(Array.from({ length: 6 }, () => uploadOf(shop.a.admin, 'image', bomb)));
      for (const answer of answers) expect(answer.body).toMatchObject({ errors: [{ code: 'image_too_large' }] });
      least = Math.min(least, process.memoryUsage.rss() - before);
    }
    expect(least).toBeLessThan(200_000_000);
  });
});

describe('other files', () => {
  it('are detected by content; files that a browser would execute are refused', async () => {
    const text = await uploadOf(shop.a.admin, 'document', Buffer.from('Mărimi: S, M, L'), {
      name: 'sizes.html',
      type: 'text/html',
    });
    expect(text.body, text.text).toMatchObject({ contentType: 'text/plain', width: null, key: expect.stringMatching(/\.txt$/) });
    const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n');
    expect((await uploadOf(shop.a.admin, 'document', pdf, { name: 'x.txt' })).body).toMatchObject({
      contentType: 'application/pdf',
    });
    for (const bytes of ['<html><script>alert(1)</script>', ' \n<?xml version="1.0"?><svg/>', '\u0000binary\u0001'])
      expect((await uploadOf(shop.a.admin, 'document', Buffer.from(bytes), { type: 'application/pdf' })).status).toBe(422);
  });

  it('archives are kept as they are: a bomb is not unpacked, and a path in it leads nowhere', async () => {
    const zeros = Buffer.alloc(150 * 1024 * 1024);
    const names = ['../../slip.txt', '/tmp/storeloom-slip.txt', '..\\..\\slip.txt', 'C:\\slip.txt'];
    const slip = zipOf(names.map((name) => [name, Buffer.from('slipped')]));
    const bombs = [
      zipOf([['zeros', zeros]]),
      zipOf([['[Content_Types].xml', zeros]]),
      zipOf([['mimetype', zeros]]),
      zipOf([
        ['META-INF/MANIFEST.MF', Buffer.from('x')],
        ['[Content_Types].xml', zeros],
      ]),
      gzipSync(zeros),
      gzipSync(gzipSync(zeros)),
    ];
    // Buffers, into which anything is unpacked first: of this thread alone, while other tests run beside it.
    const before = process.memoryUsage().external;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().external);
    });
    for (const bomb of bombs) {
      expect([201, 422]).toContain((await uploadOf(shop.a.admin, 'document', bomb, { name: 'x.docx' })).status);
      expect((await uploadOf(shop.a.admin, 'digital', bomb, { name: 'x.zip' })).body).toMatchObject({ size: bomb.length });
      expect((await uploadOf(shop.a.admin, 'import', bomb, { name: 'x.csv', type: 'text/csv' })).status).toBe(422);
      expect((await uploadOf(shop.a.admin, 'image', bomb)).status).toBe(422);
    }
    clearInterval(watch);
    console.info(
      `archives: ${bombs.length} bombs of 150 MB in ${bombs.length * 4} uploads, ${((most - before) / 1e6).toFixed(0)} MB more memory`,
    );
    expect(most - before).toBeLessThan(120_000_000);
    const kept = await uploadOf(shop.a.admin, 'document', slip, { name: '../../../../tmp/storeloom-slip.zip' });
    expect(kept.body, kept.text).toMatchObject({ contentType: 'application/zip', key: expect.stringMatching(/^[\w-]+\.zip$/) });
    expect(await stored(kept.body.key)).toEqual(slip);
    const everything = readdirSync(shop.prepared.dataDir.path, { recursive: true, encoding: 'utf8' });
    expect(everything.filter((name) => name.includes('slip'))).toEqual([]);
    for (const name of ['storeloom-slip.txt', 'storeloom-slip.zip', 'slip.txt'])
      expect(existsSync(join(tmpdir(), name))).toBe(false);
  });

  it('digital goods and imports are not public', async () => {
    const digital = await uploadOf(shop.a.admin, 'digital', Buffer.from('<html>a book</html>'), {
      name: 'book.html',
      type: 'text/html',
    });
    expect(digital.body).toMatchObject({ url: null, contentType: 'application/octet-stream' });
    expect((await shop.a.guest.get(`/files/${digital.body.key}`)).status).toBe(404);
    expect(await shop.a.run('workspace', (ctx) => ctx.require(files).find(digital.body.key))).toMatchObject({
      public: false,
      purpose: 'digital',
      name: 'book.bin',
    });
    expect((await uploadOf(shop.a.admin, 'import', Buffer.from('a,b\r\n1,2\r\n'), { type: 'text/csv' })).body).toMatchObject({
      contentType: 'text/csv',
    });
    expect((await uploadOf(shop.a.admin, 'import', await pngOf(2, 2), { type: 'text/csv' })).status).toBe(422);
  });

  it('a form that can not be read is said to be one', async () => {
    const call = (raw: { content: Buffer; type: string }) => shop.a.admin.call<Uploaded>('POST', '/api/admin/uploads/', { raw });
    const png = await pngOf(2, 2);
    expect((await call(await formOf(png, {}))).body).toMatchObject({ errors: [{ pointer: '/purpose', code: 'required' }] });
    expect((await call(await formOf(png, { purpose: 'backup' }))).status).toBe(422);
    expect((await call(await formOf(png, { purpose: 'image', tenantId: 'x' }))).body).toMatchObject({ code: 'unknown_field' });
    const form = await formOf(png, { purpose: 'image' });
    expect((await call({ ...form, type: 'multipart/form-data' })).status).toBe(400);
    expect((await call({ ...form, content: form.content.subarray(0, form.content.length - 60) })).status).toBe(400);
    expect((await call({ ...form, type: 'application/json' })).status).toBe(415);
    expect((await call({ type: form.type, content: Buffer.alloc(21 * 1024 * 1024) })).status).toBe(413);
    expect((await call(await formOf(Buffer.alloc(20 * 1024 * 1024 + 1), { purpose: 'document' }))).status).toBe(413);
  });
});

describe('removing', () => {
  const remove = (key: string, client = shop.a.admin) => client.delete(`/api/admin/uploads/?key=${encodeURIComponent(key)}`);
  it('is refused while the file is in use', async () => {
    const { key, url } = (await uploadOf(shop.a.admin, 'image', await pngOf(4, 4))).body;
    const product = await shop.a.admin.post<{ id: string }>('/api/admin/products/', { title: 'Tea', images: [{ url }] });
    expect(product.status, product.text).toBe(201);
    await shop.a.admin.put('/api/admin/branding/', { logo: key });
    const page = await shop.a.admin.post<{ id: string }>('/api/admin/pages/', {
      title: 'About',
      body: `<p>Us</p><img src="${url}" alt="">`,
    });
    expect(page.status, page.text).toBe(201);
    expect((await remove(key)).body).toMatchObject({ code: 'in_use', counts: { products: 1, branding: 1, pages: 1 } });
    await shop.a.admin.delete(`/api/admin/pages/${page.body.id}`);
    await shop.a.admin.put('/api/admin/branding/', {});
    await shop.a.admin.patch(`/api/admin/products/${product.body.id}`, { images: [] });
    expect((await remove(key, shop.b.admin)).status).toBe(404);
    expect((await remove(key)).status).toBe(204);
    expect((await remove(key)).status).toBe(404);
    expect((await shop.a.guest.get(url as string)).status).toBe(404);
    expect(await readdir(join(shop.prepared.dataDir.path, 'files', shop.a.id))).not.toContain(key);
  });

  it('reaches uploads only', async () => {
    const kept = await shop.a.run('workspace', (ctx) =>
      ctx
        .require(files)
        .put(Buffer.from('invoice'), { name: 'i.pdf', contentType: 'application/pdf', public: false, purpose: 'invoice' }),
    );
    for (const key of [kept.key, '..%2f..%2fetc', '../../secrets.json', ''])
      expect([404, 422]).toContain((await remove(key)).status);
    expect((await shop.a.admin.delete('/api/admin/uploads/')).status).toBe(422);
  });
});

describe('a form of one’s own', () => {
  const presign = (body: object, client = shop.a.admin) =>
    client.post<{ url: string; fields: Record<string, string>; key: string; expiresAt: string; code: string }>(
      '/api/admin/uploads/presign',
      {
        filename: 'photo.png',
        contentType: 'image/png',
        purpose: 'image',
        ...body,
      },
    );
  const send = async (form: { url: string; fields: Record<string, string> }, file: Buffer) =>
    shop.a.guest.call<Uploaded>('POST', form.url, { raw: await formOf(file, form.fields) });

  it('takes the announced file once, checked like any other', async () => {
    const png = await pngOf(6, 6);
    const form = (await presign({ size: png.length })).body;
    expect(Date.parse(form.expiresAt) - shop.clock.ms()).toBeLessThanOrEqual(15 * 60_000);
    expect((await send(form, Buffer.concat([png, Buffer.from('x')]))).status).toBe(422);
    expect((await send({ ...form, fields: { ticket: `${form.fields.ticket}x` } }, png)).status).toBe(401);
    expect((await send({ ...form, fields: {} }, png)).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(form, png)));
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 409, 410]).toContain(status);
    expect((await send(form, png)).body).toMatchObject({ code: 'expired' });
    expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({
      key: form.key,
      url: `/files/${form.key}`,
      width: 6,
    });
  });

  it('is good for a quarter of an hour, and only for what it says', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    expect((await send((await presign({ size: svg.length })).body, svg)).status).toBe(422);
    expect((await presign({ size: 21 * 1024 * 1024 })).status).toBe(413);
    expect((await presign({ size: 0 })).status).toBe(422);
    expect((await presign({ size: 10, contentType: 'image/png\r\nx: y' })).status).toBe(422);
    const png = await pngOf(3, 3);
    const form = (await presign({ size: png.length })).body;
    shop.clock.advance(16 * 60_000);
    try {
      expect((await send(form, png)).body).toMatchObject({ code: 'expired' });
    } finally {
      shop.clock.advance(-16 * 60_000);
    }
  });

  it('is refused before the file is sent, if its ticket is missing, false or expired', async () => {
    const png = await pngOf(3, 3);
    const { ticket = '' } = (await presign({ size: png.length })).body.fields;
    const part = (name: string, value: string): string =>
      `--form\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? '; filename="a.png"' : ''}\r\n\r\n${value}`;
    /** Announces 60 MB, sends the fields and 100 kB of the file, and waits for the response. */
    const begin = (fields: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(new URL(shop.a.guest.base).port), '127.0.0.1');
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        socket.on('close', () => resolve(text));
        socket.setTimeout(10_000, () => reject(new Error(`no response: ${text}`)));
        socket.write(
          `POST /api/uploads/direct HTTP/1.1\r\nHost: ${shop.a.host}\r\nContent-Type: multipart/form-data; boundary=form\r\nContent-Length: 60000000\r\n\r\n${fields}${part('file', 'x'.repeat(100_000))}`,
        );
      });
    const stored = (): number => readdirSync(tmpdir()).filter((name) => name.startsWith('storeloom-upload-')).length;
    const before = stored();
    for (const fields of ['', part('ticket', 'false\r\n'), part('ticket', `${ticket}x\r\n`)])
      expect(await begin(fields)).toMatch(/^HTTP\/1\.1 401 /);
    // More than what was announced.
    expect(await begin(part('ticket', `${ticket}\r\n`))).toMatch(/^HTTP\/1\.1 422 /);
    shop.clock.advance(16 * 60_000);
    try {
      expect(await begin(part('ticket', `${ticket}\r\n`))).toMatch(/^HTTP\/1\.1 410 /);
    } finally {
      shop.clock.advance(-16 * 60_000);
    }
    expect(stored()).toBe(before);
  });

  it('needs the permission to upload', async () => {
    const clerk = await shop.a.staff(['workspace.upload.delete']);
    expect((await presign({ size: 10 }, clerk)).status).toBe(403);
    expect((await uploadOf(clerk, 'image', await pngOf(2, 2))).status).toBe(403);
  });
});

describe('the storage of the plan', () => {
  it('is not exceeded by concurrent uploads', async () => {
    const used = async (): Promise<number> =>
      (
        await shop.rows<{ mb: number }>(
          'select ceil(coalesce(sum(size), 0) / 1048576.0)::int as mb from core_file where tenant_id = $1',
          [shop.a.id],
        )
      )[0]?.mb ?? 0;
    const limit = (await used()) + 2;
    await shop.rows(
      "insert into core_plan (id, code, name, plugins, limits, created_at, updated_at) values (gen_random_uuid(), 'small', 'Small', '[\"*\"]', $1::jsonb, now(), now())",
      [JSON.stringify({ storageMb: limit })],
    );
    await shop.rows(
      "update core_tenant set plan_id = (select id from core_plan where code = 'small'), revision = revision + 1 where id = $1",
      [shop.a.id],
    );
    // Other processes would be notified; this one drops its cache with the next change of the shop.
    await shop.a.admin.put('/api/admin/settings/store', { regNo: 'J1' });
    const megabyte = Buffer.alloc(1_048_000, 'a');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => uploadOf(shop.a.admin, 'document', megabyte, { type: 'text/plain' })),
    );
    const statuses = answers.map(({ status }) => status);
    // Six would be too many, however the rest of a megabyte is counted.
    expect(new Set(statuses)).toEqual(new Set([201, 402]));
    expect(await used()).toBeLessThanOrEqual(limit);
    const { data } = (
      await shop.a.admin.get<{ data: { resource: string; limit: number; used: number }[] }>(
        `/api/admin/tenant-quotas/${shop.a.id}`,
      )
    ).body;
    expect(data).toContainEqual(expect.objectContaining({ resource: 'storageMb', limit, used: await used() }));
  });
});
