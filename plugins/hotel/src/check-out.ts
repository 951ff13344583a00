import { type Ctx, f, problem, type Shape } from '@storeloom/plugin-sdk';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { accountOf, addEntries, type EntryInput, entryInput, type FolioEntry, folioEntry } from './folio.ts';
import { leaveRoom } from './housekeeping.ts';
import { todayOf } from './nights.ts';
import type { ReservationRow } from './reservation-fields.ts';
import { freeNights } from './stay.ts';

export const checkOutInput = {
  folioAdd: f.list(f.object(entryInput), { max: 100 }).default([]),
  /** Lets guests go though something is due; needs `hotel.reservation.force`. */
  force: f.object({ reason: f.text({ max: 500 }) }).optional(),
} satisfies Shape;

/** The departure: balance settled, nights that nobody sleeps in any more free, the room dirty with one task. */
export async function checkOut(ctx: Ctx, row: ReservationRow, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { folioAdd, force } = input as { folioAdd: EntryInput[]; force: { reason: string } | null };
  if (force && !ctx.can('hotel.reservation.force')) throw problem('forbidden', { permission: 'hotel.reservation.force' });
  await addEntries(ctx, row.id, folioAdd);
  const { balance } = accountOf(row.total, (await ctx.rows(folioEntry).find({ reservationId: row.id })) as FolioEntry[]);
  if (balance.amount !== 0 && !force) throw problem('balance_due', { detail: 'The folio is not settled.', balance });
  if (force)
    await ctx.audit({
      entity: 'hotel.reservation',
      entityId: row.id,
      action: 'hotel.reservation.force',
      extra: { reason: force.reason, balance },
    });
  const { id, roomType, checkIn, checkOut: until } = row;
  await freeNights(ctx, { id, roomType: roomType as string, nights: nightsBetween(checkIn, until) }, todayOf(ctx));
  await leaveRoom(ctx, row.roomId as string);
  return { actualCheckOutAt: ctx.clock.now() };
}
