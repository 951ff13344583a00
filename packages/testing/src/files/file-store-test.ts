import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FileStore } from '@storeloom/core';
import { describe, expect, test } from 'vitest';

const tenant = '0190a000-0000-7000-8000-000000000001';
const other = '0190a000-0000-7000-8000-000000000002';
const options = { contentType: 'image/png', maxBytes: 1_000_000 };

/** The contract of every storage of uploaded files. `make` returns a store; all of one test write to the same place. */
export function fileStoreTest(name: string, make: () => FileStore): void {
  describe(`contract of the file store ${name}`, () => {
    const read = async (store: FileStore, key: string, of = tenant): Promise<string | undefined> => {
      const opened = await store.open(of, key);
      return opened && `${opened.size} ${(await buffer(opened.stream)).toString()}`;
    };

    test('bytes and streams come back as they went in, to their tenant only', async () => {
      const store = make();
      expect(await store.write(tenant, 'one.png', Buffer.from('hello'), options)).toBe(5);
      expect(await store.write(tenant, 'two', Readable.from([Buffer.from('he'), Buffer.from('y')]), options)).toBe(3);
      expect(await read(store, 'one.png')).toBe('5 hello');
      expect(await read(store, 'two')).toBe('3 hey');
      expect(await store.size(tenant, 'two')).toBe(3);
      expect(await read(store, 'one.png', other)).toBeUndefined();
      expect(await store.size(other, 'one.png')).toBeUndefined();
    });

    test('returns a range of the bytes, with the size of all of them', async () => {
      const store = make();
      await store.write(tenant, 'ranged', Buffer.from('0123456789'), options);
      const opened = await store.open(tenant, 'ranged', { start: 3, end: 5 });
      expect(opened?.size).toBe(10);
      expect((await buffer(opened?.stream as Readable)).toString()).toBe('345');
    });

    test('what is too large leaves nothing', async () => {
      const store = make();
      const endless = Readable.from(
        (async function* () {
          for (;;) yield Buffer.alloc(300_000);
        })(),
      );
      await expect(store.write(tenant, 'large', endless, options)).rejects.toMatchObject({ code: 'payload_too_large' });
      expect(endless.destroyed).toBe(true);
      expect(await store.size(tenant, 'large')).toBeUndefined();
    });

    test('removing is final, and harmless twice', async () => {
      const store = make();
      await store.write(tenant, 'gone', Buffer.from('x'), options);
      await store.remove(tenant, 'gone');
      await store.remove(tenant, 'gone');
      expect(await read(store, 'gone')).toBeUndefined();
    });

    test('lists what is old enough', async () => {
      const store = make();
      await store.write(other, 'aged', Buffer.from('x'), options);
      const names = async (at: number): Promise<string[]> => {
        const found: string[] = [];
        for await (const name of store.olderThan(other, at)) found.push(name);
        return found;
      };
      expect(await names(Date.now() - 60_000)).toEqual([]);
      expect(await names(Date.now() + 60_000)).toEqual(['aged']);
    });
  });
}
