import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { type Ctx, type Files, notFound, problem, type StoredFile, sql } from '@storeloom/plugin-sdk';
import { LRUCache } from 'lru-cache';
import type { Units } from '../jobs/units.ts';

export interface FilesOptions {
  units: Units;
  /** `files` of the data directory; one folder a tenant. */
  dir: string;
  /** Bytes of one file. Default 100 MB. */
  maxBytes?: number;
}

export interface ServedFile {
  stream: Readable;
  size: number;
  headers: Record<string, string>;
}

export interface FileService {
  /** The service `files` for one context. */
  for(ctx: Ctx): Files;
  /** A public file for the HTTP layer; undefined for whatever is not there or not public. Opens the file last: the caller must read or destroy it. */
  serve(tenantId: string, key: string): Promise<ServedFile | undefined>;
  /** Deletes what was stored for a transaction that never committed. */
  sweep(tenantId: string, signal: AbortSignal): Promise<void>;
}

interface Row {
  name: string;
  contentType: string;
  size: number;
  public: boolean;
}

const keyPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.[a-z0-9]{1,8})?$/;
const tenantPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const sweepAge = 24 * 3600_000;

/** Shown in the browser; everything else is a download. */
const shown = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/avif',
  'image/gif',
  'image/svg+xml',
  'application/pdf',
  'text/plain',
]);

/**
 * Files on the local disk, each with a row of the tenant. A key is a new UUID, with the extension of the name for people who look: it
 * says nothing, can't be guessed and never names a place outside the tenant's folder.
 */
