import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedCluster, embeddedCluster, isDataDirHeld, replaceCluster, serveCopy } from '@storeloom/embedded-postgres';
import type pg from 'pg';
import { onDatabase, withClient } from './client.ts';
import { countDifferences, countRows, readState } from './database-state.ts';
import type { Restored } from './dump.ts';
import { hasOwnCode, listed, SnapshotError } from './errors.ts';
import { copyFolder, copyOne, describeFiles, moveFolder } from './files.ts';
import { dataPath, type SnapshotRecord } from './record.ts';
import { withRunning } from './running.ts';
import type { Say } from './source.ts';

/** Database of the installation in an embedded cluster. */
const database = 'storeloom';

/** Left out entirely: they describe the running server. */
const never = /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map)$|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/;
/** Folders that are rebuilt at the start; the WAL that the copy needs is copied at its end. */
const rebuilt = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$/;

const logOf = (say: Say) => ({ info: () => undefined, warn: say, error: say });

/** Copies the cluster of a running server, lets a server recover the copy, and counts and checks its rows. */
export async function createBase(
  dataDir: string,
  folder: string,
  id: string,
  product: string | null,
  say: Say,
  signal?: AbortSignal,
): Promise<SnapshotRecord> {
  const cluster = embeddedCluster(dataDir);
  const copy = join(cluster.place, `scratch-${id}`);
  const path = join(folder, dataPath({ id, engine: 'base' }));
  try {
    const { lsn, createdAt } = await withRunning(
      dataDir,
      say,
      (urls) => backup(urls.superuserUrl, cluster, copy, signal),
      signal,
    );
    const { counts, state } = await inspectCopy(dataDir, copy, say, signal);
    moveFolder(copy, path);
    const files = await describeFiles(folder, path);
    return { format: 1, id, engine: 'base', createdAt, product, lsn, counts, files, ...state };
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

async function backup(
  superuserUrl: string,
  cluster: EmbeddedCluster,
  copy: string,
  signal?: AbortSignal,
): Promise<{ lsn: string; createdAt: string }> {
  const { folder, user: owner } = cluster;
  if ((await readdir(join(folder, 'pg_tblspc'))).length > 0)
    throw new SnapshotError(
      'snapshot_failed',
      `The cluster ${folder} has tablespaces, which a copy of its folder doesn't contain.`,
    );
  return withClient(superuserUrl, async (client) => {
    // A slot that ends with this connection: until then the server keeps the WAL that the copy needs.
    await client.query(`select pg_create_physical_replication_slot('storeloom_snapshot_' || pg_backend_pid(), true, true)`);
    await client.query(`select pg_backup_start('storeloom', true)`);
    const skip = (path: string) => (never.test(path) ? 'all' : rebuilt.test(path) ? 'content' : undefined);
    await copyFolder(folder, copy, { owner, skip, live: true, signal });
    const { rows } = await client.query<{ lsn: string; labelfile: string; first: string; last: string; at: Date }>(
      `select s.lsn::text as lsn, s.labelfile, substring(s.labelfile from 'START WAL LOCATION: \\S+ \\(file (\\w+)\\)') as first,
        pg_walfile_name(s.lsn) as last, now() as at from pg_backup_stop(false) s`,
    );
    const { lsn = '', labelfile = '', first = '', last = '', at = new Date() } = rows[0] ?? {};
    const label = join(copy, 'backup_label');
    writeFileSync(label, labelfile, { mode: 0o600 });
    if (owner) await chown(label, owner.uid, owner.gid);
    await client.query('select pg_switch_wal()');
    const wal = (await readdir(join(folder, 'pg_wal'))).filter(
      (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
    );
    for (const name of wal) await copyOne(join(folder, 'pg_wal', name), join(copy, 'pg_wal', name), owner, false);
    for (const name of ['archive_status', 'summaries']) {
      const below = join(copy, 'pg_wal', name);
      await mkdir(below, { recursive: true, mode: 0o700 });
      if (owner) await chown(below, owner.uid, owner.gid);
    }
    return { lsn, createdAt: at.toISOString() };
  });
}

/** Starts a server on a copy, counts the rows, checks tables and indexes, and stops it cleanly. */
async function inspectCopy(dataDir: string, copy: string, say: Say, signal?: AbortSignal) {
  const server = await serveCopy(dataDir, copy, logOf(say), signal);
  try {
    return await withClient(onDatabase(server.superuserUrl, database), async (client) => {
      const counts = await countRows(client);
      const state = await readState(client);
      const damage = await findDamage(client);
      if (damage.length > 0) throw new SnapshotError('snapshot_invalid', `The copy is damaged:${listed(damage)}`);
      return { counts, state };
    });
  } finally {
    await server.stop();
  }
}

/** Checks all tables and B-tree indexes with amcheck. The extension is rolled back, so that the copy stays as it was. */
async function findDamage(client: pg.Client): Promise<string[]> {
  await client.query('begin');
  try {
    await client.query('create extension if not exists amcheck');
    const { rows: heaps } = await client.query<{ what: string; msg: string }>(
      `select c.oid::regclass::text as what, v.msg from pg_class c, lateral verify_heapam(c.oid) v
      where c.relkind in ('r', 't', 'm') and c.relpersistence = 'p'`,
    );
    const damage = heaps.map(({ what, msg }) => `${what}: ${msg}`);
    const { rows: indexes } = await client.query<{ index: number; what: string }>(
      `select c.oid::int8 as index, c.oid::regclass::text as what from pg_class c join pg_index i on i.indexrelid = c.oid
        join pg_am a on a.oid = c.relam where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p' and i.indisready and i.indisvalid`,
    );
    for (const { index, what } of indexes) {
      await client.query('savepoint checked');
      try {
        await client.query('select bt_index_check($1::oid::regclass, true)', [index]);
      } catch (error) {
        damage.push(`${what}: ${(error as Error).message}`);
        await client.query('rollback to savepoint checked');
      }
      await client.query('release savepoint checked');
    }
    return damage;
  } finally {
    await client.query('rollback');
  }
}

/** Copies the snapshot, starts a server on the copy, and compares its rows with the record. Returns the stopped copy. */
async function provenCopy(
  dataDir: string,
  folder: string,
  record: SnapshotRecord,
  say: Say,
  signal?: AbortSignal,
): Promise<string> {
  const { place, user: owner } = embeddedCluster(dataDir);
  const copy = join(place, `scratch-${record.id}`);
  rmSync(copy, { recursive: true, force: true });
  try {
    await copyFolder(join(folder, dataPath(record)), copy, { owner, signal });
    const { counts } = await inspectCopy(dataDir, copy, say, signal);
    const differences = countDifferences(record.counts, counts);
    if (differences.length > 0)
      throw new SnapshotError('snapshot_invalid', `The snapshot differs from its record:${listed(differences)}`);
    return copy;
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

export async function verifyBase(
  dataDir: string,
  folder: string,
  record: SnapshotRecord,
  say: Say,
  signal?: AbortSignal,
): Promise<void> {
  rmSync(await provenCopy(dataDir, folder, record, say, signal), { recursive: true, force: true });
}

/** Puts a proven copy of the snapshot in place of the stopped cluster, which is kept. */
export async function restoreBase(
  dataDir: string,
  folder: string,
  record: SnapshotRecord,
  say: Say,
  signal?: AbortSignal,
): Promise<Restored> {
  if (isDataDirHeld(dataDir))
    throw new SnapshotError('database_busy', `A process runs on the data directory ${dataDir}: stop it, then try again.`);
  const cluster = embeddedCluster(dataDir);
  const keptAs = `${cluster.folder}_failed_${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  try {
    const copy = await provenCopy(dataDir, folder, record, say, signal);
    try {
      await replaceCluster(dataDir, copy, keptAs);
    } finally {
      if (existsSync(copy)) rmSync(copy, { recursive: true, force: true });
    }
    return { keptAs };
  } catch (error) {
    if (signal?.aborted || hasOwnCode(error)) throw error;
    throw new SnapshotError('restore_failed', `The restore failed; the database is as before.\n${(error as Error).message}`, {
      cause: error,
    });
  }
}
