import { asRefusal } from '@storeloom/data';
import { type AnyTable, tableName } from '@storeloom/plugin-sdk';
import pg from 'pg';

export interface Column {
  type: string;
  nullable: boolean;
}
/** What of some tables is in the database. */
export interface Present {
  /** Column by name, by table. */
  tables: Map<string, Map<string, Column>>;
  /** Names of indexes and constraints. */
  names: Set<string>;
}

/** Columns that a table has beside its fields, its id and its tenant. */
export const baseColumns = (table: AnyTable): string[] => [
  'created_at',
  ...(table.appendOnly ? [] : ['updated_at', 'version']),
  ...(table.softDelete ? ['deleted_at'] : []),
];

/** @throws DatabaseRefused where the database can't be reached */
export async function readPresent(ownerUrl: string, declared: readonly AnyTable[]): Promise<Present> {
  const client = new pg.Client({ connectionString: ownerUrl });
  try {
    await client.connect();
    const tables = declared.map(tableName);
    const columns = await client.query<{ table: string; column: string; type: string; nullable: boolean }>(
      `select table_name as "table", column_name as "column", data_type as type, is_nullable = 'YES' as nullable
       from information_schema.columns where table_schema = 'public' and table_name = any($1)`,
      [tables],
    );
    const names = await client.query<{ name: string }>(
      `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
         where t.relnamespace = 'public'::regnamespace and t.relname = any($1)
       union select c.conname from pg_constraint c join pg_class t on t.oid = c.conrelid
         where t.relnamespace = 'public'::regnamespace and t.relname = any($1)`,
      [tables],
    );
    const found = new Map<string, Map<string, Column>>();
    for (const { table, column, ...rest } of columns.rows) {
      if (!found.has(table)) found.set(table, new Map());
      found.get(table)?.set(column, rest);
    }
    return { tables: found, names: new Set(names.rows.map(({ name }) => name)) };
  } catch (error) {
    throw asRefusal(error, ownerUrl);
  } finally {
    await client.end();
  }
}
