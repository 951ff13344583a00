import { type Ctx, type DomainEvent, mailer } from '@storeloom/plugin-sdk';
import { calendarAttachment } from '@storeloom/plugin-sdk/calendar';
import { reservation } from './reservation.ts';
import type { Reservation } from './reservation-fields.ts';
import { zoneOf } from './settings.ts';

type News = 'received' | 'confirmed' | 'changed' | 'cancelled' | 'declined';

async function send(
  ctx: Ctx,
  { id: eventId, data }: DomainEvent<{ id: string }>,
  newsOf: (row: Reservation) => News | undefined,
): Promise<void> {
  const row = await ctx.rows(reservation).get(data.id);
  const news = row && newsOf(row);
  if (!row || !news || row.email === null) return;
  const timeZone = zoneOf(ctx);
  const when = new Intl.DateTimeFormat(row.locale, { dateStyle: 'full', timeStyle: 'short', timeZone });
  const entry = {
    entity: 'restaurant.reservation',
    id: row.id,
    sequence: row.calendarSequence,
    start: row.startsAt,
    end: row.endsAt,
    summary: ctx.tenant.name,
    status: row.status === 'pending' ? ('pending' as const) : ('confirmed' as const),
  };
  const over = news === 'cancelled' || news === 'declined';
  await ctx.require(mailer).send({
    to: row.email,
    template: `restaurant.${news}`,
    locale: row.locale,
    data: {
      shop: ctx.tenant.name,
      name: row.name,
      when: `${when.format(new Date(row.startsAt))} (${timeZone})`,
      party: row.partySize,
      reference: row.reference,
    },
    attachments: [calendarAttachment(ctx, over ? 'cancel' : 'request', entry, { email: row.email, name: row.name })],
    key: `restaurant ${row.id} ${news} ${eventId}`,
  });
}

/** Walk-ins get no e-mail. */
export const mailCreated = (ctx: Ctx, event: DomainEvent<{ id: string }>): Promise<void> =>
  send(ctx, event, ({ status }) => (status === 'pending' ? 'received' : status === 'confirmed' ? 'confirmed' : undefined));
export const mailConfirmed = (ctx: Ctx, event: DomainEvent<{ id: string }>): Promise<void> => send(ctx, event, () => 'confirmed');
export const mailChanged = (ctx: Ctx, event: DomainEvent<{ id: string }>): Promise<void> => send(ctx, event, () => 'changed');
export const mailCancelled = (ctx: Ctx, event: DomainEvent<{ id: string }>): Promise<void> => send(ctx, event, () => 'cancelled');
/** Declined by staff, or not confirmed in time. */
export const mailDeclined = (ctx: Ctx, event: DomainEvent<{ id: string }>): Promise<void> => send(ctx, event, () => 'declined');
