import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';
import { reservation } from './reservation.ts';
import type { Reservation } from './reservation-fields.ts';

async function reservationsOf(ctx: Ctx, { emails, phones }: Person): Promise<Reservation[]> {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from restaurant_reservation where tenant_id = ${ctx.tenant.id} and
      (lower(email) = any(${emails.map((email) => email.toLowerCase())}::text[]) or phone = any(${[...phones]}::text[])) order by id`);
  if (ids.length === 0) return [];
  return (await ctx.rows(reservation).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] })) as Reservation[];
}

export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person) => {
  const rows = await reservationsOf(ctx, person);
  if (rows.length === 0) return [];
  return [
    {
      resource: 'restaurant.reservation',
      rows: rows.map(({ id, reference, status, name, email, phone, partySize, startsAt, occasion, notes, cancelReason }) => ({
        id,
        reference,
        status,
        name,
        email,
        phone,
        partySize,
        startsAt,
        occasion,
        notes,
        cancelReason,
      })),
    },
  ];
};

const isOpen = ({ status, endsAt }: Reservation, now: string): boolean =>
  status === 'seated' || ((status === 'pending' || status === 'confirmed') && endsAt > now);

/** What was stays, with nobody's name and no token; who is still to come, or is there, is kept until they have left. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const rows = await reservationsOf(ctx, person);
  const now = ctx.clock.now();
  const kept = rows.filter((row) => isOpen(row, now));
  const gone = rows.filter((row) => !isOpen(row, now));
  for (const { id } of gone)
    await ctx.rows(reservation).update(id, {
      name: 'erased',
      email: null,
      phone: null,
      occasion: null,
      notes: null,
      cancelReason: null,
    });
  await ctx.db.run(sql`update restaurant_reservation set manage_token_hash = null
    where tenant_id = ${ctx.tenant.id} and id = any(${gone.map(({ id }) => id)}::uuid[])`);
  const until = kept
    .map(({ endsAt }) => endsAt)
    .sort()
    .at(-1);
  person.report({
    resource: 'restaurant.reservation',
    erased: gone.length,
    ...(until === undefined ? {} : { kept: { count: kept.length, reason: 'open_reservation', until } }),
  });
};
