import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Ctx, type FileRecord, type Files, notFound, problem, type StoredFile, sql } from '@storeloom/plugin-sdk';
import { LRUCache } from 'lru-cache';
import type { Units } from '../context/units.ts';
import { byteRange } from './byte-range.ts';
import type { FileStore } from './store.ts';

export interface FilesOptions {
  units: Units;
  store: FileStore;
  /** Bytes of one file. Default 100 MB. */
  maxBytes?: number;
}

interface ServedFile {
  status: 200 | 206;
  stream: Readable;
  headers: Record<string, string>;
}

/** Headers of the request that select a part of a file. */
interface RangeHeaders {
  range?: string | undefined;
  'if-range'?: string | undefined;
}

export interface FileService {
  /** Returns the service `files` for a context. */
  for(ctx: Ctx): Files;
  /**
   * Opens a public file, or the range of it that was requested; undefined if it doesn't exist or isn't public. The caller must read or
   * destroy the stream.
   * @throws Problem `range_not_satisfiable`
   */
  serve(tenantId: string, key: string, request?: RangeHeaders): Promise<ServedFile | undefined>;
  /** Deletes content of transactions that were not committed. */
  sweep(tenantId: string, signal: AbortSignal): Promise<void>;
}

type Row = Omit<FileRecord, 'key'> & { direct: boolean };

const keyPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.[a-z0-9]{1,8})?$/;
const tenantPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const sweepAge = 24 * 3600_000;

/** Media types shown in the browser; others are downloads. */
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

const columns = sql`name, content_type as "contentType", size, public, purpose, direct, created_at as "createdAt"`;

/**
 * Manages files of tenants, each with a row. A key is a UUID with the extension of the file name: it can't be guessed and can't refer to a
 * path outside the tenant's folder.
 */
