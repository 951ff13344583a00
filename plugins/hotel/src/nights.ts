import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { defineCounter, defineHolds, defineNights } from '@storeloom/plugin-sdk/reserve';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { zoneOf } from './settings.ts';

/** Nights of rooms; a stay in a whole shared room takes those of its beds too. */
export const roomNights = defineNights({
  table: 'hotel_room_night',
  resource: 'room_id',
  resources: 'hotel_room',
  holder: 'reservation_id',
  holders: 'hotel_reservation',
});
/** Rooms of a type sold per night, assigned or not. */
export const typeNights = defineCounter({ table: 'hotel_type_night', key: { roomType: 'text', night: 'date' } });

/** Today's civil date at the hotel. */
export const todayOf = (ctx: Ctx): string => civilDate(ctx.clock.now(), zoneOf(ctx));

/** Pending reservations, by the rooms of their type. */
export const holds = defineHolds({
  entity: 'hotel.reservation',
  resource: (ids) =>
    sql`t.room_type in (select r.room_type from hotel_room r where r.tenant_id = t.tenant_id and r.id = any(${[...ids]}::uuid[]))`,
});
