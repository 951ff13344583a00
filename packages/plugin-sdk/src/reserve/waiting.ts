import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { nameOf } from './sql-text.ts';

/** Definition of a waiting list. */
export interface WaitingListOptions {
  /** Table of the waiting rows: `id`, `status` and the columns given here. */
  readonly table: string;
  /** Column of what they wait for. */
  readonly resource: string;
  /** Status of a waiting row, `waitlisted`. */
  readonly status: string;
  /** Integer column of the position: set on joining, never changed; the smallest is next. */
  readonly position: string;
  /** Integer column of the number of places that a row needs. Default: one. */
  readonly places?: string;
  /** Promotes a row with all effects: `(ctx, id) => booking.move(ctx, id, 'promote')`. */
  promote(ctx: Ctx, id: string): Promise<unknown>;
}
/** A waiting list. */
export type WaitingList = Readonly<WaitingListOptions>;

/** Defines a waiting list: first come, first served. Join and promote under the lock of the resource. */
export function defineWaitingList(options: WaitingListOptions): WaitingList {
  for (const name of [options.table, options.resource, options.status, options.position]) nameOf(name);
  if (options.places !== undefined) nameOf(options.places);
  return Object.freeze({ ...options });
}

const waiting = (ctx: Ctx, list: WaitingList, resource: string): RawBuilder<unknown> =>
  sql`t.tenant_id = ${ctx.tenant.id} and ${sql.ref(`t.${list.resource}`)} = ${resource} and t.status = ${list.status}`;

/** Returns the position of a row that joins now, from 1, behind all waiting rows. */
export async function nextPosition(ctx: Ctx, list: WaitingList, resource: string): Promise<number> {
  const last = await ctx.db.first<{ position: number | null }>(
    sql`select max(${sql.ref(`t.${list.position}`)}) as position from ${sql.table(list.table)} t where ${waiting(ctx, list, resource)}`,
  );
  return (last?.position ?? 0) + 1;
}

/**
 * Promotes the longest-waiting rows to free places, in the transaction that freed them. Stops at the first row that needs more
 * places than are left: none is overtaken. Skips rows locked by others. Returns the promoted ids and the places left.
 */
export async function promoteWaiting(
  ctx: Ctx,
  list: WaitingList,
  resource: string,
  places: number,
): Promise<{ promoted: string[]; left: number }> {
  const promoted: string[] = [];
  let left = places;
  if (left <= 0) return { promoted, left };
  const line = await ctx.db.rows<{ id: string; wants: number }>(sql`
    select t.id, ${list.places === undefined ? sql`1` : sql.ref(`t.${list.places}`)} as wants from ${sql.table(list.table)} t
    where ${waiting(ctx, list, resource)} order by ${sql.ref(`t.${list.position}`)}, t.id limit ${left} for no key update of t skip locked`);
  for (const { id, wants } of line) {
    if (wants > left) break;
    await list.promote(ctx, id);
    promoted.push(id);
    left -= wants;
  }
  return { promoted, left };
}
