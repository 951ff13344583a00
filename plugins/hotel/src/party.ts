import { type Ctx, domainError, invalid } from '@storeloom/plugin-sdk';
import { changeGuest, findOrCreateGuest, type GuestInput, guest } from './guest.ts';
import type { NamedGuest, ReservationRow } from './reservation-fields.ts';

export interface Party {
  adults: number;
  children: number;
  guests: readonly NamedGuest[];
}

/** The booker counts as one of the party. @throws 422 `too_many_guests` */
export function checkParty({ adults, children, guests }: Party): void {
  const most = adults + children;
  if (guests.length > most) throw domainError('/guests', 'too_many_guests', `the reservation is for ${most}`, { limit: most });
}

function inputOf({ id: _, firstName, lastName, vip, consent, ...more }: NamedGuest, at: string): GuestInput {
  if (firstName === null) throw invalid(`${at}/firstName`, 'required', 'is required');
  if (lastName === null) throw invalid(`${at}/lastName`, 'required', 'is required');
  return { firstName, lastName, vip: vip ?? false, consent: consent ?? false, ...more };
}
/** Only the fields that were given. */
function changeOf({ id: _, ...given }: NamedGuest): Partial<GuestInput> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
}

async function guestOf(ctx: Ctx, named: NamedGuest, at: string): Promise<string> {
  if (named.id === null || named.id === undefined) return (await findOrCreateGuest(ctx, inputOf(named, at))).id;
  const known = await ctx.rows(guest).get(named.id);
  if (!known) throw invalid(`${at}/id`, 'not_found', 'is not the id of a guest');
  const change = changeOf(named);
  if (Object.keys(change).length > 0) await changeGuest(ctx, known.id, change);
  return known.id;
}

export async function bookerOf(ctx: Ctx, input: { guestId: string | null; guest: NamedGuest | null }): Promise<string> {
  if (input.guestId !== null) return input.guestId;
  if (input.guest === null) throw invalid('/guest', 'required', 'must contain a guest');
  return guestOf(ctx, input.guest, '/guest');
}

/** Unique ids of the guests, in order. */
export async function partyOf(ctx: Ctx, guests: readonly NamedGuest[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [i, named] of guests.entries()) ids.push(await guestOf(ctx, named, `/guests/${i}`));
  return [...new Set(ids)];
}

export async function changeBooker(ctx: Ctx, row: ReservationRow, named: NamedGuest): Promise<void> {
  const change = changeOf(named);
  if (Object.keys(change).length > 0) await changeGuest(ctx, row.guestId as string, change);
}
