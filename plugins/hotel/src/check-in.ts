import { type Ctx, domainError, f, invalid, problem, requirePermission, type Shape, sql } from '@storeloom/plugin-sdk';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { addToFolio } from './desk-payment.ts';
import { type EntryInput, entryInput } from './folio.ts';
import { guest } from './guest.ts';
import { todayOf } from './nights.ts';
import { checkParty, partyOf } from './party.ts';
import { type NamedGuest, type ReservationRow, reservationFields } from './reservation-fields.ts';
import { room } from './room.ts';
import { settings } from './settings.ts';
import { takeStay } from './stay.ts';

export const checkInInput = {
  roomId: f.id().optional(),
  guests: reservationFields.guests,
  folioAdd: f.list(f.object(entryInput), { max: 100 }).default([]),
  /** Checks in to a room that isn't ready; needs `hotel.reservation.force`. */
  override: f.object({ reason: f.text({ max: 500 }) }).optional(),
} satisfies Shape;

/** Guards and effects of the arrival; the first guard that fails answers. */
export async function checkIn(ctx: Ctx, row: ReservationRow, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { roomId, guests, folioAdd, override } = input as {
    roomId: string | null;
    guests: NamedGuest[];
    folioAdd: EntryInput[];
    override: { reason: string } | null;
  };
  if (override) requirePermission(ctx, 'hotel.reservation.force');
  const today = todayOf(ctx);
  if (today < row.checkIn) throw problem('too_early', { detail: `The stay begins on ${row.checkIn}.`, from: row.checkIn });
  if (today > row.checkOut) throw problem('too_late', { detail: `The stay ended on ${row.checkOut}.`, until: row.checkOut });
  const wanted = roomId ?? row.roomId;
  if (wanted === null)
    throw problem('room_not_ready', { detail: 'The reservation has no room. Assign one first.', roomId: null });
  const found = await ctx.rows(room).get(wanted);
  if (!found) throw invalid('/roomId', 'not_found', 'is not the id of a room');
  if (found.roomType !== row.roomType) throw invalid('/roomId', 'mismatch', `the room is of the type ${found.roomType}`);
  await checkReady(ctx, wanted, override !== null);
  await checkEmpty(ctx, wanted);
  checkParty({ adults: row.adults, children: row.children, guests });
  const guestIds = guests.length > 0 ? await partyOf(ctx, guests) : row.guestIds;
  await checkGuestData(ctx, [...new Set([row.guestId as string, ...guestIds])]);
  if (wanted !== row.roomId) await assignRoom(ctx, row, wanted, today);
  // Of two simultaneous check-ins to one room the second sees the first.
  await ctx.rows(room).require(wanted, { lock: true });
  await checkEmpty(ctx, wanted);
  await addToFolio(ctx, row, folioAdd);
  if (override)
    await ctx.audit({
      entity: 'hotel.reservation',
      entityId: row.id,
      action: 'hotel.reservation.force',
      extra: { reason: override.reason, housekeeping: found.housekeeping },
    });
  return { roomId: wanted, guestIds, actualCheckInAt: ctx.clock.now() };
}

/** @throws 409 `room_not_ready` */
export async function checkReady(ctx: Ctx, roomId: string, overridden: boolean): Promise<void> {
  const { housekeeping } = await ctx.rows(room).require(roomId);
  if (housekeeping === 'clean' || housekeeping === 'inspected' || overridden) return;
  throw problem('room_not_ready', { detail: `The room is ${housekeeping}.`, roomId, housekeeping });
}

/** @throws 409 `room_occupied` */
export async function checkEmpty(ctx: Ctx, roomId: string): Promise<void> {
  const inHouse = await ctx.db.first(sql`
    select 1 from hotel_reservation where tenant_id = ${ctx.tenant.id} and room_id = ${roomId} and status = 'checked_in'`);
  if (inHouse) throw problem('room_occupied', { detail: 'The room is occupied. Choose another one.', roomId });
}

async function assignRoom(ctx: Ctx, row: ReservationRow, roomId: string, today: string): Promise<void> {
  const nights = nightsBetween(row.checkIn, row.checkOut).filter((night) => night >= today);
  if (nights.length === 0) return;
  const sold = { checkIn: row.checkIn, checkOut: row.checkOut, nights: nightsBetween(row.checkIn, row.checkOut) };
  await takeStay(
    ctx,
    { ...row, roomId, roomType: row.roomType as string, nights, sold },
    { id: row.id, roomType: row.roomType as string, nights },
    async () => row,
  );
}

/** @throws 422 `guest_data_required` for the first field of `guestDataRequired` that a guest lacks */
async function checkGuestData(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const { guestDataRequired } = ctx.settings(settings);
  if (guestDataRequired.length === 0) return;
  for (const person of await ctx.rows(guest).find({ id: ids }))
    for (const member of guestDataRequired)
      if (person[member] === null)
        throw domainError(`/guests/${member}`, 'guest_data_required', `${person.firstName} ${person.lastName} has no ${member}`, {
          guestId: person.id,
          member,
        });
}
