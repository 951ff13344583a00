import type { Ctx, DomainEvent } from '@storeloom/plugin-sdk';
import { type CalendarEvent, mailEntry } from '@storeloom/plugin-sdk/calendar';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { resolveBound } from '@storeloom/plugin-sdk/time';
import { guest } from './guest.ts';
import { reservation } from './reservation.ts';
import type { ReservationRow } from './reservation-fields.ts';
import { roomTypeOf, settings, zoneOf } from './settings.ts';

type News = 'confirmed' | 'moved' | 'cancelled';

/** The calendar entry: from `checkInFrom` of the arrival to `checkOutBy` of the departure. */
function entryOf(ctx: Ctx, row: ReservationRow, room: string): CalendarEvent {
  const { checkInFrom, checkOutBy } = ctx.settings(settings);
  return {
    entity: 'hotel.reservation',
    id: row.id,
    sequence: row.calendarSequence,
    start: resolveBound(row.checkIn, checkInFrom, zoneOf(ctx), 'start'),
    end: resolveBound(row.checkOut, checkOutBy, zoneOf(ctx), 'end'),
    summary: `${ctx.tenant.name}: ${room}`,
    description: row.reference,
    location: ctx.tenant.name,
  };
}

async function send(ctx: Ctx, row: ReservationRow, news: News): Promise<void> {
  const { firstName, lastName, email } = await ctx.rows(guest).require(row.guestId as string);
  if (email === null) return;
  const { checkInFrom, checkOutBy } = ctx.settings(settings);
  const date = new Intl.DateTimeFormat(row.locale, { dateStyle: 'full', timeZone: 'UTC' });
  const room = roomTypeOf(ctx, row.roomType as string).name;
  await mailEntry(ctx, {
    to: { email, name: `${firstName} ${lastName}` },
    template: `hotel.${news}`,
    locale: row.locale,
    data: {
      name: firstName,
      room,
      arrival: date.format(new Date(`${row.checkIn}T00:00:00Z`)),
      departure: date.format(new Date(`${row.checkOut}T00:00:00Z`)),
      from: checkInFrom,
      until: checkOutBy,
      total: formatMoney(row.fee ?? row.total, row.locale),
      reference: row.reference,
    },
    calendar: news === 'cancelled' ? 'cancel' : 'request',
    entry: entryOf(ctx, row, room),
    key: `hotel ${row.id} ${news} ${row.calendarSequence}`,
  });
}

/** Sends the present state of the stay; an event that is out of date by now sends nothing. */
async function notify(ctx: Ctx, id: unknown, news: News, isDue: (row: ReservationRow) => boolean): Promise<void> {
  const row = await ctx.rows(reservation).get(id as string);
  if (row && isDue(row)) await send(ctx, row, news);
}
const isActive = ({ status }: ReservationRow): boolean => status === 'confirmed' || status === 'checked_in';

export const mailCreated = (ctx: Ctx, { data }: DomainEvent<{ id: string }>): Promise<void> =>
  notify(ctx, data.id, 'confirmed', isActive);
export const mailMoved = (ctx: Ctx, { data }: DomainEvent<{ id: string }>): Promise<void> =>
  notify(ctx, data.id, 'moved', isActive);
/** The buyer of an unpaid stay never got a confirmation, so gets no cancellation. */
export const mailCancelled = (ctx: Ctx, { data }: DomainEvent<{ id: string; from: string }>): Promise<void> =>
  notify(ctx, data.id, 'cancelled', ({ orderId }) => orderId === null || data.from === 'confirmed');
