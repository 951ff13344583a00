import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Migration } from '@storeloom/plugin-sdk';
import pg from 'pg';

export interface MigrationSet {
  /** `core` or the plugin's short name. */
  owner: string;
  version: string;
  migrations: readonly (Migration | { name: string; sql: string })[];
  /** Plugins whose failure blocks this one. */
  requires: readonly string[];
}
interface Applied {
  owner: string;
  name: string;
}
interface MigrationFailure {
  owner: string;
  name: string;
  /** Reason; of an error in the SQL with the line of the file and the beginning of the statement. */
  message: string;
}
/** Exit 0: all applied. 1: a core migration failed, no other ran. 3: a plugin's migration failed, the others ran. */
export interface MigrationReport {
  exitCode: 0 | 1 | 3;
  applied: Applied[];
  failed: MigrationFailure[];
  /** Plugins that were skipped because a required one failed. */
  blocked: { owner: string; because: string }[];
}

export interface MigrateOptions {
  /** Default: both. */
  readonly phase?: 'core' | 'plugins';
  /** Applies all migrations of the core or none: a failed one leaves the database, its ledger included, as it was. */
  readonly atomicCore?: boolean;
}

const ledger = `create table if not exists core_migration (
  plugin text not null, name text not null, checksum text not null, version text not null, started_at timestamptz not null default now(),
  finished_at timestamptz, status text not null check (status in ('done', 'failed')), error text, primary key (plugin, name))`;

async function sqlOf(migration: Migration | { name: string; sql: string }): Promise<string> {
  return 'sql' in migration ? migration.sql : readFile(migration.url, 'utf8');
}
const checksumOf = (sql: string): string => createHash('sha256').update(sql.replace(/\r\n/g, '\n')).digest('hex');

/** The core's tables are missing or incomplete: `storeloom migrate` creates them. */
export class MigrationsPending extends Error {
  override readonly name = 'MigrationsPending';
  readonly code = 'migration_pending';
  readonly exitCode = 1;
  constructor(what: string) {
    super(`${what}\n  fix    run \`storeloom migrate\`, then start again`);
  }
}

async function connect(ownerUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c lock_timeout=3000 -c timezone=UTC',
    application_name: 'storeloom-migrate',
  });
  // A broken connection fails the pending statement; without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Runs the migrations of core, then those of plugins in dependency order. Each migration is one transaction with its ledger row, repeated
 * if it can't get a lock within three seconds; an advisory lock prevents simultaneous runs. `signal` rolls back the current migration and
 * stops.
 */
export async function migrate(
  ownerUrl: string,
  core: MigrationSet,
  plugins: readonly MigrationSet[],
  log: (line: string) => void = () => undefined,
  signal?: AbortSignal,
  { phase, atomicCore = false }: MigrateOptions = {},
): Promise<MigrationReport> {
  const report: MigrationReport = { exitCode: 0, applied: [], failed: [], blocked: [] };
  const client = await connect(ownerUrl);
  // Cancel on the server too, which notices a closed connection only after the statement.
  const cancel = (): void => void cancelStatement(ownerUrl, client).catch(() => client.end());
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    signal?.throwIfAborted();
    await client.query(`set lock_timeout = 0; select pg_advisory_lock(hashtext('storeloom_migrate')); set lock_timeout = 3000`);
    await client.query(ledger);
    await client.query('grant select on core_migration to storeloom_platform');
    if (phase !== 'plugins' && !(await runSet(client, core, report, log, signal, atomicCore))) {
      report.exitCode = 1;
      return report;
    }
    if (phase === 'core') return report;
    const broken = new Map<string, string>();
    for (const set of plugins) {
      const because = set.requires.find((name) => broken.has(name));
      if (because !== undefined) {
        broken.set(set.owner, because);
        report.blocked.push({ owner: set.owner, because });
        continue;
      }
      if (!(await runSet(client, set, report, log, signal))) {
        broken.set(set.owner, set.owner);
        report.exitCode = 3;
      }
    }
    return report;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    await client.end();
  }
}

