import { type Ctx, type DomainEvent, mailer } from '@storeloom/plugin-sdk';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { type Guest, guest } from './guest.ts';
import { reservation } from './reservation.ts';
import type { ReservationRow } from './reservation-fields.ts';
import { roomTypeOf, settings } from './settings.ts';

async function send(ctx: Ctx, id: string, template: 'confirmed' | 'cancelled', key: string): Promise<void> {
  const row = (await ctx.rows(reservation).get(id)) as ReservationRow | undefined;
  if (!row) return;
  const { firstName, email } = (await ctx.rows(guest).require(row.guestId as string)) as Guest;
  if (email === null) return;
  const { checkInFrom, checkOutBy } = ctx.settings(settings);
  const date = new Intl.DateTimeFormat(row.locale, { dateStyle: 'full', timeZone: 'UTC' });
  await ctx.require(mailer).send({
    to: email,
    template: `hotel.${template}`,
    locale: row.locale,
    data: {
      shop: ctx.tenant.name,
      name: firstName,
      room: roomTypeOf(ctx, row.roomType as string).name,
      arrival: date.format(new Date(`${row.checkIn}T00:00:00Z`)),
      departure: date.format(new Date(`${row.checkOut}T00:00:00Z`)),
      from: checkInFrom,
      until: checkOutBy,
      total: formatMoney(row.fee ?? row.total, row.locale),
      reference: row.reference,
    },
    key: `hotel ${id} ${key}`,
  });
}

export async function mailMade(ctx: Ctx, { data }: DomainEvent): Promise<void> {
  const row = (await ctx.rows(reservation).get(data.id as string)) as ReservationRow | undefined;
  if (row?.status === 'confirmed') await send(ctx, row.id, 'confirmed', 'confirmed');
}
export const mailConfirmed = (ctx: Ctx, { data }: DomainEvent): Promise<void> =>
  send(ctx, data.id as string, 'confirmed', 'confirmed');
export const mailCancelled = (ctx: Ctx, { data }: DomainEvent): Promise<void> =>
  send(ctx, data.id as string, 'cancelled', 'cancelled');
