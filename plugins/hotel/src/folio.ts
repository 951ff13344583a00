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
import { money } from '@storeloom/plugin-sdk/money';

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
  { appendOnly: true },
);
export type FolioEntry = RowOf<(typeof folioEntry)['fields']> & BaseRow;
export const FolioEntry = entityOf(folioEntry);

/** @throws 409 `folio_closed` after check-out */
export function checkOpen({ status }: { status: string }): void {
  if (status === 'checked_out') throw problem('folio_closed', { detail: 'The guests have checked out and the folio is closed.' });
}

/** Appends entries to the folio, which is append-only. */
export function addEntries(ctx: Ctx, reservationId: string, entries: readonly EntryInput[]): void {
  const byUser = staffUserId(ctx);
  for (const entry of entries) ctx.em.create(FolioEntry, { ...entry, reservationId, byUser });
}

export interface Account {
  /** Payments less refunds. */
  paid: MoneyValue;
  charges: MoneyValue;
  /** Price of the stay plus charges, less what is paid. */
  balance: MoneyValue;
}
/** @throws 422 `money_invalid` where a sum exceeds the range of money */
export function accountOf(due: MoneyValue, entries: readonly FolioEntry[]): Account {
  const sum = (kind: EntryInput['kind']): number =>
    entries.filter((entry) => entry.kind === kind).reduce((total, { amount }) => total + amount.amount, 0);
  const paid = sum('payment') - sum('refund');
  const { currency } = due;
  return {
    paid: money(paid, currency),
    charges: money(sum('charge'), currency),
    balance: money(due.amount + sum('charge') - paid, currency),
  };
}
