import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { onDatabase, withClient } from './client.ts';
import { countDifferences, countRows, readState } from './database-state.ts';
import { countDumpedRows } from './dump-counts.ts';
import { hasOwnCode, listed, SnapshotError } from './errors.ts';
import { describeFiles } from './files.ts';
import { connectionOf, findPrograms, type Programs, run } from './programs.ts';
import { dataPath, type SnapshotRecord, type TableCount } from './record.ts';

const majorOf = (version: string): number => Number.parseInt(version, 10);

/** Dumps a database with `pg_dump` in the state of one transaction, in which the rows are counted too. */
export async function createDump(
  url: string,
  folder: string,
  id: string,
  product: string | null,
  signal?: AbortSignal,
): Promise<SnapshotRecord> {
  const partial = join(folder, `${id}.partial`);
  const path = join(folder, dataPath({ id, engine: 'dump' }));
  try {
    return await withClient(url, async (client) => {
      await client.query('begin isolation level repeatable read read only');
      const { rows } = await client.query<{ snapshot: string; lsn: string; at: Date }>(
        'select pg_export_snapshot() as snapshot, pg_current_wal_lsn()::text as lsn, now() as at',
      );
      const { snapshot = '', lsn = '', at = new Date() } = rows[0] ?? {};
      const state = await readState(client);
      const programs = findPrograms(majorOf(state.postgres));
      const { dbname, env } = connectionOf(url);
      const args = [
        '--format=custom',
        '--enable-row-security',
        `--snapshot=${snapshot}`,
        `--file=${partial}`,
        `--dbname=${dbname}`,
      ];
      // Without this setting the owner sees no row of any tenant, and the dump is empty without an error.
      // Exists before pg_dump opens it, so that no other user ever reads it.
      writeFileSync(partial, '', { mode: 0o600 });
      const counted = countRows(client);
      const dumped = run(join(programs.bin, 'pg_dump'), args, { env: { ...env, PGOPTIONS: '-c app.maintenance=on' }, signal });
      // Both end before the connection is closed or the file deleted.
      const [counts] = await allSettled(counted, dumped);
      await client.query('commit');
      requireEqual('The dump', countDifferences(counts, await countsIn(partial, programs, signal)));
      renameSync(partial, path);
      const files = await describeFiles(folder, path);
      return { format: 1, id, engine: 'dump', createdAt: at.toISOString(), product, lsn, counts, files, ...state };
    });
  } catch (error) {
    rmSync(partial, { force: true });
    rmSync(path, { force: true });
    throw error;
  }
}

/** Waits for both, then throws the first error. */
async function allSettled<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

async function countsIn(path: string, { bin }: Programs, signal?: AbortSignal): Promise<TableCount[]> {
  let counts: TableCount[] = [];
  await run(join(bin, 'pg_restore'), ['--file=-', path], {
    signal,
    output: async (stream) => {
      counts = await countDumpedRows(stream);
    },
  });
  return counts;
}

function requireEqual(what: string, differences: readonly string[]): void {
  if (differences.length === 0) return;
  throw new SnapshotError('snapshot_invalid', `${what} differs from the record:${listed(differences)}`);
}

/** Decodes the whole dump and compares its rows with the record; with `url`, restores it into a database that is dropped again. */
export async function verifyDump(
  folder: string,
  record: SnapshotRecord,
  url: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const path = join(folder, dataPath(record));
  const programs = findPrograms(majorOf(record.postgres));
  requireEqual('The dump', countDifferences(record.counts, await countsIn(path, programs, signal)));
  if (url === undefined) return;
  const scratch = await restoreIntoNew(url, path, record, 'verify', signal);
  await dropDatabase(url, scratch);
}

/** Restores into a new database beside the present one and compares its rows. Returns its name; it is dropped on failure. */
async function restoreIntoNew(
  url: string,
  path: string,
  record: SnapshotRecord,
  purpose: string,
  signal?: AbortSignal,
): Promise<string> {
  const own = decodeURIComponent(new URL(url).pathname.slice(1));
  const name = `${own.slice(0, 40)}_${purpose}_${Date.now().toString(36)}`;
  await withClient(url, (client) => createDatabase(client, name));
  try {
    await restoreInto(onDatabase(url, name), path, record, [], signal);
    return name;
  } catch (error) {
    await dropDatabase(url, name);
    throw error;
  }
}

