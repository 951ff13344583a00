import ical, {
  ICalAttendeeRole,
  ICalAttendeeStatus,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
} from 'ical-generator';
import type { Ctx } from '../context.ts';
import type { Mail } from '../kernel/mailer.ts';

/** One entry of somebody's calendar (RFC 5545). */
export interface CalendarEvent {
  /** `<plugin>.<resource>` and id of the thing: the UID comes of them, so that a change and a cancellation find the entry. */
  readonly entity: string;
  readonly id: string;
  /** Raised by every change that people are told of, from 0 on: an older file never undoes a newer one. */
  readonly sequence: number;
  /** Instants, or civil dates of whole days: `end` is not included either way. */
  readonly start: string;
  readonly end: string;
  readonly summary: string;
  readonly description?: string | null;
  readonly location?: string | null;
  readonly url?: string | null;
  /** `pending` shows as tentative. */
  readonly status?: 'pending' | 'confirmed' | 'cancelled';
}
type Shop = Pick<Ctx, 'tenant' | 'clock'>;

const methods = { request: ICalCalendarMethod.REQUEST, cancel: ICalCalendarMethod.CANCEL } as const;
const states = {
  pending: ICalEventStatus.TENTATIVE,
  confirmed: ICalEventStatus.CONFIRMED,
  cancelled: ICalEventStatus.CANCELLED,
} as const;

/** The UID of a thing's entry: the same for its whole life, whatever host the shop has, and another in every shop. */
export function calendarUid({ tenant }: Pick<Ctx, 'tenant'>, entity: string, id: string): string {
  return `${entity}.${id}@${tenant.id}`;
}

/**
 * The attachment by which a mail puts an entry into its reader's calendar (`request`: new or changed) or takes it out again (`cancel`).
 * The shop is the organizer, the reader the one attendee: nobody else is ever named in it. Times are in UTC.
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
    // The address that the mail itself comes from.
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

/** A calendar to subscribe to, as `text/calendar; charset=utf-8`. Who may read it is the route's business: an unguessable address. */
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
  if (!(Date.parse(start) < Date.parse(end))) throw new Error(`${entity} ${id} ends before it begins: ${start}, ${end}`);
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

/** One line: what ends a line would end the property. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();
