import type { Field, FieldMode, FieldSpec, Shape } from '../field.ts';
import { snake } from '../names.ts';
import { type AnyTable, tableName } from '../table.ts';

/** The SQL of a table, derived once from its fields. */
export interface TableSql {
  /** Name of the table. */
  readonly name: string;
  /** Select list that returns rows in the shape of the API; columns are qualified by `t`. */
  readonly select: string;
  /** Fields with columns, by property name. */
  readonly columns: ReadonlyMap<string, FieldSpec>;
}

const cache = new WeakMap<AnyTable, TableSql>();

const quote = (name: string): string => `"${name.replace(/"/g, '""')}"`;

/** Returns the SQL expression of a field's value in the API, from the columns of `alias`. */
export function selectField(name: string, field: Field<unknown, FieldMode>, alias = 't'): string {
  const column = `${alias}.${quote(snake(name))}`;
  if (field.spec.kind === 'money') {
    const amount = `${alias}.${quote(`${snake(name)}_amount`)}`;
    return `case when ${amount} is null then null else json_build_object('amount', ${amount}, 'currency', ${alias}.${quote(`${snake(name)}_currency`)}) end`;
  }
  if (field.spec.kind === 'time') return `to_char(${column}, 'HH24:MI')`;
  if (field.spec.kind === 'decimal') return `${column}::text`;
  return column;
}

/** Returns the SQL of a table. */
export function tableSql(table: AnyTable): TableSql {
  let sql = cache.get(table);
  if (!sql) {
    const columns = new Map<string, FieldSpec>();
    const parts = [
      't.id',
      't.created_at as "createdAt"',
      ...(table.appendOnly ? ['t.created_at as "updatedAt"', '1 as version'] : ['t.updated_at as "updatedAt"', 't.version']),
    ];
    for (const [name, field] of Object.entries(table.fields as Shape)) {
      if (field.spec.virtual) continue;
      columns.set(name, field.spec);
      parts.push(`${selectField(name, field)} as ${quote(name)}`);
    }
    sql = { name: tableName(table), select: parts.join(', '), columns };
    cache.set(table, sql);
  }
  return sql;
}

/** Returns true if a value of this kind is stored as jsonb. */
export function isJson(spec: FieldSpec): boolean {
  return spec.translatable || spec.kind === 'json' || spec.kind === 'list' || spec.kind === 'object' || spec.kind === 'i18n';
}
