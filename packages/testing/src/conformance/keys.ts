import { type AnyTable, declaredKeys, tableName } from '@storeloom/plugin-sdk';
import pg from 'pg';

interface Index {
  name: string;
  unique: boolean;
  /** The definition from the method on, as PostgreSQL prints it. */
  definition: string;
}

const print = ({ unique, definition }: Index): string => (unique ? `unique ${definition}` : definition);

/** Indexes of the table `name` of the schema, without the primary key. */
async function indexesOf(client: pg.Client, schema: string, name: string): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `select i.relname as name, x.indisunique as unique, regexp_replace(pg_get_indexdef(x.indexrelid), '^.*? USING ', '') as definition
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relnamespace = $1::regnamespace and t.relname = $2 and not x.indisprimary order by i.relname`,
    [schema, name],
  );
  return rows;
}

/** The declared keys as PostgreSQL prints them: created on an empty temporary copy of the table, which locks nothing. */
async function declaredIndexes(client: pg.Client, table: AnyTable): Promise<Map<string, Index>> {
  await client.query(`create temporary table key_probe (like public.${tableName(table)})`);
  for (const { name, unique, target } of declaredKeys(table))
    await client.query(`create ${unique ? 'unique ' : ''}index ${name} on key_probe ${target}`);
  const { rows } = await client.query<{ schema: string }>('select pg_my_temp_schema()::regnamespace::text as schema');
  const indexes = await indexesOf(client, (rows[0] as { schema: string }).schema, 'key_probe');
  await client.query('drop table key_probe');
  return new Map(indexes.map((index) => [index.name, index]));
}

/**
 * Compares the indexes and unique keys of the migrated database with those that the tables declare: each is declared with the same
 * columns and condition, or named in `sqlOnly` with a reason. Returns the differences. A declared key that is missing is the matter of
 * `storeloom migrate diff`.
 */
export async function keyFaults(ownerUrl: string, tables: Iterable<AnyTable>): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const faults: string[] = [];
    for (const table of tables) {
      const name = tableName(table);
      const present = await indexesOf(client, 'public', name);
      const declared = await declaredIndexes(client, table);
      const { sqlOnly } = table.keys;
      for (const index of present) {
        const same = declared.get(index.name);
        if (same && (same.unique !== index.unique || same.definition !== index.definition))
          faults.push(`${name}: ${index.name} is declared as ${print(same)}, but the migration has ${print(index)}`);
        if (!same && !Object.hasOwn(sqlOnly, index.name))
          faults.push(`${name}: ${index.name} is neither declared nor named in sqlOnly: ${print(index)}`);
      }
      for (const [key, reason] of Object.entries(sqlOnly)) {
        if (declared.has(key)) faults.push(`${name}: ${key} is declared and named in sqlOnly`);
        else if (!present.some((index) => index.name === key)) faults.push(`${name}: sqlOnly names ${key}, which does not exist`);
        if (reason.trim() === '') faults.push(`${name}: sqlOnly gives no reason for ${key}`);
      }
    }
    return faults;
  } finally {
    await client.end();
  }
}
