import { join } from 'node:path';
import { createBase, restoreBase, verifyBase } from './base.ts';
import { withClient } from './client.ts';
import { rowsNewerThan, type WrittenRows } from './database-state.ts';
import { createDump, type Restored, restoreDump, verifyDump } from './dump.ts';
import { listed, SnapshotError } from './errors.ts';
import { describeFiles, fileDifferences } from './files.ts';
import { dataPath, newId, openFolder, readRecord, type SnapshotRecord, writeRecord } from './record.ts';
import { withRunning } from './running.ts';
import type { Say, SnapshotSource } from './source.ts';

const silent: Say = () => undefined;

interface Options {
  /** Folder of snapshots, for example `var/snapshots`. */
  readonly folder: string;
  readonly say?: Say;
  /** Ends the work; nothing is left half done. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes a verified snapshot while the shops run: `pg_dump` in custom format of an external database, a copy of the cluster of the embedded
 * one. The rows of each table and tenant are counted in the same state.
 * @throws SnapshotError
 */
export async function createSnapshot(
  source: SnapshotSource,
  { folder, say = silent, signal, product }: Options & { readonly product?: string | undefined },
): Promise<SnapshotRecord> {
  openFolder(folder);
  const id = newId(folder);
  const record =
    source.url === undefined
      ? await createBase(source.dataDir, folder, id, product ?? null, say, signal)
      : await createDump(source.url, folder, id, product ?? null, signal);
  writeRecord(folder, record);
  return record;
}

/**
 * Compares sizes and hashes of the files, decodes all data, and compares the rows of each table and tenant with the record. A snapshot of
 * the embedded database is recovered by a server and checked with amcheck; with `deep`, a dump is restored into a scratch database.
 * @throws SnapshotError `snapshot_invalid` with the differences
 */
export async function verifySnapshot(
  source: SnapshotSource,
  id: string,
  { folder, say = silent, signal, deep = false }: Options & { readonly deep?: boolean },
): Promise<SnapshotRecord> {
  const record = readRecord(folder, id);
  await requireFiles(folder, record);
  if (record.engine === 'base') await verifyBase(source.dataDir, folder, record, say, signal);
  else await verifyDump(folder, record, deep ? requireUrl(source, record) : undefined, signal);
  return record;
}

async function requireFiles(folder: string, record: SnapshotRecord): Promise<void> {
  let found: SnapshotRecord['files'];
  try {
    found = await describeFiles(folder, join(folder, dataPath(record)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    found = [];
  }
  const differences = fileDifferences(record.files, found);
  if (differences.length === 0) return;
  throw new SnapshotError(
    'snapshot_invalid',
    `The files of the snapshot ${record.id} differ from its record:${listed(differences)}`,
  );
}

function requireUrl({ url }: SnapshotSource, record: SnapshotRecord): string {
  if (url !== undefined) return url;
  throw new SnapshotError(
    'restore_failed',
    `The snapshot ${record.id} is a dump, and DATABASE_URL is not set: set it to the database to restore.`,
  );
}

/** Rows that a restore of the snapshot would lose, by table. */
export function rowsWrittenSince(
  source: SnapshotSource,
  record: SnapshotRecord,
  { say = silent, signal }: Omit<Options, 'folder'> = {},
): Promise<WrittenRows[]> {
  const count = (url: string): Promise<WrittenRows[]> => withClient(url, (client) => rowsNewerThan(client, record));
  return source.url === undefined
    ? withRunning(source.dataDir, say, ({ ownerUrl }) => count(ownerUrl), signal)
    : count(source.url);
}

/**
 * Restores a snapshot in place of the present database, which is kept: into a new database or cluster first, whose rows are compared with
 * the record before the exchange. No process may use the database.
 * @throws SnapshotError `database_busy`, `snapshot_invalid`; `restore_failed`, after which the present database is unchanged
 */
export async function restoreSnapshot(
  source: SnapshotSource,
  id: string,
  { folder, say = silent, signal }: Options,
): Promise<Restored & { record: SnapshotRecord }> {
  const record = readRecord(folder, id);
  await requireFiles(folder, record);
  if (record.engine === 'base') {
    if (source.url !== undefined)
      throw new SnapshotError(
        'restore_failed',
        `The snapshot ${id} is a cluster of the embedded database, and DATABASE_URL names another server. Unset it.`,
      );
    return { record, ...(await restoreBase(source.dataDir, folder, record, say, signal)) };
  }
  return { record, ...(await restoreDump(requireUrl(source, record), folder, record, signal)) };
}
