import { LockMode, raw } from '@mikro-orm/core';
import type { Clock, Db, FindOptions, Rows, Where } from '../context.ts';
import type { FieldSpec, InsertOf, RowOf, Shape } from '../field.ts';
import { uuidv7 } from '../id.ts';
import { snake } from '../names.ts';
import { notFound, Problem } from '../problem.ts';
import type { AnyTable, BaseRow, Table } from '../table.ts';
import { isJson, type TableSql, tableSql } from './columns.ts';
import { type Plan, type Statements, valueAt, withValues } from './statements.ts';

/** Services that `ctx.rows` needs. */
export interface RowsHost {
  /** The transaction. */
  readonly db: Db;
  /** Id of the tenant. */
  readonly tenantId: string;
  /** The current time. */
  readonly clock: Clock;
  /** The kernel's cached statements. */
  readonly statements: Statements;
  /** Encrypts a secret. */
  seal(text: string): string;
  /** Removes rows from the identity map of `ctx.em` after they were written: the row with this id, or all rows of the table. */
  written?(table: AnyTable, id: string | undefined): void;
}

type Values = Record<string, unknown>;

/** A statement of PostgreSQL's protocol takes no more. */
const mostParameters = 65_535;

/** From this number on, rows are written as one JSON parameter: parsing a statement with thousands of parameters takes longer. */
const manyRows = 16;

/** Adds the columns of one member to the record of a row. */
function addColumns(record: Values, host: RowsHost, member: string, spec: FieldSpec, value: unknown): void {
  const column = snake(member);
  if (spec.kind === 'money') {
    const money = value as { amount: number; currency: string } | null | undefined;
    record[`${column}_amount`] = money?.amount ?? null;
    record[`${column}_currency`] = money?.currency ?? null;
  } else
    record[column] = value === null || value === undefined ? null : spec.kind === 'secret' ? host.seal(value as string) : value;
}
const quoted = (columns: Iterable<string>, alias = ''): string => [...columns].map((column) => `${alias}"${column}"`).join(', ');

/** Adds the values of one member to those of the statement, in the order of its columns. */
function addValues(values: unknown[], host: RowsHost, spec: FieldSpec, value: unknown): void {
  if (spec.kind === 'money') {
    const money = value as { amount: number; currency: string } | null | undefined;
    values.push(money?.amount ?? null, money?.currency ?? null);
    return;
  }
  if (value === null || value === undefined) values.push(null);
  else if (isJson(spec)) values.push(JSON.stringify(value));
  else values.push(spec.kind === 'secret' ? host.seal(value as string) : value);
}

/** The entity's data of one member, with placeholders from `position` on. Gives the next position. */
function place(data: Values, member: string, spec: FieldSpec, position: number): number {
  if (spec.kind !== 'money') {
    data[member] = valueAt(position);
    return position + 1;
  }
  data[member] = { amount: valueAt(position), currency: valueAt(position + 1) };
  return position + 2;
}

const baseMembers = new Set(['id', 'version', 'createdAt', 'updatedAt']);

/** Property of the entity that a condition or an order on this member compares: of money the amount. */
function comparable(table: TableSql, member: string, value: unknown): Values {
  if (baseMembers.has(member)) return { [member]: value };
  const spec = table.columns.get(member);
  if (!spec) throw new Error(`${table.name} has no column for ${member}`);
  return { [member]: spec.kind === 'money' ? { amount: value } : value };
}
function columnOf(table: TableSql, member: string): string {
  const column = Object.keys(comparable(table, member, null))[0] as string;
  return table.columns.get(member)?.kind === 'money' ? `${snake(column)}_amount` : snake(column);
}

/** The condition of a statement: the part of its key, and the values in order. The tenant's id is the first of them. */
interface Condition {
  readonly key: string;
  readonly values: unknown[];
  /** The entity's filter, its placeholders from `position` on. */
  filter(position: number): Values;
}

