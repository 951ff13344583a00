import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { nameOf } from './sql-text.ts';

export interface WaitingListOptions {
  /** Table of the rows that wait: `id`, `status` and the columns named here. */
  readonly table: string;
  /** Column of what they wait for. */
  readonly resource: string;
  /** The state of those who wait, `waitlisted`. */
  readonly status: string;
  /** Integer column of the place in the line: given on joining, never changed, the smallest is next. */
  readonly position: string;
  /** Integer column of how many places a row wants; one each without it. */
  readonly places?: string;
  /** Moves one row on, with all its effects: `(ctx, id) => booking.move(ctx, id, 'promote')`. */
  promote(ctx: Ctx, id: string): Promise<unknown>;
}
export type WaitingList = Readonly<WaitingListOptions>;

/** First come, first served. Joining and promoting both happen under the lock of the resource. */
export function defineWaitingList(options: WaitingListOptions): WaitingList {
  for (const name of [options.table, options.resource, options.status, options.position]) nameOf(name);
  if (options.places !== undefined) nameOf(options.places);
  return Object.freeze({ ...options });
}

const waiting = (ctx: Ctx, list: WaitingList, resource: string): RawBuilder<unknown> =>
  sql`t.tenant_id = ${ctx.tenant.id} and ${sql.ref(`t.${list.resource}`)} = ${resource} and t.status = ${list.status}`;

/** The place of one who joins the line now, from 1 on, behind all who wait. */
export async function nextPosition(ctx: Ctx, list: WaitingList, resource: string): Promise<number> {
  const last = await ctx.db.first<{ position: number | null }>(
    sql`select max(${sql.ref(`t.${list.position}`)}) as position from ${sql.table(list.table)} t where ${waiting(ctx, list, resource)}`,
  );
  return (last?.position ?? 0) + 1;
}

/**
 * Gives free places to those who have waited longest, in the transaction that freed them. Stops at the first who wants more than are
 * left: nobody overtakes. One who is leaving the line at this moment is passed over. Gives the ids of the promoted and the places left.
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