export function createFiles({ units, store, maxBytes = 100 * 1024 * 1024 }: FilesOptions): FileService {
  // Rows never change; whether a file was removed is checked in the store each time.
  const rows = new LRUCache<string, Row>({ max: 5000 });
  const known = (tenantId: string, key: string): boolean => tenantPattern.test(tenantId) && keyPattern.test(key);

  function forContext(ctx: Ctx): Files {
    const tenantId = ctx.tenant.id;
    const find = (key: string): Promise<Row | undefined> =>
      known(tenantId, key)
        ? ctx.db.first<Row>(sql`select ${columns} from core_file where tenant_id = ${tenantId} and key = ${key}`)
        : Promise.resolve(undefined);
    /** Returns the row of a direct upload only once its content is stored. */
    const present = async (key: string): Promise<Row | undefined> => {
      const row = await find(key);
      if (!row?.direct) return row;
      return (await store.size(tenantId, key)) === row.size ? row : undefined;
    };
    const insert = async (key: string, size: number, direct: boolean, file: Omit<Row, 'direct' | 'size' | 'createdAt'>) =>
      ctx.db.run(sql`insert into core_file (tenant_id, id, key, name, content_type, size, public, purpose, direct, created_at)
        values (${tenantId}, ${randomUUID()}, ${key}, ${plainName(file.name)}, ${file.contentType}, ${size}, ${file.public}, ${file.purpose}, ${direct}, ${ctx.clock.now()}::timestamptz)`);
    return {
      newKey,
      async put(content, { name, contentType, public: isPublic, purpose = null, key = newKey(name) }): Promise<StoredFile> {
        if (!known(tenantId, key)) throw new Error(`${key} is not a valid file key`);
        // Insert the row first: of two uploads under one key, the second must not overwrite the content of the first.
        await insert(key, 0, false, { name, contentType, public: isPublic, purpose });
        const size = await store.write(tenantId, key, content, { contentType, maxBytes });
        await ctx.db.run(sql`update core_file set size = ${size} where tenant_id = ${tenantId} and key = ${key}`);
        return { key, size, contentType };
      },
      async presign({ name, contentType, size, purpose = null, seconds }) {
        if (!store.presign) return undefined;
        if (size > maxBytes)
          throw problem('payload_too_large', { detail: `A file must not exceed ${maxBytes} bytes.`, limit: maxBytes });
        const key = newKey(name);
        const form = await store.presign(tenantId, key, { contentType, size, seconds });
        await insert(key, size, true, { name, contentType, public: false, purpose });
        return { ...form, key, expiresAt: new Date(ctx.clock.ms() + seconds * 1000).toISOString() };
      },
      async open(key) {
        const row = await find(key);
        const opened = row && (await store.open(tenantId, key));
        if (!row || !opened) throw notFound('There is no such file.');
        return { ...opened, contentType: row.contentType, name: row.name };
      },
      async find(key) {
        const row = await present(key);
        if (!row) return undefined;
        const { direct: _, ...record } = row;
        return { key, ...record };
      },
      async remove(key) {
        if (!known(tenantId, key)) return;
        const removed = await ctx.db.run(sql`delete from core_file where tenant_id = ${tenantId} and key = ${key}`);
        // After the commit, since a rollback can't restore a file.
        if (removed > 0) ctx.onCommit(() => store.remove(tenantId, key));
      },
      async exists(key) {
        return (await present(key)) !== undefined;
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
      (db) => db.first<Row>(sql`select ${columns} from core_file where tenant_id = ${tenantId} and key = ${key}`),
      { readOnly: true },
    );
    if (row) rows.set(cacheKey, row);
    return row;
  }

  async function serve(tenantId: string, key: string, request: RangeHeaders = {}): Promise<ServedFile | undefined> {
    const row = known(tenantId, key) ? await rowOf(tenantId, key) : undefined;
    if (!row?.public) return undefined;
    const headers: Record<string, string> = { ...headersOf(row, key), 'accept-ranges': 'bytes' };
    const ifRange = request['if-range'];
    const range = ifRange === undefined || ifRange.trim() === headers.etag ? byteRange(request.range, row.size) : undefined;
    if (range === 'unsatisfiable') {
      if ((await store.size(tenantId, key)) === undefined) return undefined;
      throw problem('range_not_satisfiable', {
        detail: `The file has ${row.size} bytes.`,
        headers: { 'content-range': `bytes */${row.size}` },
      });
    }
    const opened = await store.open(tenantId, key, range);
    if (!opened) return undefined;
    if (!range) return { status: 200, stream: opened.stream, headers: { ...headers, 'content-length': String(opened.size) } };
    headers['content-range'] = `bytes ${range.start}-${range.end}/${opened.size}`;
    headers['content-length'] = String(range.end - range.start + 1);
    return { status: 206, stream: opened.stream, headers };
  }

  async function sweep(tenantId: string, signal: AbortSignal): Promise<void> {
    if (!tenantPattern.test(tenantId)) return;
    const scope = await units.scope(tenantId, { actor: { type: 'system', reason: 'files' }, requestId: randomUUID(), signal });
    if (!scope) return;
    const before = Date.now() - sweepAge;
    const removeUnnamed = async (names: readonly string[]): Promise<void> => {
      const kept = await units.transaction(
        scope,
        (db) =>
          db.rows<{ key: string }>(sql`select key from core_file where tenant_id = ${tenantId} and key = any(${names}::text[])`),
        { readOnly: true },
      );
      const keys = new Set(kept.map(({ key }) => key));
      for (const name of names) if (!keys.has(name)) await store.remove(tenantId, name);
    };
    const batch: string[] = [];
    for await (const name of store.olderThan(tenantId, before)) {
      if (signal.aborted) return;
      batch.push(name);
      if (batch.length === 1000) await removeUnnamed(batch.splice(0));
    }
    if (batch.length > 0) await removeUnnamed(batch);
    // Upload forms that were never used.
    const asked = await units.transaction(
      scope,
      (db) =>
        db.rows<{ key: string; size: number }>(
          sql`select key, size from core_file where tenant_id = ${tenantId} and direct and created_at < ${new Date(before).toISOString()} and created_at > ${new Date(before - sweepAge * 7).toISOString()}`,
        ),
      { readOnly: true },
    );
    for (const { key, size } of asked) {
      if (signal.aborted) return;
      if ((await store.size(tenantId, key)) === size) continue;
      await units.transaction(scope, (db) => db.run(sql`delete from core_file where tenant_id = ${tenantId} and key = ${key}`));
      await store.remove(tenantId, key);
    }
  }

  return { for: forContext, serve, sweep };
}

function newKey(name: string): string {
  const extension = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? `${randomUUID()}${extension}` : randomUUID();
}

function headersOf({ contentType, name }: Row, key: string): Record<string, string> {
  const media = (contentType.split(';')[0] as string).trim().toLowerCase();
  return {
    'content-type': contentType,
    // A key is never reused for other content.
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${key}"`,
    'content-security-policy':
      media === 'image/svg+xml' ? "sandbox; default-src 'none'; style-src 'unsafe-inline'" : "sandbox; default-src 'none'",
    'content-disposition': shown.has(media) ? 'inline' : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
}

/** Returns the last part of a name, without characters that file systems or headers reject. */
function plainName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  return (name.split(/[/\\]/).at(-1) ?? '').replace(/[\u0000-\u001f\u007f]/g, '').slice(0, 255) || 'file';
}
