import { type RawBuilder, sql } from 'kysely';
import type { Clock, Db, FindOptions, Rows, Where } from '../context.ts';
import type { FieldSpec, InsertOf, RowOf, Shape } from '../field.ts';
import { uuidv7 } from '../id.ts';
import { snake } from '../names.ts';
import { notFound, Problem } from '../problem.ts';
import type { BaseRow, Table } from '../table.ts';
import { isJson, type TableSql, tableSql } from './columns.ts';

/** What the row engine needs of its surroundings. */
export interface RowsHost {
  readonly db: Db;
  readonly tenantId: string;
  readonly clock: Clock;
  seal(text: string): string;
}

type Values = Record<string, unknown>;

/** Column names and parameters of one member. Money has two columns, JSON is cast, a secret is sealed. */
function assign(host: RowsHost, name: string, spec: FieldSpec, value: unknown): [string, RawBuilder<unknown>][] {
  const column = snake(name);
  if (spec.kind === 'money') {
    const money = value as { amount: number; currency: string } | null | undefined;
    return [
      [`${column}_amount`, sql`${money?.amount ?? null}`],
      [`${column}_currency`, sql`${money?.currency ?? null}`],
    ];
  }
  if (value === null || value === undefined) return [[column, sql`null`]];
  if (isJson(spec)) return [[column, sql`${JSON.stringify(value)}::jsonb`]];
  if (spec.kind === 'secret') return [[column, sql`${host.seal(value as string)}`]];
  return [[column, sql`${value}`]];
}

function columnOf(table: TableSql, member: string): string {
  if (member === 'id' || member === 'version') return member;
  if (member === 'createdAt' || member === 'updatedAt') return snake(member);
  const spec = table.columns.get(member);
  if (!spec) throw new Error(`${table.name} has no column for ${member}`);
  return spec.kind === 'money' ? `${snake(member)}_amount` : snake(member);
}

function condition(table: TableSql, where: Where<Values>): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = [];
  for (const [member, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const column = sql.ref(`t.${columnOf(table, member)}`);
    if (value === null) parts.push(sql`${column} is null`);
    else if (Array.isArray(value)) parts.push(value.length === 0 ? sql`false` : sql`${column} in (${sql.join(value)})`);
    else parts.push(sql`${column} = ${value}`);
  }
  return parts;
}

/** The engine behind `ctx.rows(table)`. */
export function rowsOf<S extends Shape>(host: RowsHost, table: Table<S>): Rows<S> {
  type Row = RowOf<S> & BaseRow;
  const meta = tableSql(table);
  const name = sql.table(meta.name);
  const select = sql.raw(meta.select);
  const alive = (): RawBuilder<unknown>[] => [
    sql`t.tenant_id = ${host.tenantId}`,
    ...(table.softDelete ? [sql`t.deleted_at is null`] : []),
  ];
  const and = (parts: RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(parts, sql` and `);

  const find = (where: Where<Row>, options: FindOptions<Row> = {}): Promise<Row[]> => {
    const order = options.orderBy ?? (options.lock ? (['id'] as const) : []);
    const orderBy =
      order.length === 0
        ? sql``
        : sql` order by ${sql.join(order.map((key) => (key.startsWith('-') ? sql`${sql.ref(`t.${columnOf(meta, key.slice(1))}`)} desc` : sql`${sql.ref(`t.${columnOf(meta, key)}`)}`)))}`;
    return host.db.rows<Row>(
      sql`select ${select} from ${name} t where ${and([...alive(), ...condition(meta, where as Where<Values>)])}${orderBy}${options.limit === undefined ? sql`` : sql` limit ${options.limit}`}${options.lock ? sql` for update of t` : sql``}`,
    );
  };
  const byId = async (id: string, options: { lock?: boolean } = {}): Promise<Row | undefined> =>
    (await find({ id } as Where<Row>, { limit: 1, ...options }))[0];

  const insertMany = async (items: readonly (InsertOf<S> & { id?: string })[]): Promise<Row[]> => {
    if (items.length === 0) return [];
    const now = host.clock.now();
    const base = ['tenant_id', 'id', 'created_at', ...(table.appendOnly ? [] : ['updated_at'])];
    const columns: string[] = [...base];
    for (const [member, spec] of meta.columns)
      columns.push(...(spec.kind === 'money' ? [`${snake(member)}_amount`, `${snake(member)}_currency`] : [snake(member)]));
    const tuples = items.map((item) => {
      const values: RawBuilder<unknown>[] = [
        sql`${host.tenantId}`,
        sql`${item.id ?? uuidv7(host.clock.ms())}`,
        sql`${now}`,
        ...(table.appendOnly ? [] : [sql`${now}`]),
      ];
      for (const [member, spec] of meta.columns) {
        const given = (item as Values)[member];
        for (const [, value] of assign(
          host,
          member,
          spec,
          given === undefined ? (spec.hasDefault ? spec.defaultValue : null) : given,
        ))
          values.push(value);
      }
      return sql`(${sql.join(values)})`;
    });
    return host.db.rows<Row>(
      sql`insert into ${name} as t (${sql.join(columns.map((c) => sql.id(c)))}) values ${sql.join(tuples)} returning ${select}`,
    );
  };

  const setters = (change: Values): RawBuilder<unknown>[] => {
    if (table.appendOnly) throw new Error(`${meta.name} is append-only`);
    const parts: RawBuilder<unknown>[] = [sql`updated_at = ${host.clock.now()}`, sql`version = t.version + 1`];
    for (const [member, value] of Object.entries(change)) {
      if (value === undefined) continue;
      const spec = meta.columns.get(member);
      if (!spec) throw new Error(`${meta.name} has no column for ${member}`);
      for (const [column, expression] of assign(host, member, spec, value)) parts.push(sql`${sql.id(column)} = ${expression}`);
    }
    return parts;
  };

  return {
    get: byId,
    async require(id, options) {
      const row = await byId(id, options);
      if (!row) throw notFound();
      return row;
    },
    find,
    async first(where, options) {
      return (await find(where, { ...options, limit: 1 }))[0];
    },
    async count(where) {
      const row = await host.db.first<{ n: number }>(
        sql`select count(*)::int8 as n from ${name} t where ${and([...alive(), ...condition(meta, where as Where<Values>)])}`,
      );
      return row?.n ?? 0;
    },
    async insert(values) {
      const [row] = await insertMany([values]);
      return row as Row;
    },
    insertMany,
    async update(id, change, options = {}) {
      const guard = options.version === undefined ? [] : [sql`t.version = ${options.version}`];
      const [row] = await host.db.rows<Row>(
        sql`update ${name} as t set ${sql.join(setters(change as Values))} where ${and([...alive(), sql`t.id = ${id}`, ...guard])} returning ${select}`,
      );
      if (row) return row;
      if (options.version !== undefined && (await byId(id))) throw new Problem('version_conflict');
      throw notFound();
    },
    updateWhere(where, change) {
      return host.db.run(
        sql`update ${name} as t set ${sql.join(setters(change as Values))} where ${and([...alive(), ...condition(meta, where as Where<Values>)])}`,
      );
    },
    async remove(id) {
      return (await this.removeWhere({ id } as Where<Row>)) > 0;
    },
    removeWhere(where) {
      const which = and([...alive(), ...condition(meta, where as Where<Values>)]);
      if (table.softDelete)
        return host.db.run(sql`update ${name} as t set deleted_at = ${host.clock.now()}, version = t.version + 1 where ${which}`);
      return host.db.run(sql`delete from ${name} as t where ${which}`);
    },
  };
}
