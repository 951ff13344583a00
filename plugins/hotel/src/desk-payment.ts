import { orders, payments } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { addEntries, type EntryInput, FolioEntry, paidBy } from './folio.ts';
import type { ReservationRow } from './reservation-fields.ts';

type Stay = Pick<ReservationRow, 'id' | 'orderId' | 'total' | 'status'>;

/**
 * Appends entries to the folio. The price of a stay that was bought with an order is the order's: a payment at the desk pays the order first,
 * as an entry that refers to it, and only the rest is a payment of the folio's own charges. The caller has locked the stay.
 * @throws 409 `refund_exceeds_captured {refundable}` for a refund of more than was paid
 */
export async function addToFolio(ctx: Ctx, stay: Stay, entries: readonly EntryInput[]): Promise<void> {
  const isOpen = stay.status === 'pending' || stay.status === 'confirmed' || stay.status === 'checked_in';
  if (entries.some(({ kind }) => kind === 'refund')) await checkRefunds(ctx, stay, entries);
  for (const entry of entries) {
    const paid = entry.kind === 'payment' && isOpen && stay.orderId !== null ? await payOrder(ctx, stay, entry) : undefined;
    const rest = entry.amount.amount - (paid?.amount ?? 0);
    const { currency } = entry.amount;
    if (paid) addEntries(ctx, stay.id, [{ ...entry, amount: { amount: paid.amount, currency }, ref: paid.number }]);
    if (rest > 0) addEntries(ctx, stay.id, [{ ...entry, amount: { amount: rest, currency } }]);
  }
}

async function checkRefunds(ctx: Ctx, { id, total }: Stay, entries: readonly EntryInput[]): Promise<void> {
  const present = await ctx.em.find(FolioEntry, { reservationId: id });
  let refundable = computeBalance(total, present).paid.amount;
  for (const { kind, amount } of entries) {
    if (kind === 'payment') refundable += amount.amount;
    if (kind !== 'refund') continue;
    if (amount.amount > refundable)
      throw problem('refund_exceeds_captured', { detail: `At most ${refundable} was paid and can be refunded.`, refundable });
    refundable -= amount.amount;
  }
}

/** Pays the order's open amount, at most that of the stay. Undefined if nothing is open. */
async function payOrder(
  ctx: Ctx,
  { id, orderId, total }: Stay,
  { amount, label, ref }: EntryInput,
): Promise<{ amount: number; number: string } | undefined> {
  const service = ctx.use(payments);
  const order = await ctx.use(orders)?.get(orderId as string);
  if (!service || !order || order.status === 'cancelled' || order.currency !== amount.currency) return undefined;
  const entries = await ctx.em.find(FolioEntry, { reservationId: id });
  const open = total.amount - paidBy(total, entries, order.number);
  const share = Math.min(amount.amount, open);
  if (share <= 0) return undefined;
  const recorded = await service.recordOffline({
    orderId: order.id,
    amount: { amount: share, currency: amount.currency },
    reference: ref ?? label,
    reason: 'desk_payment',
  });
  return recorded.amount > 0 ? { amount: recorded.amount, number: order.number } : undefined;
}
