import type pg from 'pg';
import type { SnapshotRecord, TableCount } from './record.ts';

interface Table {
  readonly table: string;
  readonly tenant: boolean;
  readonly times: readonly string[];
}

/** Ordinary tables and leaves of partitioned ones; not those of extensions. */
const tablesSql = `
  select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as "table",
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as tenant,
    array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attname in ('created_at', 'updated_at')
      and a.atttypid = 'timestamptz'::regtype and not a.attisdropped) as times
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`;

const tablesOf = async (client: pg.ClientBase): Promise<Table[]> => (await client.query<Table>(tablesSql)).rows;

/** Counts rows by table and tenant. The role must see all rows: a superuser, or the owner with `app.maintenance` on. */
export async function countRows(client: pg.ClientBase): Promise<TableCount[]> {
  const counts: TableCount[] = [];
  for (const { table, tenant } of await tablesOf(client)) {
    if (!tenant) {
      const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${table}`);
      counts.push({ table, rows: Number(rows[0]?.n), tenants: null });
      continue;
    }
    const { rows } = await client.query<{ tenant: string; n: string }>(
      `select coalesce(tenant_id::text, '') as tenant, count(*) as n from ${table} group by 1 order by 1`,
    );
    const tenants = Object.fromEntries(rows.map(({ tenant, n }) => [tenant, Number(n)]));
    counts.push({ table, rows: Object.values(tenants).reduce((sum, n) => sum + n, 0), tenants });
  }
  return counts;
}

/** Differences between two counts, a line each: empty if they are equal. */
export function countDifferences(expected: readonly TableCount[], actual: readonly TableCount[]): string[] {
  const found = new Map(actual.map((count) => [count.table, count]));
  const lines: string[] = [];
  for (const { table, rows, tenants } of expected) {
    const now = found.get(table);
    found.delete(table);
    if (!now) lines.push(`${table} is missing`);
    else if (now.rows !== rows) lines.push(`${table} has ${now.rows} rows, not ${rows}`);
    else if (tenants && now.tenants)
      for (const id of new Set([...Object.keys(tenants), ...Object.keys(now.tenants)]))
        if (tenants[id] !== now.tenants[id])
          lines.push(`${table} has ${now.tenants[id] ?? 0} rows of tenant ${id || 'null'}, not ${tenants[id] ?? 0}`);
  }
  for (const table of found.keys()) lines.push(`${table} is not in the record`);
  return lines;
}

/** Rows that were written after a time, or that exceed a count, by table. */
export interface WrittenRows {
  readonly table: string;
  readonly rows: number;
}

/**
 * Rows of the live database that a snapshot doesn't have: by `created_at` and `updated_at` where the table has them, otherwise by the
 * difference of the counts.
 */
export async function rowsNewerThan(
  client: pg.ClientBase,
  { createdAt, counts }: Pick<SnapshotRecord, 'createdAt' | 'counts'>,
): Promise<WrittenRows[]> {
  const before = new Map(counts.map(({ table, rows }) => [table, rows]));
  const written: WrittenRows[] = [];
  for (const { table, times } of await tablesOf(client)) {
    const newer = times.map((column) => `${column} > $1`).join(' or ');
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from ${table}${newer === '' ? '' : ` where ${newer}`}`,
      newer === '' ? [] : [createdAt],
    );
    const n = newer === '' ? Math.max(0, Number(rows[0]?.n) - (before.get(table) ?? 0)) : Number(rows[0]?.n);
    if (n > 0) written.push({ table, rows: n });
  }
  return written;
}

export type DatabaseState = Pick<SnapshotRecord, 'database' | 'postgres' | 'plugins' | 'migrations' | 'functionOwners'>;

/** Reads what a record says of a database besides its rows. */
export async function readState(client: pg.ClientBase): Promise<DatabaseState> {
  const { rows: server } = await client.query<{ database: string; postgres: string; plugins: boolean; migrations: boolean }>(
    `select current_database()::text as database, current_setting('server_version') as postgres,
      to_regclass('core_plugin_state') is not null as plugins, to_regclass('core_migration') is not null as migrations`,
  );
  const { database, postgres, ...has } = server[0] ?? { database: '', postgres: '', plugins: false, migrations: false };
  const plugins = has.plugins
    ? (await client.query('select name, package, version, state from core_plugin_state order by name')).rows
    : [];
  const migrations = has.migrations
    ? (await client.query(`select plugin, name, checksum from core_migration where status = 'done' order by plugin, name`)).rows
    : [];
  const { rows: functionOwners } = await client.query(
    `select p.oid::regprocedure::text as function, r.rolname::text as owner
    from pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on n.oid = p.pronamespace
      join pg_database d on d.datname = current_database()
    where p.proowner <> d.datdba and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    order by 1`,
  );
  return { database, postgres, plugins, migrations, functionOwners } as DatabaseState;
}
