import { type Ctx, type DomainEvent, mailer, sql } from '@storeloom/plugin-sdk';
import { type CalendarEvent, calendarAttachment } from '@storeloom/plugin-sdk/calendar';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { appointment } from './appointment.ts';
import type { Appointment } from './appointment-fields.ts';
import { zoneOf } from './settings.ts';

type Template = 'received' | 'confirmed' | 'changed' | 'cancelled' | 'declined';
interface Told {
  template: Template;
  /** Puts the entry into the customer's calendar, or takes it out. */
  calendar?: 'request' | 'cancel';
  sequence?: number;
  key: string;
}

/** One mail to the one customer of the appointment. Whoever shares the session with them is in neither text nor file. */
async function send(ctx: Ctx, row: Appointment, { template, calendar, sequence = 0, key }: Told): Promise<void> {
  const { customer } = row;
  if (!customer?.email) return;
  const names = await ctx.db.first<{ service: string; staff: string }>(sql`
    select s.name as service, p.name as staff from booking_service s, booking_staff p
    where s.tenant_id = ${ctx.tenant.id} and s.id = ${row.serviceId} and p.tenant_id = ${ctx.tenant.id} and p.id = ${row.staffId}`);
  if (!names) throw new Error(`service or staff of the appointment ${row.id} is gone`);
  const timezone = row.timezone ?? zoneOf(ctx);
  const when = new Intl.DateTimeFormat(row.locale, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  const entry: CalendarEvent = {
    entity: 'booking.appointment',
    id: row.id,
    sequence,
    start: row.startsAt,
    end: row.endsAt,
    summary: `${names.service} · ${ctx.tenant.name}`,
    description: `${names.staff}\n${row.reference}`,
    url: storefrontUrl(ctx, '/'),
  };
  await ctx.require(mailer).send({
    to: customer.email,
    template: `booking.${template}`,
    locale: row.locale,
    data: {
      shop: ctx.tenant.name,
      name: customer.name,
      service: names.service,
      staff: names.staff,
      when: `${when.format(new Date(row.startsAt))} (${timezone})`,
      reference: row.reference,
      total: formatMoney({ amount: row.price.amount * row.seats, currency: row.price.currency }, row.locale),
    },
    ...(calendar
      ? { attachments: [calendarAttachment(ctx, calendar, entry, { email: customer.email, name: customer.name })] }
      : {}),
    key: `booking ${row.id} ${key}`,
  });
}

async function appointmentOf(ctx: Ctx, { data }: DomainEvent): Promise<Appointment | undefined> {
  return (await ctx.rows(appointment).get(data.id as string)) as Appointment | undefined;
}

/** Of what is certain a confirmation; of what staff have to see first, that it came. Who is sent to pay hears nothing yet. */
export async function mailMade(ctx: Ctx, event: DomainEvent): Promise<void> {
  const row = await appointmentOf(ctx, event);
  if (row?.status === 'confirmed') await confirm(ctx, row);
  else if (row?.status === 'pending' && (row.deposit === null || row.depositPaid))
    await send(ctx, row, { template: 'received', key: 'received' });
}
export async function mailConfirmed(ctx: Ctx, event: DomainEvent): Promise<void> {
  const row = await appointmentOf(ctx, event);
  if (row?.status === 'confirmed') await confirm(ctx, row);
}
const confirm = (ctx: Ctx, row: Appointment): Promise<void> =>
  send(ctx, row, { template: 'confirmed', calendar: 'request', sequence: row.rescheduleCount, key: 'confirmed' });

export async function mailChanged(ctx: Ctx, event: DomainEvent): Promise<void> {
  const row = await appointmentOf(ctx, event);
  if (row?.status === 'confirmed')
    await send(ctx, row, {
      template: 'changed',
      calendar: 'request',
      sequence: row.rescheduleCount,
      key: `changed ${row.rescheduleCount}`,
    });
}
/** What was never in a calendar isn't taken out of it. */
export async function mailCancelled(ctx: Ctx, event: DomainEvent): Promise<void> {
  const row = await appointmentOf(ctx, event);
  if (!row) return;
  const wasConfirmed = event.data.from === 'confirmed';
  const calendar = wasConfirmed ? { calendar: 'cancel' as const, sequence: row.rescheduleCount + 1 } : {};
  await send(ctx, row, { template: 'cancelled', ...calendar, key: 'cancelled' });
}
/** Declined by staff, or not answered in time. An unpaid hold that lapses is nobody's news. */
export async function mailDeclined(ctx: Ctx, event: DomainEvent): Promise<void> {
  const row = await appointmentOf(ctx, event);
  if (row && (row.status === 'declined' || row.deposit === null || row.depositPaid))
    await send(ctx, row, { template: 'declined', key: 'declined' });
}
