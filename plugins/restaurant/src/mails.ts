import type { Ctx, DomainEvent } from '@storeloom/plugin-sdk';
import { mailEntry } from '@storeloom/plugin-sdk/calendar';
import { formatWithZone } from '@storeloom/plugin-sdk/time';
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
  const entry = {
    entity: 'restaurant.reservation',
    id: row.id,
    sequence: row.calendarSequence,
    start: row.startsAt,
    end: row.endsAt,
    summary: ctx.tenant.name,
    status: row.status === 'pending' ? ('pending' as const) : ('confirmed' as const),
  };
  await mailEntry(ctx, {
    to: { email: row.email, name: row.name },
    template: `restaurant.${news}`,
    locale: row.locale,
    data: { when: formatWithZone(row.startsAt, row.locale, zoneOf(ctx)), party: row.partySize, reference: row.reference },
    calendar: news === 'cancelled' || news === 'declined' ? 'cancel' : 'request',
    entry,
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
