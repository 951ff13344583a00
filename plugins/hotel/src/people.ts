import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';
import { type Guest, guest, readable } from './guest.ts';
import { reservation } from './reservation.ts';
import type { ReservationRow } from './reservation-fields.ts';

async function guestsFor(ctx: Ctx, { emails, phones }: Person): Promise<Guest[]> {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from hotel_guest where tenant_id = ${ctx.tenant.id} and
      (lower(email) = any(${emails.map((email) => email.toLowerCase())}::text[]) or phone = any(${[...phones]}::text[])) order by id`);
  return ids.length === 0 ? [] : ((await ctx.rows(guest).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] })) as Guest[]);
}
const staysOf = async (ctx: Ctx, guests: readonly Guest[]) =>
  guests.length === 0
    ? []
    : staysWith(
        ctx,
        guests.map(({ id }) => id),
      );

/** Stays that one of them booked or came along to. */
async function staysWith(ctx: Ctx, ids: readonly string[]): Promise<ReservationRow[]> {
  const found = await ctx.db.rows<{ id: string }>(sql`
    select id from hotel_reservation where tenant_id = ${ctx.tenant.id} and (guest_id = any(${[...ids]}::uuid[]) or guest_ids ?| ${[...ids]}::text[])`);
  if (found.length === 0) return [];
  return ctx.rows(reservation).find({ id: found.map(({ id }) => id) }, { orderBy: ['id'] }) as Promise<ReservationRow[]>;
}

export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person) => {
  const guests = await guestsFor(ctx, person);
  const stays = await staysOf(ctx, guests);
  return [
    ...(guests.length > 0
      ? [{ resource: 'hotel.guest', rows: guests.map((row) => ({ ...row, idDocNumber: readable(ctx, row.idDocNumber, false) })) }]
      : []),
    ...(stays.length > 0
      ? [
          {
            resource: 'hotel.reservation',
            rows: stays.map(({ id, reference, status, checkIn, checkOut, adults, children, total }) => ({
              id,
              reference,
              status,
              checkIn,
              checkOut,
              adults,
              children,
              total,
            })),
          },
        ]
      : []),
  ];
};

const open = ['pending', 'confirmed', 'checked_in'];

/** Stays stay, with nobody's name; a guest who is still to come, or is there, is kept until they have left. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const guests = await guestsFor(ctx, person);
  const stays = await staysOf(ctx, guests);
  const kept = new Set(
    stays.filter(({ status }) => open.includes(status)).flatMap(({ guestId, guestIds }) => [guestId as string, ...guestIds]),
  );
  const stay = guests.filter(({ id }) => kept.has(id)).length;
  const gone = guests.filter(({ id }) => !kept.has(id));
  for (const { id } of gone) {
    await ctx.rows(guest).update(id, {
      firstName: 'erased',
      lastName: 'erased',
      email: null,
      phone: null,
      nationality: null,
      birthDate: null,
      idDocType: null,
      idDocNumber: null,
      address: null,
      consent: false,
    });
    await ctx.db.run(sql`update hotel_guest set id_doc_index = null where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    await ctx.rows(reservation).updateWhere({ guestId: id }, { notes: null, cancelReason: null });
  }
  const last = stays
    .filter(({ status }) => open.includes(status))
    .map(({ checkOut }) => checkOut)
    .sort()
    .at(-1);
  person.report({
    resource: 'hotel.guest',
    erased: gone.length,
    ...(stay > 0 ? { kept: { count: stay, reason: 'open_stay', until: `${last as string}T00:00:00.000Z` } } : {}),
  });
};
