import type { RawBuilder } from 'kysely';
import type { Clock, Db, FindOptions, Rows, Where } from '../context.ts';
import type { FieldSpec, InsertOf, RowOf, Shape } from '../field.ts';
import { uuidv7 } from '../id.ts';
import { snake } from '../names.ts';
import { notFound, Problem } from '../problem.ts';
import type { BaseRow, Table } from '../table.ts';
import { isJson, type TableSql, tableSql } from './columns.ts';

/** Services that `ctx.rows` needs. */
export interface RowsHost {
  /** The transaction. */
  readonly db: Db;
  /** Id of the tenant. */
  readonly tenantId: string;
  /** The current time. */
  readonly clock: Clock;
  /** Encrypts a secret. */
  seal(text: string): string;
}

type Values = Record<string, unknown>;

/**
 * A statement in the making. Rows are written and read so often that building it out of fragments would cost more than the database
 * takes; its text depends on the members alone, never on values, so that one prepared statement serves them all.
 */
class Draft {
  private readonly values: unknown[] = [];
  private text = '';
  add(text: string): this {
    this.text += text;
    return this;
  }
  /** Text of the parameter. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
  /** As `db` takes it: there is nothing left to compile. */
  done(): RawBuilder<unknown> {
    const { text, values } = this;
    return { compile: () => ({ sql: text, parameters: values }) } as unknown as RawBuilder<unknown>;
  }
}

/** A statement of PostgreSQL's protocol takes no more. */
const mostParameters = 65_535;

/** Columns of one member. Money has two. */
function columnsOf(member: string, spec: FieldSpec): string[] {
  const column = snake(member);
  return spec.kind === 'money' ? [`${column}_amount`, `${column}_currency`] : [column];
}
/** Their values as parameters. JSON is cast, a secret is sealed. */
function parameters(draft: Draft, host: RowsHost, spec: FieldSpec, value: unknown): string[] {
  if (spec.kind === 'money') {
    const money = value as { amount: number; currency: string } | null | undefined;
    return [draft.value(money?.amount ?? null), draft.value(money?.currency ?? null)];
  }
  const absent = value === null || value === undefined;
  if (isJson(spec)) return [`${draft.value(absent ? null : JSON.stringify(value))}::jsonb`];
  if (spec.kind === 'secret' && !absent) return [draft.value(host.seal(value as string))];
  return [draft.value(absent ? null : value)];
}

function columnOf(table: TableSql, member: string): string {
  if (member === 'id' || member === 'version') return member;
  if (member === 'createdAt' || member === 'updatedAt') return snake(member);
  const spec = table.columns.get(member);
  if (!spec) throw new Error(`${table.name} has no column for ${member}`);
  return spec.kind === 'money' ? `${snake(member)}_amount` : snake(member);
}

