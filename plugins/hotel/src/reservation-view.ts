import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { readHistory } from '@storeloom/plugin-sdk/state';
import { daysBetween } from '@storeloom/plugin-sdk/time';
import { folioEntry } from './folio.ts';
import { type Guest, guest, readable } from './guest.ts';
import type { ReservationRow } from './reservation-fields.ts';

/** Price of the stay in its present status. */
export const dueOf = ({ fee, total, status }: Pick<ReservationRow, 'fee' | 'total' | 'status'>): MoneyValue =>
  fee ?? (status === 'expired' ? { amount: 0, currency: total.currency } : total);

/** Fills the computed fields; of a single row also guests, folio and history. */
export async function present(ctx: Ctx, rows: ReservationRow[], purpose: 'list' | 'one'): Promise<ReservationRow[]> {
  const ids = rows.map(({ id }) => id);
  const guestIds = [...new Set(rows.flatMap((row) => [row.guestId as string, ...row.guestIds]))];
  const [entries, people] = await Promise.all([
    ctx.rows(folioEntry).find({ reservationId: ids }, { orderBy: ['createdAt', 'id'] }),
    ctx.rows(guest).find({ id: guestIds }),
  ]);
  const byId = new Map(people.map((row) => [row.id, row]));
  return Promise.all(
    rows.map(async (row) => {
      const own = entries.filter(({ reservationId }) => reservationId === row.id);
      const booker = byId.get(row.guestId as string);
      const shown = {
        ...row,
        nights: daysBetween(row.checkIn, row.checkOut),
        guestName: booker ? `${booker.firstName} ${booker.lastName}` : '',
        ...computeBalance(dueOf(row), own),
      };
      if (purpose === 'list') return { ...shown, guest: null, guests: [] } as ReservationRow;
      const whole = (one: Guest | undefined) => {
        if (!one) return undefined;
        const { createdAt: _, updatedAt: __, version: ___, ...person } = one;
        return { ...person, idDocNumber: readable(ctx, one.idDocNumber, false) };
      };
      return {
        ...shown,
        guest: whole(booker),
        guests: row.guestIds.map((id) => whole(byId.get(id))),
        folio: own.map(({ id, createdAt, kind, label, amount, vatRate, ref }) => ({
          id,
          at: createdAt,
          kind,
          label,
          amount,
          vatRate,
          ref,
        })),
        history: await readHistory(ctx, 'hotel.reservation', row.id),
      } as ReservationRow;
    }),
  );
}
