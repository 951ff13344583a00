import { type Person, sql } from '@storeloom/plugin-sdk';
import { normalizeEmail, personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { guest, readable } from './guest.ts';
import { reservation } from './reservation.ts';

const open = ['pending', 'confirmed', 'checked_in'] as const;

/** Reservations that the person booked, or is a guest of. */
const staysOf = ({ emails, phones }: Person) => sql`exists (
  select from hotel_guest g where g.tenant_id = t.tenant_id and (g.id = t.guest_id or t.guest_ids ? g.id::text)
    and (g.email = any(${emails.map(normalizeEmail)}::text[]) or g.phone = any(${[...phones]}::text[])))`;

/** Guests are kept until the end of their last open stay. Reservations stay, without a name and without notes. */
export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: guest,
    present: (ctx, rows) => rows.map((row) => ({ ...row, idDocNumber: readable(ctx, row.idDocNumber, false) })),
    erased: { consent: false },
    keep: {
      reason: 'open_stay',
      async until(ctx, { id }) {
        const last = await ctx.db.first<{ date: string | null }>(sql`
          select max(check_out) as date from hotel_reservation where tenant_id = ${ctx.tenant.id} and status = any(${[...open]}::text[])
            and (guest_id = ${id} or guest_ids ? ${id}::text)`);
        return last?.date ? `${last.date}T00:00:00.000Z` : null;
      },
    },
    async after(ctx, rows) {
      const guestId = rows.map(({ id }) => id);
      await ctx.db.run(
        sql`update hotel_guest set id_doc_index = null where tenant_id = ${ctx.tenant.id} and id = any(${guestId}::uuid[])`,
      );
      await ctx.rows(reservation).updateWhere({ guestId }, { notes: null, cancelReason: null });
    },
  }),
  personalRows({
    table: reservation,
    by: staysOf,
    exports: ['id', 'reference', 'status', 'checkIn', 'checkOut', 'adults', 'children', 'total'],
    erased: false,
  }),
);
