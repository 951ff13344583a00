import {
  createSnapshot,
  listSnapshots,
  pruneSnapshots,
  type SnapshotRecord,
  snapshotIds,
  verifySnapshot,
} from '@storeloom/snapshot';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { installedVersion, type ReleaseOptions, snapshotFolder, sourceOf } from './source.ts';

interface SnapshotOptions extends ReleaseOptions {
  readonly json?: boolean;
}

const size = (bytes: number): string => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const total = (record: SnapshotRecord): { bytes: number; rows: number; tables: number } => ({
  bytes: record.files.reduce((sum, file) => sum + file.size, 0),
  rows: record.counts.reduce((sum, count) => sum + count.rows, 0),
  tables: record.counts.length,
});

/** Takes and verifies a snapshot. Exit codes: 0 · 1 it could not be taken, and nothing is left of it · 5 database unreachable. */
export async function snapshotCreate(options: SnapshotOptions, life: Lifetime): Promise<number> {
  const folder = snapshotFolder(options);
  const record = await createSnapshot(sourceOf(options), {
    folder,
    say,
    signal: life.signal,
    product: installedVersion(options.dir),
  });
  const { bytes, rows, tables } = total(record);
  if (options.json) print({ id: record.id, engine: record.engine, folder, createdAt: record.createdAt, bytes, rows, tables });
  else print(`${record.id}  ${record.engine}  ${size(bytes)}  ${rows} rows in ${tables} tables, verified  ${folder}`);
  return 0;
}

/** Compares a snapshot with its record. Exit codes: 0 equal · 1 damaged, or it doesn't exist. */
export async function snapshotVerify(
  given: string | undefined,
  options: SnapshotOptions & { deep?: boolean },
  life: Lifetime,
): Promise<number> {
  const folder = snapshotFolder(options);
  const id = given ?? newest(folder);
  const record = await verifySnapshot(sourceOf(options), id, { folder, say, signal: life.signal, deep: options.deep === true });
  const { bytes, rows, tables } = total(record);
  if (options.json) print({ id, engine: record.engine, bytes, rows, tables });
  else print(`${id}  ${record.engine}  ${size(bytes)}  ${rows} rows in ${tables} tables are as recorded`);
  return 0;
}

export function newest(folder: string): string {
  const [id] = snapshotIds(folder);
  if (id === undefined) throw new UsageError(`there is no snapshot in ${folder}: take one with storeloom snapshot create`);
  return id;
}

export async function snapshotList(options: SnapshotOptions): Promise<number> {
  const list = listSnapshots(snapshotFolder(options));
  if (options.json) print(list);
  else
    for (const { id, engine, product, postgres, bytes, rows } of list)
      print(`${id}  ${engine}  ${product ?? '-'}  PostgreSQL ${postgres}  ${size(bytes)}  ${rows} rows`);
  return 0;
}

export async function snapshotPrune(options: SnapshotOptions & { keep: string }): Promise<number> {
  if (!/^\d{1,4}$/.test(options.keep) || Number(options.keep) === 0)
    throw new UsageError(`--keep is "${options.keep}", must be a whole number from 1`);
  const removed = pruneSnapshots(snapshotFolder(options), Number(options.keep));
  if (options.json) print({ removed });
  else say(removed.length === 0 ? 'nothing to delete' : `deleted ${removed.join(', ')}`);
  return 0;
}
