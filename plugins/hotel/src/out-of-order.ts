import { type Ctx, problem, sql } from '@storeloom/plugin-sdk';
import { reservedNights, withKeyLocks } from '@storeloom/plugin-sdk/reserve';
import { roomNights, todayOf } from './nights.ts';
import type { Room } from './room.ts';

/** Later than any night that can be sold. */
const never = '9999-12-31';

function checkUnsold(...found: readonly { night: string }[][]): void {
  const nights = [...new Set(found.flat().map(({ night }) => night))].sort();
  if (nights.length > 0)
    throw problem('in_use', {
      detail: `${nights.length} nights of the room are sold. Move these reservations first.`,
      counts: { nights: nights.length },
      nights: nights.slice(0, 100),
    });
}

/** Nights on which the other rooms of the type can't take what is sold. */
const shortNights = (ctx: Ctx, row: Room, from: string, to: string): Promise<{ night: string }[]> =>
  ctx.db.rows<{ night: string }>(sql`
    select n.night from hotel_type_night n where n.tenant_id = ${ctx.tenant.id} and n.room_type = ${row.roomType}
      and n.night >= ${from}::date and n.night < ${to}::date and n.reserved > (
        select count(*) from hotel_room r where r.tenant_id = n.tenant_id and r.room_type = n.room_type and r.id <> ${row.id}
          and not (r.status <> 'available' and (r.out_from is null or r.out_from <= n.night) and (r.out_to is null or n.night < r.out_to)))`);

/**
 * Checks that a room can go out of order: none of its nights is sold, and the other rooms can take what its type has sold.
 * @throws 409 `in_use {counts: {nights}}` unless forced
 */
export async function checkOutOfOrder(ctx: Ctx, row: Room, force: boolean): Promise<void> {
  if (row.status === 'available' || force) return;
  const today = todayOf(ctx);
  const from = row.outFrom !== null && row.outFrom > today ? row.outFrom : today;
  const to = row.outTo ?? never;
  if (to <= from) return;
  await checkDispensable(ctx, row, from, to);
}

/** The same for a room that leaves its type permanently. */
export const checkLeavesType = (ctx: Ctx, row: Room): Promise<void> => checkDispensable(ctx, row, todayOf(ctx), never);

/** Serialised by a lock: two rooms taken away at the same time would each count on the other. */
const checkDispensable = (ctx: Ctx, row: Room, from: string, to: string): Promise<void> =>
  withKeyLocks(ctx, ['rooms'], async () => {
    const own = await reservedNights(ctx, roomNights, { resources: [row.id], from, to });
    checkUnsold(own, await shortNights(ctx, row, from, to));
  });

/**
 * Checks that a bed can move into or out of a room: nothing of either may be sold, and nothing of their types without a room. The rows of
 * both must be locked.
 * @throws 409 `in_use {counts: {nights}}`
 */
export async function checkUnreserved(ctx: Ctx, rooms: readonly Room[]): Promise<void> {
  const from = todayOf(ctx);
  const types = [...new Set(rooms.map(({ roomType }) => roomType))];
  const own = await reservedNights(ctx, roomNights, { resources: rooms.map(({ id }) => id), from, to: never });
  const unassigned = await ctx.db.rows<{ night: string }>(sql`
    select n.night from hotel_type_night n where n.tenant_id = ${ctx.tenant.id} and n.room_type = any(${types}::text[])
      and n.night >= ${from}::date and n.reserved > (
        select count(distinct t.reservation_id) from hotel_room_night t join hotel_room r on r.tenant_id = t.tenant_id and r.id = t.room_id
        where t.tenant_id = n.tenant_id and t.night = n.night and r.room_type = n.room_type)`);
  checkUnsold(own, unassigned);
}
