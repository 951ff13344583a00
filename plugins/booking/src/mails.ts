import { type Ctx, type DomainEvent, sql } from '@storeloom/plugin-sdk';
import { mailEntry } from '@storeloom/plugin-sdk/calendar';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { formatWithZone } from '@storeloom/plugin-sdk/time';
import { appointment } from './appointment.ts';
import type { Appointment } from './appointment-fields.ts';
import { zoneOf } from './settings.ts';

interface News {
  template: 'received' | 'confirmed' | 'changed' | 'cancelled' | 'declined';
  /** Adds the entry to the customer's calendar, or removes it. */
  calendar?: 'request' | 'cancel';
  sequence?: number;
  key: string;
}

/** Sends one e-mail to the customer of the appointment; it never names others who share the session. */
async function send(ctx: Ctx, row: Appointment, { template, calendar, sequence = 0, key }: News): Promise<void> {
  const { customer } = row;
  if (!customer?.email) return;
  const names = await ctx.db.first<{ service: string; staff: string }>(sql`
    select s.name as service, p.name as staff from booking_service s, booking_staff p
    where s.tenant_id = ${ctx.tenant.id} and s.id = ${row.serviceId} and p.tenant_id = ${ctx.tenant.id} and p.id = ${row.staffId}`);
  if (!names) throw new Error(`service or staff of the appointment ${row.id} is gone`);
  const entry = {
    entity: 'booking.appointment',
    id: row.id,
    sequence,
    start: row.startsAt,
    end: row.endsAt,
    summary: `${names.service} · ${ctx.tenant.name}`,
    description: `${names.staff}\n${row.reference}`,
    url: storefrontUrl(ctx, '/'),
  };
  await mailEntry(ctx, {
    to: { email: customer.email, name: customer.name },
    template: `booking.${template}`,
    locale: row.locale,
    data: {
      service: names.service,
      staff: names.staff,
      when: formatWithZone(row.startsAt, row.locale, row.timezone ?? zoneOf(ctx)),
      reference: row.reference,
      total: formatMoney({ amount: row.price.amount * row.seats, currency: row.price.currency }, row.locale),
    },
    calendar: calendar ?? null,
    entry,
    key: `booking ${row.id} ${key}`,
  });
}

/** A handler that sends what `newsOf` makes of the present state of the appointment. */
const mailing =
  (newsOf: (row: Appointment, event: DomainEvent<{ id: string; from?: string }>) => News | undefined) =>
  async (ctx: Ctx, event: DomainEvent<{ id: string; from?: string }>): Promise<void> => {
    const row = await ctx.rows(appointment).get(event.data.id);
    const news = row && newsOf(row, event);
    if (row && news) await send(ctx, row, news);
  };

const awaitsDeposit = ({ deposit, depositPaid }: Appointment): boolean => deposit !== null && !depositPaid;
const confirmed = ({ status, rescheduleCount: sequence }: Appointment): News | undefined =>
  status === 'confirmed' ? { template: 'confirmed', calendar: 'request', sequence, key: 'confirmed' } : undefined;

/** An appointment that waits for its deposit sends nothing yet. */
export const mailCreated = mailing((row) =>
  row.status === 'pending' && !awaitsDeposit(row) ? { template: 'received', key: 'received' } : confirmed(row),
);
export const mailConfirmed = mailing(confirmed);
export const mailChanged = mailing(({ status, rescheduleCount: sequence }) =>
  status === 'confirmed' ? { template: 'changed', calendar: 'request', sequence, key: `changed ${sequence}` } : undefined,
);
/** Only confirmed appointments are in the calendar. */
export const mailCancelled = mailing(({ rescheduleCount }, { data }) => ({
  template: 'cancelled',
  ...(data.from === 'confirmed' ? { calendar: 'cancel' as const, sequence: rescheduleCount + 1 } : {}),
  key: 'cancelled',
}));
/** Declined by staff, or not approved in time; a hold that lapses unpaid sends nothing. */
export const mailDeclined = mailing((row) =>
  row.status === 'declined' || !awaitsDeposit(row) ? { template: 'declined', key: 'declined' } : undefined,
);