/** Restores a dump in one transaction, sets the owners of functions, and compares the rows. */
async function restoreInto(
  url: string,
  path: string,
  record: SnapshotRecord,
  before: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { bin } = await withClient(url, async (client) => {
    await ensureRoles(client, record);
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return findPrograms(Math.max(majorOf(rows[0]?.version ?? ''), majorOf(record.postgres)));
  });
  const { dbname, env } = connectionOf(url);
  if (before.length === 0) {
    const args = ['--clean', '--if-exists', '--no-owner', '--single-transaction', '--exit-on-error', `--dbname=${dbname}`, path];
    await run(join(bin, 'pg_restore'), args, { env, signal });
  } else {
    // pg_restore can't run statements of its own in its transaction; psql can. It commits nothing if the owners can't be set or a row is missing.
    const [script, proof] = [`${path}.sql`, `${path}.proof.sql`];
    try {
      // Exists before pg_restore opens it, so that no other user ever reads it.
      writeFileSync(script, '', { mode: 0o600 });
      writeFileSync(proof, proofOf(record), { mode: 0o600 });
      await run(join(bin, 'pg_restore'), ['--no-owner', `--file=${script}`, path], { signal });
      const commands = before.map((command) => `--command=${command}`);
      const options = ['--no-psqlrc', '--quiet', '--single-transaction', '--set=ON_ERROR_STOP=1'];
      await run(join(bin, 'psql'), [...options, ...commands, `--file=${script}`, `--file=${proof}`, `--dbname=${dbname}`], {
        env: { ...env, PGOPTIONS: '-c app.maintenance=on' },
        signal,
      });
    } finally {
      for (const file of [script, proof]) rmSync(file, { force: true });
    }
  }
  await withClient(url, async (client) => {
    await restoreFunctionOwners(client, record);
    requireEqual('The restored database', countDifferences(record.counts, await countRows(client)));
  });
}

/** Statements that set the owners of functions, and fail if a table has other rows than the record says. */
function proofOf({ counts, functionOwners }: SnapshotRecord): string {
  const literal = pg.Client.prototype.escapeLiteral;
  return [
    // A dump empties the search path of its session, and refuses what row-level security would filter.
    'set row_security = on;',
    `select set_config('search_path', 'public', true);`,
    ...functionOwners.map((each) => ownerStatement(each)),
    ...counts.map(
      ({ table, rows }) =>
        `do $proof$ begin if (select count(*) from ${table}) <> ${rows} then raise exception '%', ${literal(`${table} has not ${rows} rows`)}; end if; end $proof$;`,
    ),
  ].join('\n');
}

const ownerStatement = ({ function: signature, owner }: SnapshotRecord['functionOwners'][number]): string =>
  `alter function ${signature} owner to ${pg.Client.prototype.escapeIdentifier(owner)};`;

/** Roles that grants and policies name. Their members and passwords are not in a dump; `storeloom migrate` creates the login. */
async function ensureRoles(client: pg.Client, { functionOwners }: SnapshotRecord): Promise<void> {
  const named = new Set(['storeloom_app', 'storeloom_platform', ...functionOwners.map(({ owner }) => owner)]);
  const { rows } = await client.query<{ role: string }>('select rolname::text as role from pg_roles where rolname = any($1)', [
    [...named],
  ]);
  for (const { role } of rows) named.delete(role);
  for (const role of named) await client.query(`create role ${client.escapeIdentifier(role)} nologin`);
}

/** A restore without owners gives every function to the owner, whose functions see no tenant's rows. */
async function restoreFunctionOwners(client: pg.Client, { functionOwners }: SnapshotRecord): Promise<void> {
  for (const each of functionOwners) await client.query(ownerStatement(each));
}

async function createDatabase(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{
    encoding: string;
    collate: string;
    ctype: string;
    locale: string | null;
    provider: string;
  }>(
    `select pg_encoding_to_char(d.encoding) as encoding, d.datcollate as "collate", d.datctype as ctype,
      coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') as locale, d.datlocprovider::text as provider
    from pg_database d where d.datname = current_database()`,
  );
  const { encoding = 'UTF8', collate = 'C', ctype = 'C', locale, provider = 'c' } = rows[0] ?? {};
  const text = (value: string): string => client.escapeLiteral(value);
  const locales: Readonly<Record<string, string>> = {
    b: ` locale_provider builtin builtin_locale ${text(locale ?? '')}`,
    i: ` locale_provider icu icu_locale ${text(locale ?? '')}`,
  };
  await client.query(
    `create database ${client.escapeIdentifier(name)} template template0 encoding ${text(encoding)} lc_collate ${text(collate)} lc_ctype ${text(ctype)}${locales[provider] ?? ''}`,
  );
}

