import { type AnyTable, columnsOf, type Shape, tableName } from '@storeloom/plugin-sdk';
import { baseColumns, readPresent } from './present.ts';

/**
 * Returns what the database lacks of the declared tables: names of tables, and `table.column` where the table exists. It reads the catalogue
 * only, so it suits each start in development; types, keys and checks are compared by `draftMigration`.
 * @throws DatabaseRefused where the database can't be reached
 */
export async function missingColumns(ownerUrl: string, tables: readonly AnyTable[]): Promise<Map<AnyTable, string[]>> {
  const missing = new Map<AnyTable, string[]>();
  const present = await readPresent(ownerUrl, tables);
  for (const table of tables) {
    const name = tableName(table);
    const columns = present.tables.get(name);
    const lacking = columns === undefined ? [name] : declaredColumns(table).filter((column) => !columns.has(column));
    if (lacking.length > 0) missing.set(table, columns === undefined ? lacking : lacking.map((column) => `${name}.${column}`));
  }
  return missing;
}

const declaredColumns = (table: AnyTable): string[] => [
  ...baseColumns(table),
  ...Object.entries(table.fields as Shape).flatMap(([field, { spec }]) => columnsOf(field, spec.kind, spec.virtual)),
];
