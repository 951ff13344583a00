import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { snake } from '../names.ts';
import { nameOf } from './sql-text.ts';

/** Type of a key column. */
export type CounterKeyType = 'text' | 'uuid' | 'date' | 'timestamptz' | 'integer';
/** Definition of a counter. */
export interface CounterOptions<K extends Readonly<Record<string, CounterKeyType>>> {
  /** Table of the counter, created by the migration. */
  readonly table: string;
  /** Properties of the key, `{ roomType: 'text', night: 'date' }`; columns in snake_case. */
  readonly key: K;
}
/** A counter of reserved units by key. */
export interface Counter<K extends Readonly<Record<string, CounterKeyType>> = Readonly<Record<string, CounterKeyType>>>
  extends CounterOptions<K> {
  /** The statement for a migration of the plugin. It creates the table. */
  readonly migration: string;
}
/** Values of a counter's key. */
export type CounterKey<K> = { readonly [P in keyof K]: K[P] extends 'integer' ? number : string };
/** Units to reserve or release. */
export interface CounterRequest<K> {
  /** Key that the units belong to. */
  readonly key: CounterKey<K>;
  /** Number of units, an integer ≥ 0. */
  readonly quantity: number;
  /**
   * Capacity of the key, read under the resource's lock; null: unlimited. Omitted: the stored capacity, unlimited if none is
   * stored.
   */
  readonly capacity?: number | null;
}
/** A key with too little capacity. */
export interface Shortage<K> {
  /** The key. */
  readonly key: CounterKey<K>;
  /** Requested units. */
  readonly quantity: number;
  /** Available units. */
  readonly available: number;
}

/**
 * Defines a counter whose `reserved` never exceeds `capacity` (null: unlimited). The first reservation of a key creates its row.
 *
 * @throws Error for an invalid name or an empty key
 */
export function defineCounter<const K extends Readonly<Record<string, CounterKeyType>>>(options: CounterOptions<K>): Counter<K> {
  nameOf(options.table);
  const keys = Object.entries(options.key).map(([member, type]) => `'${nameOf(snake(member))} ${type}'`);
  if (keys.length === 0) throw new Error(`the counter ${options.table} needs a key`);
  return Object.freeze({ ...options, migration: `select core_counter('${options.table}', ${keys.join(', ')});` });
}

interface Line {
  values: (string | number)[];
  quantity: number;
  capacity: number | null | undefined;
}

/** One spelling of a key's member, so that one key is one line. */
const spelt = (type: CounterKeyType, value: string | number): string | number =>
  type === 'uuid' ? String(value).toLowerCase() : type === 'timestamptz' ? new Date(value).toISOString() : value;

/** Requests for one key are one line. */
function linesOf(counter: Counter, requests: readonly CounterRequest<Readonly<Record<string, CounterKeyType>>>[]): Line[] {
  const lines = new Map<string, Line>();
  for (const { key, quantity, capacity } of requests) {
    if (!Number.isSafeInteger(quantity) || quantity < 0) throw new Error(`${counter.table} can't count ${quantity}`);
    const values = Object.entries(counter.key).map(([member, type]) => spelt(type, key[member] as string | number));
    const id = JSON.stringify(values);
    const line = lines.get(id) ?? { values, quantity: 0, capacity };
    line.quantity += quantity;
    if (capacity !== undefined) line.capacity = capacity;
    lines.set(id, line);
  }
  return [...lines.values()].filter(({ quantity }) => quantity > 0);
}

const comma = sql`, `;
/** Columns of the key, of `alias` where one is named. */
const columnsOf = (counter: Counter, alias?: string): RawBuilder<unknown>[] =>
  Object.keys(counter.key).map((member) => sql.ref(alias === undefined ? snake(member) : `${alias}.${snake(member)}`));