function conditionOf(host: RowsHost, table: TableSql, softDelete: boolean, wanted: Where<Values>): Condition {
  const values: unknown[] = [host.tenantId];
  let key = '';
  for (const member in wanted) {
    const value = wanted[member];
    if (value === undefined) continue;
    if (value === null) key += `|${member}:null`;
    else if (!Array.isArray(value)) {
      key += `|${member}`;
      values.push(value);
    } else if (value.length === 0) key += '|none';
    else {
      key += `|${member}[]`;
      values.push(value);
    }
  }
  return {
    key,
    values,
    filter(position) {
      const parts: Values[] = [{ tenantId: valueAt(position) }];
      let next = position + 1;
      if (softDelete) parts.push({ deletedAt: null });
      for (const [member, value] of Object.entries(wanted)) {
        if (value === undefined) continue;
        if (value === null) parts.push(comparable(table, member, null));
        else if (!Array.isArray(value)) parts.push(comparable(table, member, valueAt(next++)));
        else if (value.length === 0) parts.push({ [raw('false')]: [] });
        else parts.push({ [raw(`t."${columnOf(table, member)}" = any(?)`, [valueAt(next++)])]: [] });
      }
      return { $and: parts };
    },
  };
}

/** Returns the rows of a table, as `ctx.rows(table)` does. */
export function rowsOf<S extends Shape>(host: RowsHost, table: Table<S>): Rows<S> {
  type Row = RowOf<S> & BaseRow;
  const anyTable = table;
  const meta = tableSql(table);
  const { name, select } = meta;
  const { statements } = host;
  const where = (wanted: Where<Values>): Condition => conditionOf(host, meta, table.softDelete, wanted);
  const selected = raw(select);

  const find = (wanted: Where<Row>, options: FindOptions<Row> = {}): Promise<Row[]> => {
    const condition = where(wanted as Where<Values>);
    const { limit, lock } = options;
    const order: readonly string[] = options.orderBy ?? (lock ? ['id'] : []);
    const { values } = condition;
    const count = values.length;
    if (limit !== undefined) values.push(limit);
    const key = `${name} find${condition.key} ${order.join()}${limit === undefined ? '' : ' limit'}${lock ? ' lock' : ''}`;
    const plan = statements.plan(key, () => {
      const builder = statements.builder(anyTable);
      builder.select(selected).where(condition.filter(0));
      const terms = order.map((term) =>
        term.startsWith('-') ? comparable(meta, term.slice(1), 'desc') : comparable(meta, term, 'asc'),
      );
      if (terms.length > 0) builder.orderBy(terms);
      if (limit !== undefined) builder.limit(valueAt(count));
      if (lock) builder.setLockMode(LockMode.PESSIMISTIC_WRITE, ['t']);
      return builder;
    });
    return host.db.rows<Row>(withValues(plan, values));
  };
  const byId = async (id: string, options: { lock?: boolean } = {}): Promise<Row | undefined> =>
    (await find({ id } as Where<Row>, { limit: 1, ...options }))[0];

  type Inserted = InsertOf<S> & { id?: string };
  const columns = [...meta.columns];
  const valuesOf = (item: Inserted, now: string, values: unknown[]): void => {
    values.push(host.tenantId, item.id ?? uuidv7(host.clock.ms()), now);
    if (!table.appendOnly) values.push(now);
    for (const [member, spec] of columns) {
      const given = (item as Values)[member];
      addValues(values, host, spec, given === undefined ? (spec.hasDefault ? spec.defaultValue : null) : given);
    }
  };
  const insertOne = (returning: boolean): Plan =>
    statements.plan(`${name} insert${returning ? ' returning' : ''}`, () => {
      const data: Values = { tenantId: valueAt(0), id: valueAt(1), createdAt: valueAt(2) };
      let next = 3;
      if (!table.appendOnly) data.updatedAt = valueAt(next++);
      for (const [member, spec] of columns) next = place(data, member, spec, next);
      const insert = statements.builder(anyTable).insert(data);
      return returning ? insert.returning([selected]) : insert;
    });
  const insertPlan = (count: number): Plan => {
    const one = insertOne(true);
    return count === 1 ? one : statements.derived(`${name} insert ${count}`, () => repeated(one, count));
  };
  const insertAsJson = (items: readonly Inserted[], now: string): Promise<Row[]> => {
    const records = items.map((item) => {
      const record: Values = { tenant_id: host.tenantId, id: item.id ?? uuidv7(host.clock.ms()), created_at: now };
      if (!table.appendOnly) record.updated_at = now;
      for (const [member, spec] of columns) {
        const given = (item as Values)[member];
        addColumns(record, host, member, spec, given === undefined && spec.hasDefault ? spec.defaultValue : given);
      }
      return record;
    });
    const plan = statements.derived(`${name} insert as json`, () => {
      const names = Object.keys(records[0] as Values);
      return {
        text: `insert into "${name}" as t (${quoted(names)}) select ${quoted(names, 'x.')} from jsonb_populate_recordset(null::"${name}", $1::jsonb) x returning ${select}`,
        order: [0],
      };
    });
    return host.db.rows<Row>(withValues(plan, [JSON.stringify(records)]));
  };
  const insertMany = async (items: readonly Inserted[]): Promise<Row[]> => {
    if (items.length === 0) return [];
    const now = host.clock.now();
    if (items.length >= manyRows) return insertAsJson(items, now);
    const most = Math.floor(mostParameters / insertOne(true).order.length);
    const parts: Promise<Row[]>[] = [];
    for (let i = 0; i < items.length; i += most) {
      const part = items.slice(i, i + most);
      const values: unknown[] = [];
      for (const item of part) valuesOf(item, now, values);
      parts.push(host.db.rows<Row>(withValues(insertPlan(part.length), values)));
    }
    return (await Promise.all(parts)).flat();
  };

  /** Values of a change, and the part of the key that names its columns. */
  const changed = (change: Values): { key: string; values: unknown[]; data(): Values } => {
    if (table.appendOnly) throw new Error(`${name} is append-only`);
    const values: unknown[] = [host.clock.now()];
    let key = '';
    for (const member in change) {
      const value = change[member];
      if (value === undefined) continue;
      const spec = meta.columns.get(member);
      if (!spec) throw new Error(`${name} has no column for ${member}`);
      key += `,${member}`;
      addValues(values, host, spec, value);
    }
    return {
      key,
      values,
      data() {
        const data: Values = { updatedAt: valueAt(0), version: raw('t.version + 1') };
        let next = 1;
        for (const [member, value] of Object.entries(change))
          if (value !== undefined) next = place(data, member, meta.columns.get(member) as FieldSpec, next);
        return data;
      },
    };
  };
  const written = (wanted: Where<Values>): void =>
    host.written?.(anyTable, typeof wanted.id === 'string' ? wanted.id : undefined);

  return {
    get: byId,
    async require(id, options) {
      const row = await byId(id, options);
      if (!row) throw notFound();
      return row;
    },
    find,
    async first(wanted, options) {
      return (await find(wanted, { ...options, limit: 1 }))[0];
    },
    async count(wanted) {
      const condition = where(wanted as Where<Values>);
      const plan = statements.plan(`${name} count${condition.key}`, () =>
        statements.builder(anyTable).select(raw('count(*)::int8 as n')).where(condition.filter(0)),
      );
      return (await host.db.first<{ n: number }>(withValues(plan, condition.values)))?.n ?? 0;
    },
    async insert(values) {
      const [row] = await insertMany([values]);
      return row as Row;
    },
    insertMany,
    insertLater(item) {
      const values: unknown[] = [];
      valuesOf(item, host.clock.now(), values);
      host.db.later(withValues(insertOne(false), values));
    },
    async update(id, change, options = {}) {
      const { version } = options;
      const condition = where(version === undefined ? { id } : { id, version });
      const { key, values, data } = changed(change as Values);
      const count = values.length;
      const plan = statements.plan(`${name} update ${key}${condition.key} returning`, () =>
        statements.builder(anyTable).update(data()).where(condition.filter(count)).returning([selected]),
      );
      values.push(...condition.values);
      const [row] = await host.db.rows<Row>(withValues(plan, values));
      written({ id });
      if (row) return row;
      if (version !== undefined && (await byId(id))) throw new Problem('version_conflict');
      throw notFound();
    },
    async updateMany(changes) {
      if (changes.length === 0) return [];
      if (table.appendOnly) throw new Error(`${name} is append-only`);
      const members = Object.keys(changes[0] as object).filter((member) => member !== 'id');
      const records = changes.map(({ id, ...change }) => {
        const record: Values = { id };
        if (Object.keys(change).length !== members.length || members.some((member) => !(member in change)))
          throw new Error(`${name}: the changes have different properties`);
        for (const member of members) {
          const spec = meta.columns.get(member);
          if (!spec) throw new Error(`${name} has no column for ${member}`);
          addColumns(record, host, member, spec, (change as Values)[member]);
        }
        return record;
      });
      const plan = statements.derived(`${name} update as json ${members.join()}`, () => {
        const names = Object.keys(records[0] as Values).filter((column) => column !== 'id');
        const set = [...names.map((column) => `"${column}" = x."${column}"`), 'updated_at = $2', 'version = t.version + 1'];
        return {
          text: `update "${name}" t set ${set.join(', ')} from jsonb_populate_recordset(null::"${name}", $1::jsonb) x where t.tenant_id = $3 and t.id = any($4::uuid[]) and t.id = x.id${table.softDelete ? ' and t.deleted_at is null' : ''} returning ${select}`,
          order: [0, 1, 2, 3],
        };
      });
      const ids = changes.map(({ id }) => id);
      const values = [JSON.stringify(records), host.clock.now(), host.tenantId, ids];
      const rows = await host.db.rows<Row>(withValues(plan, values));
      for (const id of ids) written({ id });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = byId.get(id);
        if (!row) throw notFound();
        return row;
      });
    },
    async updateWhere(wanted, change) {
      const condition = where(wanted as Where<Values>);
      const { key, values, data } = changed(change as Values);
      const count = values.length;
      const plan = statements.plan(`${name} update ${key}${condition.key}`, () =>
        statements.builder(anyTable).update(data()).where(condition.filter(count)),
      );
      values.push(...condition.values);
      const affected = await host.db.run(withValues(plan, values));
      written(wanted as Where<Values>);
      return affected;
    },
    async remove(id) {
      return (await this.removeWhere({ id } as Where<Row>)) > 0;
    },
    async removeWhere(wanted) {
      const condition = where(wanted as Where<Values>);
      const values = table.softDelete ? [host.clock.now()] : [];
      const count = values.length;
      const plan = statements.plan(`${name} remove${condition.key}`, () =>
        table.softDelete
          ? statements
              .builder(anyTable)
              .update({ deletedAt: valueAt(0), version: raw('t.version + 1') })
              .where(condition.filter(count))
          : statements.builder(anyTable).delete().where(condition.filter(count)),
      );
      const affected = await host.db.run(withValues(plan, [...values, ...condition.values]));
      written(wanted as Where<Values>);
      return affected;
    },
  };
}

/** The insert of one row → that of several: the tuple repeated, its parameters counted on. */
function repeated({ text, order }: Plan, count: number): Plan {
  const [, head, tuple, tail] = /^(.* values )(\(.*?\))( returning .*)$/s.exec(text) ?? [];
  if (head === undefined || tuple === undefined || tail === undefined) throw new Error(`not the insert of one row: ${text}`);
  const tuples = [tuple];
  const places = [...order];
  for (let row = 1; row < count; row++) {
    const offset = row * order.length;
    tuples.push(tuple.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`));
    for (const position of order) places.push(position + offset);
  }
  return { text: `${head}${tuples.join(', ')}${tail}`, order: places };
}
