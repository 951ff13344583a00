import { orders, payments } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { addEntries, type EntryInput, FolioEntry, paidBy } from './folio.ts';
import type { ReservationRow } from './reservation-fields.ts';

type Stay = Pick<ReservationRow, 'id' | 'orderId' | 'total' | 'status'>;

/**
 * Appends entries to the folio. The price of a stay that was bought with an order is the order's: a payment at the desk pays the order first,
 * as an entry that refers to it, and only the rest is a payment of the folio's own charges.
 */
export async function addToFolio(ctx: Ctx, stay: Stay, entries: readonly EntryInput[]): Promise<void> {
  const isOpen = stay.status === 'pending' || stay.status === 'confirmed' || stay.status === 'checked_in';
  for (const entry of entries) {
    const paid = entry.kind === 'payment' && isOpen && stay.orderId !== null ? await payOrder(ctx, stay, entry) : undefined;
    const rest = entry.amount.amount - (paid?.amount ?? 0);
    const { currency } = entry.amount;
    if (paid) addEntries(ctx, stay.id, [{ ...entry, amount: { amount: paid.amount, currency }, ref: paid.number }]);
    if (rest > 0) addEntries(ctx, stay.id, [{ ...entry, amount: { amount: rest, currency } }]);
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