/** The lines as rows `w`, in their order by `line`. `given`: the line says what the capacity is. */
function rowsOf(counter: Counter, lines: readonly Line[]): RawBuilder<unknown> {
  const arrays = Object.values(counter.key).map((type, i) => sql`${lines.map(({ values }) => values[i])}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays, comma)}, ${lines.map(({ quantity }) => quantity)}::int[],
    ${lines.map(({ capacity }) => capacity ?? null)}::int[], ${lines.map(({ capacity }) => capacity !== undefined)}::bool[])
    with ordinality as w (${sql.join(columnsOf(counter), comma)}, quantity, capacity, given, line)`;
}
/** Rows `t` of the lines `w`. */
function matched(ctx: Ctx, counter: Counter): RawBuilder<unknown> {
  const columns = columnsOf(counter, 't');
  const wanted = columnsOf(counter, 'w');
  return sql`t.tenant_id = ${ctx.tenant.id} and ${sql.join(
    columns.map((column, i) => sql`${column} = ${wanted[i]}`),
    sql` and `,
  )}`;
}
/** What the key holds once the line has its way. */
const capacityNow = sql`case when w.given then w.capacity else t.capacity end`;

interface Counted {
  line: number;
  reserved: number;
  capacity: number | null;
}
/** Locks the rows of the lines in the order of their keys. */
function locked(ctx: Ctx, counter: Counter, rows: RawBuilder<unknown>): Promise<Counted[]> {
  return ctx.db.rows<Counted>(sql`
    select w.line, t.reserved, ${capacityNow} as capacity from ${sql.table(counter.table)} t join ${rows} on ${matched(ctx, counter)}
    order by ${sql.join(columnsOf(counter, 't'), comma)} for no key update of t`);
}

/**
 * Reserves units of several keys, all or none. Keys are locked in their order; requests for the same key are added up. Returns
 * the keys with too little capacity; then nothing is reserved. The capacity of a request is stored.
 */
export async function reserveCounter<K extends Readonly<Record<string, CounterKeyType>>>(
  ctx: Ctx,
  counter: Counter<K>,
  requests: readonly CounterRequest<K>[],
): Promise<Shortage<K>[]> {
  const lines = linesOf(counter, requests);
  if (lines.length === 0) return [];
  const rows = rowsOf(counter, lines);
  const table = sql.table(counter.table);
  const columns = sql.join(columnsOf(counter), comma);
  const [, standing] = await Promise.all([
    ctx.db.run(sql`
      insert into ${table} (tenant_id, ${columns}, capacity) select ${ctx.tenant.id}, ${columns}, capacity from ${rows} order by ${columns}
      on conflict do nothing`),
    locked(ctx, counter, rows),
  ]);
  const short = standing.flatMap(({ line, reserved, capacity }) => {
    const { values, quantity } = lines[line - 1] as Line;
    if (capacity === null || reserved + quantity <= capacity) return [];
    const key = Object.fromEntries(Object.keys(counter.key).map((member, i) => [member, values[i]])) as CounterKey<K>;
    return [{ key, quantity, available: Math.max(0, capacity - reserved) }];
  });
  if (short.length > 0) return short;
  await ctx.db.run(sql`
    update ${table} t set reserved = t.reserved + w.quantity, capacity = ${capacityNow} from ${rows} where ${matched(ctx, counter)}`);
  return [];
}

/** Releases units of several keys. Releasing more than were reserved is a programming error that the database rejects. */
export async function releaseCounter<K extends Readonly<Record<string, CounterKeyType>>>(
  ctx: Ctx,
  counter: Counter<K>,
  returns: readonly Omit<CounterRequest<K>, 'capacity'>[],
): Promise<void> {
  const lines = linesOf(counter, returns);
  if (lines.length === 0) return;
  const rows = rowsOf(counter, lines);
  await Promise.all([
    locked(ctx, counter, rows),
    ctx.db.run(
      sql`update ${sql.table(counter.table)} t set reserved = t.reserved - w.quantity from ${rows} where ${matched(ctx, counter)}`,
    ),
  ]);
}

/** Sets the capacity of a key. Returns false, and changes nothing, if more is reserved already. */
export async function setCapacity<K extends Readonly<Record<string, CounterKeyType>>>(
  ctx: Ctx,
  counter: Counter<K>,
  key: CounterKey<K>,
  capacity: number | null,
): Promise<boolean> {
  const columns = sql.join(columnsOf(counter), comma);
  const values = Object.entries(counter.key).map(
    ([member, type]) => sql`${(key as Record<string, unknown>)[member]}::${sql.raw(type)}`,
  );
  const set = await ctx.db.run(sql`
    insert into ${sql.table(counter.table)} as t (tenant_id, ${columns}, capacity)
    values (${ctx.tenant.id}, ${sql.join(values, comma)}, ${capacity}::int)
    on conflict (tenant_id, ${columns}) do update set capacity = excluded.capacity
      where excluded.capacity is null or t.reserved <= excluded.capacity`);
  return set > 0;
}

/** Returns reserved and available units of each key, in order. Reads without locks, for display. */
export async function readCounter<K extends Readonly<Record<string, CounterKeyType>>>(
  ctx: Ctx,
  counter: Counter<K>,
  keys: readonly CounterKey<K>[],
): Promise<{ key: CounterKey<K>; reserved: number; capacity: number | null; available: number | null }[]> {
  if (keys.length === 0) return [];
  const lines = keys.map((key) => ({
    values: Object.keys(counter.key).map((member) => (key as Record<string, string | number>)[member] as string | number),
    quantity: 0,
    capacity: undefined,
  }));
  const found = await ctx.db.rows<{ reserved: number | null; capacity: number | null }>(sql`
    select t.reserved, t.capacity from ${rowsOf(counter, lines)} left join ${sql.table(counter.table)} t on ${matched(ctx, counter)}
    order by w.line`);
  return found.map(({ reserved, capacity }, i) => ({
    key: keys[i] as CounterKey<K>,
    reserved: reserved ?? 0,
    capacity,
    available: capacity === null ? null : capacity - (reserved ?? 0),
  }));
}
