import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Ctx, Files } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground } from '../../test/background.ts';
import { createFiles, type FileService } from './files.ts';
import { localStore } from './store.ts';

let background: Background;
let dir: string;
let tenantId: string;
let service: FileService;
beforeAll(async () => {
  background = await createBackground();
  dir = await mkdtemp(join(tmpdir(), 'storeloom-files-'));
});
afterAll(async () => {
  await background.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  tenantId = (await background.addTenant()).id;
  service = createFiles({ units: background.units, store: localStore(dir), maxBytes: 1_000_000 });
});

async function inFiles<T>(fn: (files: Files, ctx: Ctx) => Promise<T>, tenant = tenantId): Promise<T> {
  const scope = await background.units.scope(tenant, {
    actor: { type: 'system', reason: 'test' },
    requestId: 'req-12345',
    signal: new AbortController().signal,
  });
  if (!scope) throw new Error('no tenant');
  const ctx = background.units.context('demo', scope);
  return background.units.transaction(scope, () => fn(service.for(ctx), ctx));
}
const onDisk = async (tenant = tenantId): Promise<string[]> => readdir(join(dir, tenant)).catch(() => []);
const png = { name: 'Logo.PNG', contentType: 'image/png', public: true };

describe('storing', () => {
  test('bytes and streams come back as they went in', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    const one = await inFiles((files) => files.put(bytes, png));
    const two = await inFiles((files) =>
      files.put(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), { ...png, public: false, purpose: 'export' }),
    );
    expect(one).toMatchObject({ size: 300_000, contentType: 'image/png', key: expect.stringMatching(/^[0-9a-f-]{36}\.png$/) });
    for (const { key } of [one, two]) {
      const opened = await inFiles((files) => files.open(key));
      expect(opened).toMatchObject({ size: 300_000, contentType: 'image/png', name: 'Logo.PNG' });
      expect((await buffer(opened.stream)).equals(bytes)).toBe(true);
      expect(await inFiles((files) => files.exists(key))).toBe(true);
    }
    expect(await inFiles(async (files) => files.url(one.key))).toBe(`/files/${one.key}`);
    expect((await stat(join(dir, tenantId, one.key))).mode & 0o077).toBe(0);
  });

  test('a file that is too large leaves nothing, neither row nor bytes', async () => {
    const endless = Readable.from(
      (async function* () {
        for (;;) yield Buffer.alloc(100_000);
      })(),
    );
    await expect(inFiles((files) => files.put(endless, png))).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(endless.destroyed).toBe(true);
    expect(await onDisk()).toEqual([]);
  });

  test('a stream that breaks leaves nothing', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('gone');
      })(),
    );
    await expect(inFiles((files) => files.put(broken, png))).rejects.toThrow('gone');
    expect(await onDisk()).toEqual([]);
  });

  test('names never become places', async () => {
    for (const name of [
      '../../etc/passwd',
      '..\\..\\x.exe',
      'a/b/c.txt',
      '.png',
      'x.php%00.png',
      `${'n'.repeat(400)}.jpeg`,
      'a\r\nb.txt',
      'x.tar gz',
      '',
    ]) {
      const { key } = await inFiles((files) => files.put(Buffer.from('x'), { ...png, name }));
      expect(key, name).toMatch(/^[0-9a-f-]{36}(\.[a-z0-9]{1,8})?$/);
      const { name: kept, stream } = await inFiles((files) => files.open(key));
      stream.destroy();
      expect(kept, name).not.toMatch(/[/\\\r\n]/);
      expect(kept.length).toBeLessThanOrEqual(255);
    }
    expect(await onDisk()).toHaveLength(9);
  });
});

const traps = [
  '../x',
  '..%2fx',
  '%2e%2e/x',
  '../../../../../../../../etc/passwd',
  '/etc/passwd',
  'x/../../y',
  '',
  '.',
  '..',
  'a\0b',
  `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}/..`,
  'con',
  '00000000-0000-0000-0000-000000000000.sh/../../x',
];

