import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { defineCounter, defineHolds, defineNights } from '@storeloom/plugin-sdk/reserve';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { zoneOf } from './settings.ts';

/** Nights of rooms: a whole shared room has those of its beds too. */
export const roomNights = defineNights({
  table: 'hotel_room_night',
  resource: 'room_id',
  resources: 'hotel_room',
  holder: 'reservation_id',
  holders: 'hotel_reservation',
});
/** Rooms of a type that are sold a night, with and without a room of their own. */
export const typeNights = defineCounter({ table: 'hotel_type_night', key: { roomType: 'text', night: 'date' } });

/** The civil date at the house. */
export const todayOf = (ctx: Ctx): string => civilDate(ctx.clock.now(), zoneOf(ctx));

/** `expire` is given by who moves reservations. */
export const holdsOf = (expire: (ctx: Ctx, id: string) => Promise<unknown>) =>
  defineHolds({
    table: 'hotel_reservation',
    status: 'pending',
    until: 'hold_expires_at',
    resource: (ids) =>
      sql`t.room_type in (select r.room_type from hotel_room r where r.tenant_id = t.tenant_id and r.id = any(${[...ids]}::uuid[]))`,
    expire,
  });
