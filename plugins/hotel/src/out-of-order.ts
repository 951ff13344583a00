import { type Ctx, problem, sql } from '@storeloom/plugin-sdk';
import { takenNights } from '@storeloom/plugin-sdk/reserve';
import { addDays } from '@storeloom/plugin-sdk/time';
import { roomNights, todayOf } from './nights.ts';
import type { Room } from './room.ts';

/** Nobody is sold a night further ahead. */
export const horizonDays = 800;

/**
 * A room that goes out of order keeps what is sold: nights of its own, and nights sold by its type that the other rooms can't take.
 * @throws 409 `in_use {counts: {nights}}` unless forced
 */
export async function checkOutOfOrder(ctx: Ctx, row: Room, force: boolean): Promise<void> {
  if (row.status === 'available' || force) return;
  const today = todayOf(ctx);
  const from = row.outFrom !== null && row.outFrom > today ? row.outFrom : today;
  const to = row.outTo ?? addDays(from, horizonDays);
  if (to <= from) return;
  const [own, short] = await Promise.all([
    takenNights(ctx, roomNights, { resources: [row.id], from, to }),
    ctx.db.rows<{ night: string }>(sql`
      select n.night from hotel_type_night n where n.tenant_id = ${ctx.tenant.id} and n.room_type = ${row.roomType}
        and n.night >= ${from}::date and n.night < ${to}::date and n.reserved > (
          select count(*) from hotel_room r where r.tenant_id = n.tenant_id and r.room_type = n.room_type and r.id <> ${row.id}
            and not (r.status <> 'available' and (r.out_from is null or r.out_from <= n.night) and (r.out_to is null or n.night < r.out_to)))`),
  ]);
  const nights = new Set([...own, ...short].map(({ night }) => night));
  if (nights.size > 0)
    throw problem('in_use', {
      detail: `${nights.size} nights in that time are sold.`,
      counts: { nights: nights.size },
      nights: [...nights].sort(),
    });
}