describe('reading', () => {
  test.each(traps)('a key that is none is not there: %j', async (key) => {
    await writeFile(join(dir, 'x'), 'secret');
    await expect(inFiles((files) => files.open(key))).rejects.toMatchObject({ code: 'not_found' });
    expect(await inFiles((files) => files.exists(key))).toBe(false);
    await inFiles((files) => files.remove(key));
    expect(await service.serve(tenantId, key)).toBeUndefined();
    expect(await service.serve('..', key)).toBeUndefined();
    expect(await readFile(join(dir, 'x'), 'utf8')).toBe('secret');
  });

  test('another tenant’s file is not there', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('x'), png));
    const other = (await background.addTenant()).id;
    await expect(inFiles((files) => files.open(key), other)).rejects.toMatchObject({ code: 'not_found' });
    await inFiles((files) => files.remove(key), other);
    expect(await service.serve(other, key)).toBeUndefined();
    expect(await inFiles((files) => files.exists(key))).toBe(true);
  });
});

describe('removing', () => {
  test('happens with the commit', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('x'), png));
    const failing = inFiles(async (files) => {
      await files.remove(key);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await onDisk()).toEqual([key]);
    await inFiles((files) => files.remove(key));
    await expect(inFiles((files) => files.open(key))).rejects.toMatchObject({ code: 'not_found' });
    expect(await onDisk()).toEqual([]);
    await inFiles((files) => files.remove(key));
  });

  test('what a rolled-back transaction stored is swept a day later, nothing else', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('kept'), png));
    const failing = inFiles(async (files) => {
      await files.put(Buffer.from('lost'), png);
      await files.put(Buffer.from('lost, but young'), png);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const [lost, young] = (await onDisk()).filter((name) => name !== key);
    const old = new Date(Date.now() - 25 * 3600_000);
    for (const name of [key, lost as string]) await utimes(join(dir, tenantId, name), old, old);
    await service.sweep(tenantId, new AbortController().signal);
    expect((await onDisk()).toSorted()).toEqual([key, young as string].toSorted());
    await service.sweep((await background.addTenant()).id, new AbortController().signal);
  });
});

describe('serving', () => {
  const serve = async (contentType: string, name = 'x'): Promise<Record<string, string>> => {
    const { key } = await inFiles((files) => files.put(Buffer.from('<svg/>'), { name, contentType, public: true }));
    const served = await service.serve(tenantId, key);
    if (!served) throw new Error('not served');
    const body = (await buffer(served.stream)).toString();
    return { ...served.headers, body, key };
  };

  test('an image: its type, cached permanently', async () => {
    const { key, ...served } = await serve('image/png');
    expect(served).toEqual({
      body: '<svg/>',
      'accept-ranges': 'bytes',
      'content-type': 'image/png',
      'content-length': '6',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline',
      etag: `"${key}"`,
    });
  });

  test('SVG can neither run a script nor load anything', async () => {
    for (const type of ['image/svg+xml', 'IMAGE/SVG+XML; charset=utf-8'])
      expect(await serve(type)).toMatchObject({
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      });
  });

  test.each([
    'text/html',
    'application/xhtml+xml',
    'text/xml',
    'application/javascript',
    'application/octet-stream',
    'TEXT/HTML ;charset=utf-8',
    'image/svg+xml2',
    '',
  ])('what a browser might run is a download: %s', async (type) => {
    expect((await serve(type, 'naïve "name".html'))['content-disposition']).toBe(
      "attachment; filename*=UTF-8''na%C3%AFve%20%22name%22.html",
    );
  });

  test('a file that is not public is never served, known before or not', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('x'), { ...png, public: false }));
    for (let i = 0; i < 2; i++) expect(await service.serve(tenantId, key)).toBeUndefined();
  });

  test('a removed file is unavailable immediately, also in a process that had cached it', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('x'), png));
    (await service.serve(tenantId, key))?.stream.destroy();
    await inFiles((files) => files.remove(key));
    expect(await service.serve(tenantId, key)).toBeUndefined();
  });

  test('a link in the place of a file is not followed', async () => {
    const { key } = await inFiles((files) => files.put(Buffer.from('x'), png));
    await rm(join(dir, tenantId, key));
    await writeFile(join(dir, 'secret'), 'secret');
    await symlink(join(dir, 'secret'), join(dir, tenantId, key));
    expect(await service.serve(tenantId, key)).toBeUndefined();
  });
});