const dropDatabase = (url: string, name: string): Promise<unknown> =>
  withClient(url, (client) => client.query(`drop database if exists ${client.escapeIdentifier(name)}`));

/** Where the database was put, and where the replaced one is kept. */
export interface Restored {
  /** Name of the replaced database, or folder of the replaced cluster; null if it could not be kept. */
  readonly keptAs: string | null;
}

/**
 * Restores into a new database, compares its rows, and exchanges the names. Where the role can't create databases, replaces the content
 * of the present one in one transaction instead.
 * @throws SnapshotError `database_busy`; `restore_failed`, after which the present database is unchanged
 */
export async function restoreDump(url: string, folder: string, record: SnapshotRecord, signal?: AbortSignal): Promise<Restored> {
  const path = join(folder, dataPath(record));
  const own = decodeURIComponent(new URL(url).pathname.slice(1));
  await refuseBusy(url, own);
  try {
    if (!(await mayCreateDatabases(url))) {
      await restoreInto(url, path, record, await dropEverything(url), signal);
      return { keptAs: null };
    }
    const restored = await restoreIntoNew(url, path, record, 'restored', signal);
    const keptAs = `${own.slice(0, 40)}_failed_${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
    try {
      await exchange(url, own, restored, keptAs);
    } catch (error) {
      await dropDatabase(onDatabase(url, own), restored);
      throw error;
    }
    return { keptAs };
  } catch (error) {
    if (signal?.aborted || hasOwnCode(error)) throw error;
    throw new SnapshotError('restore_failed', `The restore failed; the database is as before.\n${(error as Error).message}`, {
      cause: error,
    });
  }
}

const mayCreateDatabases = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ may: boolean }>(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    );
    return rows[0]?.may === true;
  });

/** Statements that drop all schemas of the database, for a restore into it. */
const dropEverything = (url: string): Promise<string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ schema: string }>(
      `select quote_ident(nspname) as schema from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`,
    );
    return [...rows.map(({ schema }) => `drop schema ${schema} cascade`), 'create schema public'];
  });

async function refuseBusy(url: string, database: string): Promise<void> {
  const rows = await withClient(url, async (client) => {
    const found = await client.query<{ name: string; n: number }>(
      `select coalesce(nullif(application_name, ''), usename, 'unknown') as name, count(*)::int as n from pg_stat_activity
      where datname = $1 and pid <> pg_backend_pid() and backend_type = 'client backend' group by 1 order by 1`,
      [database],
    );
    return found.rows;
  });
  if (rows.length === 0) return;
  const list = rows.map(({ name, n }) => `${name} (${n})`).join(', ');
  throw new SnapshotError(
    'database_busy',
    `The database ${database} has open connections: ${list}. Stop all processes that use it, then try again.`,
  );
}

/** Renames the present database and puts the restored one in its place. A database can't be renamed from a connection to it. */
async function exchange(url: string, own: string, restored: string, keptAs: string): Promise<void> {
  const rename = (client: pg.Client, from: string, to: string): Promise<unknown> =>
    client.query(`alter database ${client.escapeIdentifier(from)} rename to ${client.escapeIdentifier(to)}`);
  await withClient(onDatabase(url, restored), async (client) => {
    try {
      await rename(client, own, keptAs);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '55006') throw error;
      throw new SnapshotError(
        'database_busy',
        `The database ${own} is in use again: stop all processes that use it, then try again.`,
        { cause: error },
      );
    }
  });
  await withClient(onDatabase(url, keptAs), async (client) => {
    try {
      await rename(client, restored, own);
    } catch (error) {
      // From a connection to the restored database: the kept one is renamed back.
      await withClient(onDatabase(url, restored), async (other) => {
        await client.end();
        await rename(other, keptAs, own);
      });
      throw error;
    }
  });
}
