import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { type AnyTable, columnsOf, compileSchema, type FieldSpec, type Shape, tableName } from '@storeloom/plugin-sdk';
import { baseColumns, type Column, readPresent } from './present.ts';

/** Types that a column of a field may have: the first is the one that is drafted. */
function typesOf(spec: Pick<FieldSpec, 'kind' | 'translatable'>, column: string): readonly string[] {
  if (spec.translatable) return ['jsonb'];
  switch (spec.kind) {
    case 'money':
      return column.endsWith('_currency') ? ['character'] : ['bigint'];
    case 'int':
    case 'ppm':
    case 'bp':
      return ['integer', 'bigint', 'smallint'];
    case 'decimal':
      return ['numeric'];
    case 'bool':
      return ['boolean'];
    case 'date':
      return ['date'];
    case 'time':
      return ['time without time zone'];
    case 'instant':
      return ['timestamp with time zone'];
    case 'id':
    case 'ref':
      return ['uuid'];
    case 'json':
    case 'list':
    case 'object':
    case 'i18n':
      return ['jsonb'];
    default:
      return ['text', 'character'];
  }
}

/** MikroORM's statements for all tables of the plugin, without quotes where a name needs none. */
async function statementsOf(tables: readonly AnyTable[]): Promise<string[]> {
  const orm = new MikroORM({
    driver: PostgreSqlDriver,
    entities: compileSchema(tables),
    dbName: 'storeloom',
    ensureDatabase: false,
    debug: false,
    logger: () => undefined,
    discovery: { warnWhenNoEntities: false },
    metadataCache: { enabled: false },
  });
  const sql = await orm.schema.getCreateSchemaSQL({ wrap: false });
  return sql
    .split(/;\s*(?:\n|$)/)
    .map((statement) => unquoted(statement.trim()))
    .filter((statement) => statement !== '');
}

const reserved = new Set(
  'all and any array as asc both case cast check collate column constraint create default desc distinct do else end false fetch for foreign from grant group having in into leading limit not null offset on only or order primary references returning select some table then to trailing true union unique user using when where window with'.split(
    ' ',
  ),
);
const quoted = (name: string): string => (reserved.has(name) ? `"${name}"` : name);
const unquoted = (statement: string): string => statement.replace(/"([a-z_][a-z0-9_]*)"/g, (_, name: string) => quoted(name));

/** `create table` with a line for each column, as migrations of the repository are written. */
function createTable(statement: string): string {
  const [, head, body] = /^(create table \w+ )\((.*)\)$/s.exec(statement) ?? [];
  if (head === undefined || body === undefined) throw new Error(`MikroORM drafted a table in another form: ${statement}`);
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of body) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += char;
  }
  parts.push(part.trim());
  const lines = parts.map((line) =>
    line
      .replace(/^tenant_id uuid not null$/, 'tenant_id uuid not null references core_tenant (id)')
      .replace(/ null$/, (end, at: number, text: string) => (text.slice(0, at).endsWith(' not') ? end : '')),
  );
  return `${head}(\n  ${lines.join(',\n  ')}\n)`;
}

const tableOf = (statement: string): string | undefined =>
  /^(?:create table|alter table|create (?:unique )?index \w+ on) (\w+)/.exec(statement)?.[1];
const nameOf = (statement: string): string | undefined =>
  /^create (?:unique )?index (\w+)|^alter table \w+ add constraint (\w+)/.exec(statement)?.slice(1).find(Boolean);

/**
 * Drafts the SQL that brings the tables of one plugin from the state of the database to their fields: new tables with their tenant
 * policies, new and changed columns, declared keys and checks. It drops nothing: what a migration has beyond the fields is the plugin's
 * own. Empty where nothing is missing. The draft is for review; the released migration is a file of the plugin.
 */
export async function draftMigration(ownerUrl: string, tables: readonly AnyTable[]): Promise<string> {
  if (tables.length === 0) return '';
  const present = await readPresent(ownerUrl, tables);
  const draft: string[] = [];
  const isNew = (table: string | undefined): boolean => table !== undefined && !present.tables.has(table);
  const statements = await statementsOf(tables);
  const declared = new Set(tables.flatMap((table) => declaredNames(table, statements)));
  const added = new Set<string>();
  for (const table of tables) {
    const name = tableName(table);
    const columns = present.tables.get(name);
    const own = statements.filter((statement) => tableOf(statement) === name);
    const create = own.find((statement) => statement.startsWith('create table'));
    if (!columns) draft.push(createTable(create as string));
    else draft.push(...changedColumns(table, columns, create as string, added));
  }
  for (const statement of statements) {
    if (statement.startsWith('create table')) continue;
    const [table, name] = [tableOf(statement), nameOf(statement)];
    if (name === undefined || present.names.has(name)) continue;
    const column = /foreign key \(tenant_id, (\w+)\)/.exec(statement)?.[1];
    if (isNew(table) || declared.has(name) || (column !== undefined && added.has(`${table}.${column}`)))
      draft.push(statement.replace(' on update no action on delete no action', ''));
  }
  for (const table of tables) if (isNew(tableName(table))) draft.push(`select core_tenant_table('${tableName(table)}')`);
  return draft.map((statement) => `${statement};\n`).join('');
}

/** Names of the keys and checks that the table declares; those of its kinds come with a new table only. */
function declaredNames(table: AnyTable, statements: readonly string[]): string[] {
  const name = tableName(table);
  const checks = Object.keys(table.keys.checks).map((suffix) => `${name}_${suffix}_check`);
  const indexes = statements.filter((each) => tableOf(each) === name && each.startsWith('create ')).map(nameOf);
  return [...checks, ...indexes.filter((each): each is string => each !== undefined)];
}

function changedColumns(table: AnyTable, columns: Map<string, Column>, create: string, added: Set<string>): string[] {
  const name = tableName(table);
  const draft: string[] = [];
  const add = (column: string): void => {
    const line = createTable(create)
      .split('\n  ')
      .find((each) => each.startsWith(`${column} `) || each.startsWith(`"${column}" `));
    added.add(`${name}.${column}`);
    draft.push(`alter table ${name} add column ${(line as string).replace(/,?\n?\)?$/, '')}`);
  };
  for (const column of baseColumns(table)) if (!columns.has(column)) add(column);
  for (const [field, { spec }] of Object.entries(table.fields as Shape))
    for (const column of columnsOf(field, spec.kind, spec.virtual)) {
      const found = columns.get(column);
      const types = typesOf(spec, column);
      if (!found) add(column);
      else if (!types.includes(found.type))
        draft.push(`alter table ${name} alter column ${quoted(column)} type ${types[0]} using ${quoted(column)}::${types[0]}`);
      else if (spec.nullable && !found.nullable) draft.push(`alter table ${name} alter column ${quoted(column)} drop not null`);
    }
  return draft;
}
