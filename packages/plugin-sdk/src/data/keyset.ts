import { type RawBuilder, sql } from 'kysely';
import { invalidParameter } from '../schema/faults.ts';

/** A sort key of a list. */
export interface ListSort {
  /** SQL expression, never null (use coalesce). Trusted text. */
  column: string;
  /** PostgreSQL type of the expression, for the cursor. */
  type: 'text' | 'timestamptz' | 'int8' | 'numeric' | 'date' | 'uuid' | 'bool';
}
/** A key that a list is sorted by; the id comes last, as tie-breaker. */
export interface SortKey {
  name: string;
  descending: boolean;
  sort: ListSort;
}

/** Returns a row comparison if all keys have one direction (an index serves it), otherwise the expanded form. */
export function after(keys: readonly SortKey[], values: readonly string[]): RawBuilder<unknown> {
  const value = (i: number): RawBuilder<unknown> => sql`${values[i]}::${sql.raw((keys[i] as SortKey).sort.type)}`;
  const column = (i: number): RawBuilder<unknown> => sql.raw((keys[i] as SortKey).sort.column);
  if (keys.every((key) => key.descending === keys[0]?.descending)) {
    return sql`(${sql.join(keys.map((_, i) => column(i)))}) ${sql.raw(keys[0]?.descending ? '<' : '>')} (${sql.join(keys.map((_, i) => value(i)))})`;
  }
  const branches = keys.map((key, i) => {
    const equal = keys.slice(0, i).map((_, j) => sql`${column(j)} = ${value(j)}`);
    return sql`(${sql.join([...equal, sql`${column(i)} ${sql.raw(key.descending ? '<' : '>')} ${value(i)}`], sql` and `)})`;
  });
  return sql`(${sql.join(branches, sql` or `)})`;
}

/** Returns copies of the rows without the sort keys: V8 reads objects slowly after `delete`. */
export function withoutKeys(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) => !/^__k\d+$/.test(name));
  return rows.map((row) => {
    const own: Record<string, unknown> = {};
    for (const name of names) own[name] = row[name];
    return own;
  });
}

export function writeCursor(values: readonly string[], keys: readonly SortKey[]): string {
  return Buffer.from(JSON.stringify([keys.map((key) => (key.descending ? '-' : '') + key.name).join(), ...values])).toString(
    'base64url',
  );
}
const checks: Record<ListSort['type'], RegExp> = {
  text: /^[^\0]*$/s,
  timestamptz: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}(?::?\d{2})?$|^-?infinity$/,
  int8: /^-?\d{1,18}$/,
  numeric: /^-?\d{1,30}(?:\.\d{1,30})?$/,
  date: /^\d{4}-\d{2}-\d{2}$|^-?infinity$/,
  uuid: /^[0-9a-f-]{36}$/,
  bool: /^(?:true|false)$/,
};
export function readCursor(text: string, keys: readonly SortKey[]): string[] {
  const bad = invalidParameter('cursor', 'is not a cursor of this list');
  let values: unknown;
  try {
    values = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw bad;
  }
  if (
    !Array.isArray(values) ||
    values.length !== keys.length + 1 ||
    values[0] !== keys.map((key) => (key.descending ? '-' : '') + key.name).join()
  )
    throw bad;
  const rest = values.slice(1);
  if (
    !rest.every(
      (value, i): value is string =>
        typeof value === 'string' && value.length <= 4000 && checks[(keys[i] as SortKey).sort.type].test(value),
    )
  )
    throw bad;
  return rest;
}
