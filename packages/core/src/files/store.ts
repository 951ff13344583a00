import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { problem } from '@storeloom/plugin-sdk';
import type { ByteRange } from './byte-range.ts';

/** Stores content. The caller has checked tenant and key; a key is never written twice. */
export interface FileStore {
  /** Writes content and returns its number of bytes once it is durable. Above `maxBytes`, or on an error, nothing is stored. */
  write(tenantId: string, key: string, content: Readable | Buffer, options: WriteOptions): Promise<number>;
  /** Opens content, or a range of its bytes. `size` is that of the whole content. The caller must read or destroy the stream. */
  open(tenantId: string, key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  size(tenantId: string, key: string): Promise<number | undefined>;
  /** Removes content, if it exists. */
  remove(tenantId: string, key: string): Promise<void>;
  /** Returns the keys of a tenant that are older than the instant. */
  olderThan(tenantId: string, instant: number): AsyncIterable<string>;
  /** Returns an upload form for one file of exactly this size and type, if the storage supports direct uploads. */
  presign?(
    tenantId: string,
    key: string,
    options: { contentType: string; size: number; seconds: number },
  ): Promise<{ url: string; fields: Record<string, string> }>;
}

interface WriteOptions {
  contentType: string;
  maxBytes: number;
}

const tooLarge = (maxBytes: number): Error =>
  problem('payload_too_large', { detail: `A file must not exceed ${maxBytes} bytes.`, limit: maxBytes });
const noRoom = (): Error => problem('unavailable', { detail: 'The file storage is full.' });

/** Writes a new file; removes it if it can't be completed. */
export async function writeFileSafely(path: string, content: Readable | Buffer, maxBytes: number): Promise<number> {
  let size = 0;
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of Buffer.isBuffer(content) ? [content] : content) {
        const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);
        size += bytes.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        await handle.writeFile(bytes);
      }
      // On disk before the row is committed.
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (content instanceof Readable) content.destroy();
    await unlink(path).catch(ignoreMissing);
    const { code } = error as { code?: unknown };
    if (code === 'ENOSPC' || code === 'EDQUOT') throw noRoom();
    throw error;
  }
  return size;
}

/** Stores files on the local disk, in a folder for each tenant. */
export function localStore(dir: string): FileStore {
  const root = resolve(dir);
  function pathOf(tenantId: string, key: string): string {
    const path = resolve(root, tenantId, key);
    if (!path.startsWith(join(root, tenantId) + sep)) throw new Error('a file key must stay within its folder');
    return path;
  }
  return {
    async write(tenantId, key, content, { maxBytes }) {
      const path = pathOf(tenantId, key);
      const part = `${path}.part`;
      try {
        await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
      } catch (error) {
        if (content instanceof Readable) content.destroy();
        if ((error as { code?: unknown }).code === 'ENOSPC') throw noRoom();
        throw error;
      }
      const size = await writeFileSafely(part, content, maxBytes);
      await rename(part, path);
      return size;
    },
    async open(tenantId, key, range) {
      // Don't follow links: the store creates none.
      const handle = await open(pathOf(tenantId, key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreMissing);
      if (!handle) return undefined;
      const { size } = await handle.stat();
      return { stream: createReadStream('', { fd: handle, ...range }), size };
    },
    async size(tenantId, key) {
      return (await stat(pathOf(tenantId, key)).catch(ignoreMissing))?.size;
    },
    async remove(tenantId, key) {
      await unlink(pathOf(tenantId, key)).catch(ignoreMissing);
    },
    async *olderThan(tenantId, instant) {
      const folder = join(root, tenantId);
      for (const name of (await readdir(folder).catch(ignoreMissing)) ?? []) {
        const { mtimeMs } = (await stat(join(folder, name)).catch(ignoreMissing)) ?? { mtimeMs: Number.POSITIVE_INFINITY };
        if (mtimeMs < instant) yield name;
      }
    },
  };
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code !== 'ENOENT' && code !== 'ELOOP') throw error;
  return undefined;
}
