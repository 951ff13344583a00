import { type Ctx, f, problem, requirePermission, type Shape } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { addToFolio } from './desk-payment.ts';
import { type EntryInput, entryInput, FolioEntry } from './folio.ts';
import { markDeparted } from './housekeeping.ts';
import { todayOf } from './nights.ts';
import type { ReservationRow } from './reservation-fields.ts';
import { freeNights } from './stay.ts';

export const checkOutInput = {
  folioAdd: f.list(f.object(entryInput), { max: 100 }).default([]),
  /** Checks out with an open balance; needs `hotel.reservation.force`. */
  force: f.object({ reason: f.text({ max: 500 }) }).optional(),
} satisfies Shape;

/** Requires a settled balance, frees the remaining nights, and leaves the room dirty with one housekeeping task. */
export async function checkOut(ctx: Ctx, row: ReservationRow, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { folioAdd, force } = input as { folioAdd: EntryInput[]; force: { reason: string } | null };
  if (force) requirePermission(ctx, 'hotel.reservation.force');
  await addToFolio(ctx, row, folioAdd);
  const { balance } = computeBalance(row.total, await ctx.em.find(FolioEntry, { reservationId: row.id }));
  if (balance.amount !== 0 && !force)
    throw problem('balance_due', {
      detail: `The folio has an open balance of ${formatMoney(balance, ctx.locale)}. Settle it, or force the check-out.`,
      balance,
    });
  if (force)
    await ctx.audit({
      entity: 'hotel.reservation',
      entityId: row.id,
      action: 'hotel.reservation.force',
      extra: { reason: force.reason, balance },
    });
  const { id, roomType, checkIn, checkOut: until } = row;
  await freeNights(ctx, { id, roomType: roomType as string, nights: nightsBetween(checkIn, until) }, todayOf(ctx));
  await markDeparted(ctx, row.roomId as string);
  return { actualCheckOutAt: ctx.clock.now() };
}
