import { sql } from '@storeloom/plugin-sdk';
import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { reservation } from './reservation.ts';

/** Reservations stay, without a name and a token; open ones are kept until they are over. */
export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: reservation,
    exports: [
      'id',
      'reference',
      'status',
      'name',
      'email',
      'phone',
      'partySize',
      'startsAt',
      'occasion',
      'notes',
      'cancelReason',
    ],
    keep: {
      reason: 'open_reservation',
      until(ctx, { status, endsAt }) {
        const isOpen = status === 'seated' || ((status === 'pending' || status === 'confirmed') && endsAt > ctx.clock.now());
        return isOpen ? endsAt : null;
      },
    },
    async after(ctx, rows) {
      await ctx.db.run(sql`update restaurant_reservation set manage_token_hash = null
        where tenant_id = ${ctx.tenant.id} and id = any(${rows.map(({ id }) => id)}::uuid[])`);
    },
  }),
);
