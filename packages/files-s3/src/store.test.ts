import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStoreTest } from '@storeloom/testing';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Store } from './store.ts';

const tenant = '0190a000-0000-7000-8000-000000000001';
const options = { contentType: 'image/png', maxBytes: 1_000_000 };
const quiet = { error: () => undefined };
let dir: string;
let server: S3rver;
let url: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'storeloom-store-'));
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(dir, 's3'),
    configureBuckets: [{ name: 'shop-files', configs: [] }],
  });
  const { port } = await server.run();
  url = `s3+http://S3RVER:S3RVER@127.0.0.1:${port}/shop-files?region=us-east-1`;
});
afterAll(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

fileStoreTest('S3', () => s3Store(url, quiet));

describe('a form for the storage itself', () => {
  const send = async (form: { url: string; fields: Record<string, string> }, bytes: string) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
    body.set('file', new Blob([bytes]));
    return fetch(form.url, { method: 'POST', body });
  };

  test('takes exactly the announced file', async () => {
    const store = s3Store(url, quiet);
    const form = await store.presign?.(tenant, 'direct', { contentType: 'application/zip', size: 4, seconds: 60 });
    if (!form) throw new Error('no form');
    expect((await send(form, 'data')).status).toBeLessThan(300);
    expect(await store.size(tenant, 'direct')).toBe(4);
    const { conditions } = JSON.parse(Buffer.from(form.fields.Policy as string, 'base64').toString()) as {
      conditions: unknown[];
    };
    expect(conditions).toEqual(
      expect.arrayContaining([
        ['content-length-range', 4, 4],
        ['eq', '$Content-Type', 'application/zip'],
        { key: `${tenant}/direct` },
      ]),
    );
  });

  test('is signed with the secret, over everything that it says', async () => {
    const form = await s3Store(url, quiet).presign?.(tenant, 'mine', { contentType: 'text/csv', size: 4, seconds: 60 });
    if (!form) throw new Error('no form');
    const { Policy, 'X-Amz-Credential': credential, 'X-Amz-Signature': signature } = form.fields;
    const scope = (credential as string).split('/').slice(1);
    // Signature version 4: the secret keyed by date, region, service and kind of request.
    const key = scope.reduce<Buffer | string>((k, part) => createHmac('sha256', k).update(part).digest(), 'AWS4S3RVER');
    expect(signature).toBe(
      createHmac('sha256', key)
        .update(Policy as string)
        .digest('hex'),
    );
  });
});

test('a storage that is away is said to be away, and its words go to the log only', async () => {
  const said: string[] = [];
  const store = s3Store('s3+http://KEY:hidden-secret@127.0.0.1:9/shop-files', { error: (_, message) => void said.push(message) });
  await expect(store.write(tenant, 'x', Buffer.from('x'), options)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(store.open(tenant, 'x')).rejects.toMatchObject({ code: 'unavailable' });
  expect(said).toHaveLength(2);
});