/** Returns the rows of a table, as `ctx.rows(table)` does. */
export function rowsOf<S extends Shape>(host: RowsHost, table: Table<S>): Rows<S> {
  type Row = RowOf<S> & BaseRow;
  const meta = tableSql(table);
  const { select } = meta;
  const name = `"${meta.name}"`;

  const where = (draft: Draft, wanted: Where<Values>): string => {
    const parts = [`t.tenant_id = ${draft.value(host.tenantId)}`, ...(table.softDelete ? ['t.deleted_at is null'] : [])];
    for (const [member, value] of Object.entries(wanted)) {
      if (value === undefined) continue;
      const column = `t."${columnOf(meta, member)}"`;
      if (value === null) parts.push(`${column} is null`);
      else if (!Array.isArray(value)) parts.push(`${column} = ${draft.value(value)}`);
      else if (value.length === 0) parts.push('false');
      else parts.push(`${column} in (${value.map((one) => draft.value(one)).join(', ')})`);
    }
    return parts.join(' and ');
  };

  const find = (wanted: Where<Row>, options: FindOptions<Row> = {}): Promise<Row[]> => {
    const draft = new Draft();
    draft.add(`select ${select} from ${name} t where ${where(draft, wanted as Where<Values>)}`);
    const order: readonly string[] = options.orderBy ?? (options.lock ? ['id'] : []);
    const keys = order.map((key) =>
      key.startsWith('-') ? `t."${columnOf(meta, key.slice(1))}" desc` : `t."${columnOf(meta, key)}"`,
    );
    if (keys.length > 0) draft.add(` order by ${keys.join(', ')}`);
    if (options.limit !== undefined) draft.add(` limit ${draft.value(options.limit)}`);
    if (options.lock) draft.add(' for update of t');
    return host.db.rows<Row>(draft.done());
  };
  const byId = async (id: string, options: { lock?: boolean } = {}): Promise<Row | undefined> =>
    (await find({ id } as Where<Row>, { limit: 1, ...options }))[0];

  type Inserted = InsertOf<S> & { id?: string };
  const insertion = (items: readonly Inserted[], columns: readonly string[]): Draft => {
    const now = host.clock.now();
    const draft = new Draft();
    const tuples = items.map((item) => {
      const values = [host.tenantId, item.id ?? uuidv7(host.clock.ms()), now, ...(table.appendOnly ? [] : [now])].map((one) =>
        draft.value(one),
      );
      for (const [member, spec] of meta.columns) {
        const given = (item as Values)[member];
        const value = given === undefined ? (spec.hasDefault ? spec.defaultValue : null) : given;
        values.push(...parameters(draft, host, spec, value));
      }
      return `(${values.join(', ')})`;
    });
    return draft.add(`insert into ${name} as t ("${columns.join('", "')}") values ${tuples.join(', ')}`);
  };
  const allColumns = (): string[] => {
    const columns = ['tenant_id', 'id', 'created_at', ...(table.appendOnly ? [] : ['updated_at'])];
    for (const [member, spec] of meta.columns) columns.push(...columnsOf(member, spec));
    return columns;
  };
  const insertMany = async (items: readonly Inserted[]): Promise<Row[]> => {
    const columns = allColumns();
    const most = Math.floor(mostParameters / columns.length);
    const parts: Promise<Row[]>[] = [];
    for (let i = 0; i < items.length; i += most)
      parts.push(
        host.db.rows<Row>(
          insertion(items.slice(i, i + most), columns)
            .add(` returning ${select}`)
            .done(),
        ),
      );
    return (await Promise.all(parts)).flat();
  };

  const setters = (draft: Draft, change: Values): string => {
    if (table.appendOnly) throw new Error(`${meta.name} is append-only`);
    const parts = [`updated_at = ${draft.value(host.clock.now())}`, 'version = t.version + 1'];
    for (const [member, value] of Object.entries(change)) {
      if (value === undefined) continue;
      const spec = meta.columns.get(member);
      if (!spec) throw new Error(`${meta.name} has no column for ${member}`);
      const values = parameters(draft, host, spec, value);
      columnsOf(member, spec).forEach((column, i) => {
        parts.push(`"${column}" = ${values[i]}`);
      });
    }
    return parts.join(', ');
  };

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
      const draft = new Draft();
      draft.add(`select count(*)::int8 as n from ${name} t where ${where(draft, wanted as Where<Values>)}`);
      return (await host.db.first<{ n: number }>(draft.done()))?.n ?? 0;
    },
    async insert(values) {
      const [row] = await insertMany([values]);
      return row as Row;
    },
    insertMany,
    insertLater: (values) => host.db.later(insertion([values], allColumns()).done()),
    async update(id, change, options = {}) {
      const draft = new Draft();
      const { version } = options;
      draft.add(`update ${name} as t set ${setters(draft, change as Values)} where ${where(draft, { id })}`);
      if (version !== undefined) draft.add(` and t.version = ${draft.value(version)}`);
      const [row] = await host.db.rows<Row>(draft.add(` returning ${select}`).done());
      if (row) return row;
      if (version !== undefined && (await byId(id))) throw new Problem('version_conflict');
      throw notFound();
    },
    updateWhere(wanted, change) {
      const draft = new Draft();
      draft.add(`update ${name} as t set ${setters(draft, change as Values)} where ${where(draft, wanted as Where<Values>)}`);
      return host.db.run(draft.done());
    },
    async remove(id) {
      return (await this.removeWhere({ id } as Where<Row>)) > 0;
    },
    removeWhere(wanted) {
      const draft = new Draft();
      if (table.softDelete)
        draft.add(`update ${name} as t set deleted_at = ${draft.value(host.clock.now())}, version = t.version + 1`);
      else draft.add(`delete from ${name} as t`);
      return host.db.run(draft.add(` where ${where(draft, wanted as Where<Values>)}`).done());
    },
  };
}
