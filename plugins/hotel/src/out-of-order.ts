import { type Ctx, problem, sql } from '@storeloom/plugin-sdk';
import { reservedNights, withKeyLocks } from '@storeloom/plugin-sdk/reserve';
import { roomNights, todayOf } from './nights.ts';
import type { Room } from './room.ts';

/** After every night that can be sold. */
const never = '9999-12-31';

function checkUnsold(...found: readonly { night: string }[][]): void {
  const nights = [...new Set(found.flat().map(({ night }) => night))].sort();
  if (nights.length > 0)
    throw problem('in_use', {
      detail: `${nights.length} nights in this period are sold.`,
      counts: { nights: nights.length },
      nights: nights.slice(0, 100),
    });
}

/** Nights on which more of the room's type is sold than the other rooms of it can take. */
const shortNights = (ctx: Ctx, row: Room, from: string, to: string): Promise<{ night: string }[]> =>
  ctx.db.rows<{ night: string }>(sql`
    select n.night from hotel_type_night n where n.tenant_id = ${ctx.tenant.id} and n.room_type = ${row.roomType}
      and n.night >= ${from}::date and n.night < ${to}::date and n.reserved > (
        select count(*) from hotel_room r where r.tenant_id = n.tenant_id and r.room_type = n.room_type and r.id <> ${row.id}
          and not (r.status <> 'available' and (r.out_from is null or r.out_from <= n.night) and (r.out_to is null or n.night < r.out_to)))`);

/**
 * A room that goes out of order keeps what is sold: nights of its own, and nights sold by its type that the other rooms can't take.
 * @throws 409 `in_use {counts: {nights}}` unless forced
 */
export async function checkOutOfOrder(ctx: Ctx, row: Room, force: boolean): Promise<void> {
  if (row.status === 'available' || force) return;
  const today = todayOf(ctx);
  const from = row.outFrom !== null && row.outFrom > today ? row.outFrom : today;
  const to = row.outTo ?? never;
  if (to <= from) return;
  await checkSpared(ctx, row, from, to);
}

/** The same of a room that leaves its type, for good. */
export const checkLeavesType = (ctx: Ctx, row: Room): Promise<void> => checkSpared(ctx, row, todayOf(ctx), never);

/** The house can do without the room. Who takes rooms away takes turns: two at once would each count on the other's room. */
const checkSpared = (ctx: Ctx, row: Room, from: string, to: string): Promise<void> =>
  withKeyLocks(ctx, ['rooms'], async () => {
    const own = await reservedNights(ctx, roomNights, { resources: [row.id], from, to });
    checkUnsold(own, await shortNights(ctx, row, from, to));
  });

/**
 * A bed that comes into a room or leaves one: what is sold of either was sold without the other, and what is sold by type has no room yet
 * that would keep it apart from the beds. The rows of both must be locked.
 * @throws 409 `in_use {counts: {nights}}`
 */
export async function checkFreeOfStays(ctx: Ctx, rooms: readonly Room[]): Promise<void> {
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
