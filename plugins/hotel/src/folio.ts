import {
  type BaseRow,
  type Ctx,
  entityOf,
  f,
  type MoneyValue,
  problem,
  type RowOf,
  type Shape,
  staffUserId,
  table,
} from '@storeloom/plugin-sdk';
import { type AccountEntry, computeBalance } from '@storeloom/plugin-sdk/ledger';

export const entryInput = {
  kind: f.oneOf(['charge', 'payment', 'refund']),
  label: f.text().private(),
  amount: f.money({ min: 1, own: true }),
  /** Parts per million; included in the amount. */
  vatRate: f.ppm().optional(),
  ref: f.text({ max: 100 }).optional().private(),
} satisfies Shape;
export type EntryInput = RowOf<typeof entryInput>;

export const folioEntry = table(
  'folio-entry',
  { reservationId: f.ref('hotel.reservation'), ...entryInput, byUser: f.id().optional() },
  { indexes: [{ name: 'hotel_folio_entry_reservation_idx', fields: ['reservationId', 'createdAt', 'id'] }], appendOnly: true },
);
export type FolioEntry = RowOf<(typeof folioEntry)['fields']> & BaseRow;
export const FolioEntry = entityOf(folioEntry);

/** @throws 409 `folio_closed` after check-out */
export function checkOpen({ status }: { status: string }): void {
  if (status === 'checked_out') throw problem('folio_closed', { detail: 'The guests have checked out and the folio is closed.' });
}

/** Amount that an order has paid of a stay, less what it has taken back. Entries of an order refer to its number. */
export function paidBy(total: MoneyValue, entries: readonly AccountEntry[], order: string): number {
  return computeBalance(
    total,
    entries.filter((entry) => (entry as { ref?: unknown }).ref === order),
  ).paid.amount;
}

/** Appends entries to the folio, which is append-only. */
export function addEntries(ctx: Ctx, reservationId: string, entries: readonly EntryInput[]): void {
  const byUser = staffUserId(ctx);
  for (const entry of entries) ctx.em.create(FolioEntry, { ...entry, reservationId, byUser });
}