async function cancelStatement(ownerUrl: string, busy: pg.Client): Promise<void> {
  // cast: node-postgres' types leave the property out.
  const { processID } = busy as unknown as { processID: number };
  const client = await connect(ownerUrl);
  try {
    await client.query('select pg_cancel_backend($1)', [processID]);
  } finally {
    await client.end();
  }
}

/** A migration that isn't in the ledger. */
interface Pending {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The migration that failed, with its text as far as it could be read. */
class MigrationError extends Error {
  readonly migration: Pending;
  constructor(migration: Pending, cause: unknown) {
    super(failureText(cause, migration.sql), { cause });
    this.migration = migration;
  }
}

/** Applies the pending migrations of an owner; false if one failed. `atomic`: all in one transaction, without a record of a failure. */
async function runSet(
  client: pg.Client,
  set: MigrationSet,
  report: MigrationReport,
  log: (line: string) => void,
  signal: AbortSignal | undefined,
  atomic = false,
): Promise<boolean> {
  const { rows } = await client.query<{ name: string; checksum: string; status: string }>(
    'select name, checksum, status from core_migration where plugin = $1',
    [set.owner],
  );
  const done = new Map(rows.filter((row) => row.status === 'done').map((row) => [row.name, row.checksum]));
  const applied = (batch: readonly Pending[]): void => {
    for (const { name } of batch) {
      report.applied.push({ owner: set.owner, name });
      log(`applied ${set.owner} ${name}`);
    }
  };
  try {
    const together: Pending[] = [];
    for (const migration of set.migrations) {
      signal?.throwIfAborted();
      const pending = await readPending(migration, done.get(migration.name));
      if (!pending) continue;
      if (atomic) together.push(pending);
      else {
        await applyAll(client, set, [pending], signal);
        applied([pending]);
      }
    }
    if (together.length > 0) await applyAll(client, set, together, signal);
    applied(together);
    return true;
  } catch (error) {
    // Rolled back, not failed.
    if (signal?.aborted || !(error instanceof MigrationError)) throw error;
    const { message, migration } = error;
    report.failed.push({ owner: set.owner, name: migration.name, message });
    if (!atomic)
      await client.query(
        `insert into core_migration (plugin, name, checksum, version, status, error, finished_at) values ($1, $2, $3, $4, 'failed', $5, now())
        on conflict (plugin, name) do update set error = excluded.error, version = excluded.version, finished_at = now(),
          status = case when core_migration.status = 'done' then 'done' else 'failed' end`,
        [set.owner, migration.name, migration.checksum, set.version, message.slice(0, 2000)],
      );
    return false;
  }
}

/**
 * Returns the text of a migration; undefined if it is applied.
 * @throws MigrationError if the file is missing, or was changed after it was applied
 */
async function readPending(
  migration: MigrationSet['migrations'][number],
  known: string | undefined,
): Promise<Pending | undefined> {
  const { name } = migration;
  let sql: string;
  try {
    sql = await sqlOf(migration);
  } catch (error) {
    throw new MigrationError({ name, sql: '', checksum: '' }, error);
  }
  const pending = { name, sql, checksum: checksumOf(sql) };
  if (known === undefined) return pending;
  if (known === pending.checksum) return undefined;
  throw new MigrationError(
    pending,
    new Error(`the file of the applied migration ${name} was changed; migrations are append-only: put it back and add a new one`),
  );
}

const longestHead = 160;
/** Returns the reason of a failed migration. PostgreSQL gives the position of errors of syntax and of names. */
function failureText(error: unknown, sql: string): string {
  const { code, path, message, position } = error as Error & { code?: string; path?: string; position?: string };
  if (code === 'ENOENT')
    return `The file ${path} is missing. Create it, or take it off the plugin's \`migrations\`; of an installed package, its publisher left the folder out.`;
  const at = Number(position);
  if (!(at > 0)) return message;
  // PostgreSQL counts characters, JavaScript UTF-16 units.
  const before = [...sql].slice(0, at - 1).join('');
  const start = before.lastIndexOf(';') + 1;
  const statement = sql
    .slice(start)
    .replace(/^(?:\s|--[^\n]*\n)+/, '')
    .split(';', 1)[0] as string;
  const head = statement.replace(/\s+/g, ' ').slice(0, longestHead);
  return `line ${before.split('\n').length}: ${message}\n  ${head}${head.length < longestHead ? '' : ' …'}`;
}

/** Attempts of a transaction that can't get a lock: a request or job holds it longer than `lock_timeout`, or both wait for each other. */
const lockAttempts = 10;

/** Applies migrations with their ledger rows in one transaction. @throws MigrationError */
async function applyAll(
  client: pg.Client,
  set: MigrationSet,
  batch: readonly Pending[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyOnce(client, set, batch);
      return;
    } catch (error) {
      const { code } = (error as { cause?: { code?: string } }).cause ?? {};
      if ((code !== '55P03' && code !== '40P01') || attempt === lockAttempts || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * attempt));
    }
  }
}

