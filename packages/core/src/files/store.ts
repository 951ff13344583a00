import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { problem } from '@storeloom/plugin-sdk';

/** Where bytes lie. Tenant and key have been checked by the caller; a key is never written twice. */
export interface FileStore {
  /** The bytes are safe when it returns their number. Over `maxBytes`, or on any error, nothing is left. */
  write(tenantId: string, key: string, content: Readable | Buffer, options: WriteOptions): Promise<number>;
  /** The caller must read or destroy the stream. */
  open(tenantId: string, key: string): Promise<{ stream: Readable; size: number } | undefined>;
  size(tenantId: string, key: string): Promise<number | undefined>;
  /** Also of what isn't there. */
  remove(tenantId: string, key: string): Promise<void>;
  /** Names of everything of a tenant that is older than the instant. */
  olderThan(tenantId: string, instant: number): AsyncIterable<string>;
  /** Where the storage itself takes bytes from a browser: a form for one file of exactly this size and type. */
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
  problem('payload_too_large', { detail: `A file may have ${maxBytes} bytes.`, limit: maxBytes });
const noRoom = (): Error => problem('unavailable', { detail: 'There is no room for files at the moment.' });

/** Writes a new file of its own; removes it when it can't be finished. */
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
      // On the disk before a row says that it is there.
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

/** On the local disk, one folder a tenant. */
export function localStore(dir: string): FileStore {
  const root = resolve(dir);
  function pathOf(tenantId: string, key: string): string {
    const path = resolve(root, tenantId, key);
    if (!path.startsWith(join(root, tenantId) + sep)) throw new Error('a key leads out of its folder');
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
    async open(tenantId, key) {
      // A link is nothing that was stored here.
      const handle = await open(pathOf(tenantId, key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreMissing);
      if (!handle) return undefined;
      const { size } = await handle.stat();
      return { stream: createReadStream('', { fd: handle }), size };
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
