import ical, {
  ICalAttendeeRole,
  ICalAttendeeStatus,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
} from 'ical-generator';
import type { Ctx } from '../context.ts';
import type { Mail } from '../kernel/mailer.ts';

/** An entry in a person's calendar (RFC 5545). */
export interface CalendarEvent {
  /** `<plugin>.<resource>`; with `id` it determines the UID, so that updates and cancellations refer to the entry. */
  readonly entity: string;
  readonly id: string;
  /** Increases with every change that is sent, from 0; a calendar ignores an older file. */
  readonly sequence: number;
  /** Instant, or civil date of a whole-day entry. */
  readonly start: string;
  /** Exclusive end, of the same kind as `start`. */
  readonly end: string;
  /** Title of the entry. */
  readonly summary: string;
  /** Text of the entry. */
  readonly description?: string | null;
  /** Address or place. */
  readonly location?: string | null;
  /** Link to the entry. */
  readonly url?: string | null;
  /** `pending` is shown as tentative. Default `confirmed`. */
  readonly status?: 'pending' | 'confirmed' | 'cancelled';
}
type Shop = Pick<Ctx, 'tenant' | 'clock'>;

const methods = { request: ICalCalendarMethod.REQUEST, cancel: ICalCalendarMethod.CANCEL } as const;
const states = {
  pending: ICalEventStatus.TENTATIVE,
  confirmed: ICalEventStatus.CONFIRMED,
  cancelled: ICalEventStatus.CANCELLED,
} as const;

/** Returns the UID of an entry: constant for its lifetime, independent of the shop's host, unique across tenants. */
export function calendarUid({ tenant }: Pick<Ctx, 'tenant'>, entity: string, id: string): string {
  return `${entity}.${id}@${tenant.id}`;
}

/**
 * Returns an e-mail attachment that adds or updates (`request`) or removes (`cancel`) an entry in the recipient's calendar. The
 * shop is the organizer and the recipient the only attendee. Times are in UTC.
 */
export function calendarAttachment(
  ctx: Shop,
  method: 'request' | 'cancel',
  event: CalendarEvent,
  attendee: { email: string; name?: string | null },
): NonNullable<Mail['attachments']>[number] {
  const calendar = calendarOf(ctx).method(methods[method]);
  const host = (ctx.tenant.hosts[0] ?? 'localhost').replace(/:\d+$/, '');
  calendar.createEvent({
    ...entryOf(ctx, method === 'cancel' ? { ...event, status: 'cancelled' } : event),
    // The sender address of the e-mail.
    organizer: { name: plain(ctx.tenant.name), email: `no-reply@${host}` },
    attendees: [
      {
        name: plain(attendee.name ?? attendee.email),
        email: attendee.email,
        status: ICalAttendeeStatus.ACCEPTED,
        role: ICalAttendeeRole.REQ,
        rsvp: false,
      },
    ],
  });
  return {
    name: method === 'cancel' ? 'cancel.ics' : 'invite.ics',
    type: `text/calendar; charset=utf-8; method=${methods[method]}`,
    content: Buffer.from(`${calendar.toString()}`, 'utf8').toString('base64'),
  };
}

/** Returns a calendar to subscribe to, `text/calendar; charset=utf-8`. Serve it at an unguessable URL. */
export function calendarFeed(ctx: Shop, name: string, events: Iterable<CalendarEvent>): string {
  const calendar = calendarOf(ctx).method(ICalCalendarMethod.PUBLISH).name(plain(name));
  for (const event of events) calendar.createEvent(entryOf(ctx, event));
  return calendar.toString();
}

function calendarOf({ tenant }: Shop) {
  return ical({ prodId: { company: 'Storeloom', product: 'Storeloom', language: tenant.defaultLocale.toUpperCase() } });
}

const civilDate = /^\d{4}-\d{2}-\d{2}$/;

function entryOf(ctx: Shop, event: CalendarEvent): ICalEventData {
  const { entity, id, sequence, start, end, status = 'confirmed' } = event;
  const allDay = civilDate.test(start) && civilDate.test(end);
  if (!(Date.parse(start) < Date.parse(end))) throw new Error(`${entity} ${id} must end after its start ${start}, not at ${end}`);
  return {
    id: calendarUid(ctx, entity, id),
    sequence,
    stamp: new Date(ctx.clock.ms()),
    start: new Date(start),
    end: new Date(end),
    allDay,
    summary: plain(event.summary),
    description: event.description ?? null,
    location: event.location ? plain(event.location) : null,
    url: event.url ?? null,
    status: states[status],
  };
}

/** Removes control characters: a line break would end the iCalendar property. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();