async function applyOnce(client: pg.Client, set: MigrationSet, batch: readonly Pending[]): Promise<void> {
  await client.query('begin');
  let current = batch[0] as Pending;
  try {
    // Data migrations run as owner, which sees tenants' rows only with this setting.
    await client.query(`select set_config('app.maintenance', 'on', true)`);
    for (current of batch) {
      await client.query(current.sql);
      await client.query(
        `insert into core_migration (plugin, name, checksum, version, status, finished_at) values ($1, $2, $3, $4, 'done', now())
        on conflict (plugin, name) do update set checksum = excluded.checksum, version = excluded.version, status = 'done', error = null, finished_at = now()`,
        [set.owner, current.name, current.checksum, set.version],
      );
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new MigrationError(current, error);
  }
}

/** Returns the first missing or failed migration by owner. The boot checks it and never migrates. */
export async function pendingMigrations(
  pool: { query(text: string): Promise<{ rows: unknown[] }> },
  sets: readonly MigrationSet[],
): Promise<Map<string, { code: 'migration_pending' | 'migration_failed'; name: string; message: string }>> {
  const { rows } = await pool.query('select plugin, name, status, error from core_migration');
  const known = new Map(
    (rows as { plugin: string; name: string; status: string; error: string | null }[]).map((row) => [
      `${row.plugin} ${row.name}`,
      row,
    ]),
  );
  const pending = new Map<string, { code: 'migration_pending' | 'migration_failed'; name: string; message: string }>();
  for (const set of sets) {
    for (const { name } of set.migrations) {
      const row = known.get(`${set.owner} ${name}`);
      if (row?.status === 'done') continue;
      pending.set(
        set.owner,
        row
          ? { code: 'migration_failed', name, message: `${name} failed: ${row.error ?? 'no reason stored'}` }
          : { code: 'migration_pending', name, message: `${name} has not run: run storeloom migrate` },
      );
      break;
    }
  }
  return pending;
}

export interface MigrationStatus {
  owner: string;
  name: string;
  status: 'done' | 'failed' | 'pending';
}
export async function migrationStatus(ownerUrl: string, sets: readonly MigrationSet[]): Promise<MigrationStatus[]> {
  const client = await connect(ownerUrl);
  try {
    const { rows: present } = await client.query<{ there: boolean }>(`select to_regclass('core_migration') is not null as there`);
    const { rows } = present[0]?.there
      ? await client.query<{ plugin: string; name: string; status: 'done' | 'failed' }>(
          'select plugin, name, status from core_migration',
        )
      : { rows: [] };
    const known = new Map(rows.map((row) => [`${row.plugin} ${row.name}`, row.status]));
    return sets.flatMap((set) =>
      set.migrations.map(({ name }) => ({
        owner: set.owner,
        name,
        status: known.get(`${set.owner} ${name}`) ?? ('pending' as const),
      })),
    );
  } finally {
    await client.end();
  }
}
