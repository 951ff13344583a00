import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { tableSql } from '../data/columns.ts';
import { constraintOf } from '../data/errors.ts';
import type { RowOf, Shape } from '../field.ts';
import { notFound, problem, referenceNotFound } from '../problem.ts';
import type { BaseRow, Table } from '../table.ts';
import { expireRows, findLapsed, type Holds } from './holds.ts';

/**
 * Runs `fn` while rows of the plugin's resources are locked, in one statement and in id order, so that callers who lock the same
 * rows can't deadlock. Reads inside `fn` see what the previous holder of the lock committed.
 *
 * With `holds`, lapsed holds of the resources are expired first, so that constraint and queries agree on what blocks.
 *
 * Lock order within a plugin: the row to change (its transition or PATCH has locked it), then resources, then counters and
 * nights. Joins the open transaction or opens one; the locks last until its end. Duplicate ids count once.
 *
 * @param fn receives the current rows in id order
 * @throws Problem 404 `not_found` for an id without a row (with `pointer`, as a reference), 409 `conflict` on a lock timeout
 */
export function withResourceLocks<S extends Shape, T>(
  ctx: Ctx,
  table: Table<S>,
  ids: readonly string[],
  fn: (rows: (RowOf<S> & BaseRow)[], ctx: Ctx) => Promise<T>,
  options: { pointer?: string; holds?: Holds } = {},
): Promise<T> {
  const wanted = [...new Set(ids)].sort();
  return ctx.transaction(async (inside) => {
    const { name, select } = tableSql(table);
    if (wanted.length === 0) return fn([], inside);
    const { holds } = options;
    // They go out together, and the second sees what the first has waited for.
    const [rows, due] = await waited(
      Promise.all([
        inside.db.rows<RowOf<S> & BaseRow>(sql`
          select ${sql.raw(select)} from ${sql.table(name)} t
          where t.tenant_id = ${inside.tenant.id} and t.id = any(${wanted}::uuid[])${table.softDelete ? sql` and t.deleted_at is null` : sql``}
          order by t.id for no key update`),
        holds ? findLapsed(inside, holds, wanted) : [],
      ]),
    );
    if (rows.length < wanted.length) throw options.pointer === undefined ? notFound() : referenceNotFound(options.pointer);
    if (holds) await expireRows(inside, holds, due);
    return fn(rows, inside);
  });
}

/**
 * Runs `fn` while keys of the plugin's choice are locked, for resources without a row: `day 2026-11-28`. The locks are exclusive
 * within tenant and plugin, taken in a fixed order, and released at the end of the transaction.
 *
 * @throws Problem 409 `conflict` on a lock timeout
 */
export function withKeyLocks<T>(ctx: Ctx, keys: readonly string[], fn: (ctx: Ctx) => Promise<T>): Promise<T> {
  return ctx.transaction(async (inside) => {
    await lockKeys(inside, ...keys);
    return fn(inside);
  });
}

/**
 * Takes the locks of `withKeyLocks` in the open transaction, until its end.
 *
 * @throws Problem 409 `conflict` on a lock timeout
 */
export async function lockKeys(ctx: Ctx, ...keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const named = keys.map((key) => `${ctx.plugin} ${ctx.tenant.id} ${key}`);
  await waited(
    ctx.db.run(sql`
      select pg_advisory_xact_lock(hash) from
        (select distinct hashtextextended(key, 0) as hash from unnest(${named}::text[]) key order by hash) wanted`),
  );
}

/** Contention is an answer of its own: never the 503 of a database that is away. */
async function waited<T>(lock: Promise<T>): Promise<T> {
  try {
    return await lock;
  } catch (error) {
    if (constraintOf(error)?.sqlstate === '55P03') throw problem('conflict', { retryAfter: 1 });
    throw error;
  }
}