export function createFiles({ units, dir, maxBytes = 100 * 1024 * 1024 }: FilesOptions): FileService {
  const root = resolve(dir);
  // A row never changes; a removed file is gone from the disk, which is asked each time.
  const rows = new LRUCache<string, Row>({ max: 5000 });

  function pathOf(tenantId: string, key: string): string | undefined {
    if (!tenantPattern.test(tenantId) || !keyPattern.test(key)) return undefined;
    const path = resolve(root, tenantId, key);
    return path.startsWith(join(root, tenantId) + sep) ? path : undefined;
  }

  async function write(path: string, content: Readable | Buffer): Promise<number> {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    const part = `${path}.part`;
    let size = 0;
    try {
      const handle = await open(part, 'wx', 0o600);
      try {
        for await (const chunk of Buffer.isBuffer(content) ? [content] : content) {
          const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);
          size += bytes.length;
          if (size > maxBytes)
            throw problem('payload_too_large', { detail: `A file may have ${maxBytes} bytes.`, limit: maxBytes });
          await handle.writeFile(bytes);
        }
        // On the disk before the row says that it is there.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, path);
    } catch (error) {
      if (content instanceof Readable) content.destroy();
      await unlink(part).catch(ignoreMissing);
      const { code } = error as { code?: unknown };
      if (code === 'ENOSPC' || code === 'EDQUOT')
        throw problem('unavailable', { detail: 'There is no room for files at the moment.' });
      throw error;
    }
    return size;
  }

  function forContext(ctx: Ctx): Files {
    const tenantId = ctx.tenant.id;
    const find = (key: string): Promise<Row | undefined> =>
      keyPattern.test(key)
        ? ctx.db.first<Row>(
            sql`select name, content_type as "contentType", size, public from core_file where tenant_id = ${tenantId} and key = ${key}`,
          )
        : Promise.resolve(undefined);
    return {
      async put(content, { name, contentType, public: isPublic, purpose }): Promise<StoredFile> {
        const id = randomUUID();
        const extension = extname(name).toLowerCase();
        const key = /^\.[a-z0-9]{1,8}$/.test(extension) ? `${id}${extension}` : id;
        const size = await write(pathOf(tenantId, key) as string, content);
        await ctx.db.run(sql`insert into core_file (tenant_id, id, key, name, content_type, size, public, purpose, created_at)
          values (${tenantId}, ${id}, ${key}, ${plainName(name)}, ${contentType}, ${size}, ${isPublic}, ${purpose ?? null}, ${ctx.clock.now()}::timestamptz)`);
        return { key, size, contentType };
      },
      async open(key) {
        const row = await find(key);
        const path = pathOf(tenantId, key);
        const opened = row && path ? await openFile(path) : undefined;
        if (!row || !opened) throw notFound('There is no such file.');
        return { ...opened, contentType: row.contentType, name: row.name };
      },
      async remove(key) {
        const path = pathOf(tenantId, key);
        if (!path) return;
        const removed = await ctx.db.run(sql`delete from core_file where tenant_id = ${tenantId} and key = ${key}`);
        // Only then, since a roll-back can't bring a file back.
        if (removed > 0) ctx.onCommit(() => unlink(path).catch(ignoreMissing));
      },
      async exists(key) {
        return (await find(key)) !== undefined;
      },
      url: (key) => `/files/${key}`,
    };
  }

  async function rowOf(tenantId: string, key: string): Promise<Row | undefined> {
    const cacheKey = `${tenantId}/${key}`;
    const known = rows.get(cacheKey);
    if (known) return known;
    const scope = await units.scope(tenantId, {
      actor: { type: 'system', reason: 'files' },
      requestId: randomUUID(),
      signal: AbortSignal.timeout(5000),
    });
    if (!scope) return undefined;
    const row = await units.transaction(
      scope,
      (db) =>
        db.first<Row>(
          sql`select name, content_type as "contentType", size, public from core_file where tenant_id = ${tenantId} and key = ${key}`,
        ),
      { readOnly: true },
    );
    if (row) rows.set(cacheKey, row);
    return row;
  }

  async function serve(tenantId: string, key: string): Promise<ServedFile | undefined> {
    const path = pathOf(tenantId, key);
    const row = path ? await rowOf(tenantId, key) : undefined;
    if (!path || !row?.public) return undefined;
    const opened = await openFile(path);
    if (!opened) return undefined;
    return { ...opened, headers: { ...headersOf(row, key), 'content-length': String(opened.size) } };
  }

  async function sweep(tenantId: string, signal: AbortSignal): Promise<void> {
    if (!tenantPattern.test(tenantId)) return;
    const folder = join(root, tenantId);
    const old: string[] = [];
    for (const name of (await readdir(folder).catch(ignoreMissing)) ?? []) {
      const { mtimeMs } = (await stat(join(folder, name)).catch(ignoreMissing)) ?? { mtimeMs: Number.POSITIVE_INFINITY };
      if (mtimeMs < Date.now() - sweepAge) old.push(name);
    }
    const scope = await units.scope(tenantId, { actor: { type: 'system', reason: 'files' }, requestId: randomUUID(), signal });
    if (!scope) return;
    for (let from = 0; from < old.length && !signal.aborted; from += 1000) {
      const names = old.slice(from, from + 1000);
      const kept = await units.transaction(
        scope,
        (db) =>
          db.rows<{ key: string }>(sql`select key from core_file where tenant_id = ${tenantId} and key = any(${names}::text[])`),
        { readOnly: true },
      );
      const keys = new Set(kept.map(({ key }) => key));
      for (const name of names) if (!keys.has(name)) await unlink(join(folder, name)).catch(ignoreMissing);
    }
  }

  return { for: forContext, serve, sweep };
}

async function openFile(path: string): Promise<{ stream: Readable; size: number } | undefined> {
  // A link is nothing that was stored here.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreMissing);
  if (!handle) return undefined;
  const { size } = await handle.stat();
  return { stream: createReadStream('', { fd: handle }), size };
}

function headersOf({ contentType, name }: Row, key: string): Record<string, string> {
  const media = (contentType.split(';')[0] as string).trim().toLowerCase();
  return {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    // A key is never used for other bytes.
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${key}"`,
    'content-security-policy':
      media === 'image/svg+xml' ? "sandbox; default-src 'none'; style-src 'unsafe-inline'" : "sandbox; default-src 'none'",
    'content-disposition': shown.has(media) ? 'inline' : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
}

/** The last part of a name, without what no file system or header takes. */
function plainName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  return (name.split(/[/\\]/).at(-1) ?? '').replace(/[\u0000-\u001f\u007f]/g, '').slice(0, 255) || 'file';
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code !== 'ENOENT' && code !== 'ELOOP') throw error;
  return undefined;
}
