import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SnapshotError } from './errors.ts';

const tableCount = z.object({
  /** Schema and name, quoted as PostgreSQL quotes identifiers. */
  table: z.string(),
  rows: z.number().int(),
  /** Rows by tenant id; null for a table without tenants. */
  tenants: z.record(z.string(), z.number().int()).nullable(),
});
export type TableCount = z.infer<typeof tableCount>;

const recordSchema = z.object({
  format: z.literal(1),
  /** UTC time of creation, as a file name: `2026-05-01T08-30-00Z`. */
  id: z.string().regex(/^[\w-]+$/),
  /** `dump`: `pg_dump` in custom format. `base`: a copy of the cluster of the embedded database. */
  engine: z.enum(['dump', 'base']),
  createdAt: z.iso.datetime(),
  database: z.string(),
  /** Version of the PostgreSQL server. */
  postgres: z.string(),
  /** Version of the product; null if the caller gave none. */
  product: z.string().nullable(),
  /** The version is null of a plugin that isn't installed. */
  plugins: z.array(z.object({ name: z.string(), package: z.string(), version: z.string().nullable(), state: z.string() })),
  migrations: z.array(z.object({ plugin: z.string(), name: z.string(), checksum: z.string() })),
  /** WAL location of the state. */
  lsn: z.string(),
  counts: z.array(tableCount),
  /** Functions that belong to another role than the database: a restore without owners gives them back. */
  functionOwners: z.array(z.object({ function: z.string(), owner: z.string() })),
  /** Paths relative to the folder of snapshots. */
  files: z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() })),
});

/** What a snapshot contains. Stored beside it as `<id>.json`, written last. */
export type SnapshotRecord = z.infer<typeof recordSchema>;

export const recordFile = (folder: string, id: string): string => join(folder, `${id}.json`);
/** File of a dump, or folder of a cluster. */
export const dataPath = ({ id, engine }: Pick<SnapshotRecord, 'id' | 'engine'>): string =>
  engine === 'dump' ? `${id}.dump` : `${id}.cluster`;

/** Creates the folder of snapshots, for its owner only: snapshots contain customers and keys. */
export function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Returns an unused id for the current second. */
export function newId(folder: string): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const taken = existsSync(folder) ? readdirSync(folder).some((name) => name.startsWith(`${time}.`)) : false;
  return taken ? `${time}-${randomUUID().slice(0, 4)}` : time;
}

export function writeRecord(folder: string, record: SnapshotRecord): void {
  const file = recordFile(folder, record.id);
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 1)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** @throws SnapshotError `snapshot_not_found` or `snapshot_invalid` */
export function readRecord(folder: string, id: string): SnapshotRecord {
  const file = recordFile(folder, id);
  if (!/^[\w-]+$/.test(id) || !existsSync(file)) {
    const known = snapshotIds(folder);
    const there = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
    throw new SnapshotError('snapshot_not_found', `No snapshot ${id} in ${folder}: ${there}.`);
  }
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new SnapshotError(
      'snapshot_invalid',
      `${file} can't be read as the record of a snapshot: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Names of a snapshot's files: other files in the folder are left alone. */
const ownName =
  /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-[0-9a-f]{4})?)\.(json|json\.new|dump|dump\.sql|dump\.proof\.sql|cluster|partial)$/;

/** Ids of complete snapshots, the newest first. */
export const snapshotIds = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .flatMap((name) => {
          const [, id, extension] = ownName.exec(name) ?? [];
          return id !== undefined && extension === 'json' ? [id] : [];
        })
        .sort()
        .reverse()
    : [];

/** A snapshot in a list. */
export interface SnapshotSummary {
  readonly id: string;
  readonly engine: SnapshotRecord['engine'];
  readonly createdAt: string;
  readonly product: string | null;
  readonly postgres: string;
  readonly bytes: number;
  readonly rows: number;
}

/** Lists the complete snapshots of a folder, the newest first. */
export const listSnapshots = (folder: string): SnapshotSummary[] =>
  snapshotIds(folder).map((id) => {
    const { engine, createdAt, product, postgres, files, counts } = readRecord(folder, id);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rows = counts.reduce((sum, table) => sum + table.rows, 0);
    return { id, engine, createdAt, product, postgres, bytes, rows };
  });

/** A snapshot that is being written has no record yet; an interrupted one never gets it. Milliseconds. */
const interruptedAfter = 86_400_000;

/**
 * Deletes all but the newest `keep` snapshots, and remains of interrupted ones that are older than a day. Returns the deleted ids, the
 * newest first.
 */
export function pruneSnapshots(folder: string, keep: number): string[] {
  if (!existsSync(folder)) return [];
  const removed = snapshotIds(folder).slice(keep);
  for (const id of removed) {
    // The record first: without it the rest is no snapshot.
    rmSync(recordFile(folder, id));
    for (const engine of ['dump', 'base'] as const)
      rmSync(join(folder, dataPath({ id, engine })), { recursive: true, force: true });
  }
  const complete = new Set(snapshotIds(folder));
  for (const name of readdirSync(folder)) {
    const id = ownName.exec(name)?.[1];
    const path = join(folder, name);
    if (id === undefined || complete.has(id) || Date.now() - statSync(path).mtimeMs < interruptedAfter) continue;
    rmSync(path, { recursive: true, force: true });
  }
  return removed;
}
