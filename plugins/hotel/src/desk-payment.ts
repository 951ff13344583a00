import { type OrderView, orders, payments } from '@storeloom/commerce';
import { type Ctx, problem, requirePermission, sql } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { addEntries, type EntryInput, FolioEntry, paidBy } from './folio.ts';
import { heldBy, priceIn, toFolio, toOrder } from './order-share.ts';
import type { ReservationRow } from './reservation-fields.ts';

type Stay = Pick<ReservationRow, 'id' | 'orderId' | 'orderLineId' | 'orderPrice' | 'orderTotal' | 'total' | 'status'>;

/**
 * Appends entries to the folio. The price of a stay that was bought with an order is the order's: a payment or refund at the desk pays or
 * refunds the order first, as an entry that refers to it, and only the rest concerns the folio's own charges. The caller has locked the stay.
 * @throws 409 `refund_exceeds_captured {refundable}` for a refund of more than was paid; 403 without the permission `orders.order.refund` for one of
 *   the order's money
 */
export async function addToFolio(ctx: Ctx, stay: Stay, entries: readonly EntryInput[]): Promise<void> {
  if (entries.length === 0) return;
  const folio: EntryInput[] = await ctx.em.find(FolioEntry, { reservationId: stay.id });
  const add = (entry: EntryInput, amount: number, ref: string | null): void => {
    if (amount <= 0) return;
    const added = { ...entry, amount: { amount, currency: entry.amount.currency }, ref };
    folio.push(added);
    addEntries(ctx, stay.id, [added]);
  };
  for (const entry of entries) {
    const order = entry.kind !== 'charge' && stay.orderId !== null ? await ctx.use(orders)?.get(stay.orderId) : undefined;
    // Only entries made here carry the order's money.
    const ref = order?.number === entry.ref ? null : entry.ref;
    let shared = 0;
    if (entry.kind === 'refund') shared = await refundOrder(ctx, stay, order, entry, folio);
    else if (order) shared = await payOrder(ctx, stay, order, entry, folio);
    if (order) add(entry, shared, order.number);
    add(entry, entry.amount.amount - shared, ref);
  }
}

/** Pays the order's open amount, at most that of the stay. Returns the paid amount. */
async function payOrder(
  ctx: Ctx,
  stay: Stay,
  order: OrderView,
  { amount, label, ref }: EntryInput,
  folio: readonly EntryInput[],
): Promise<number> {
  const { status, total } = stay;
  const isOpen = status === 'pending' || status === 'confirmed' || status === 'checked_in';
  const service = ctx.use(payments);
  if (!isOpen || !service || order.status === 'cancelled' || order.currency !== amount.currency) return 0;
  const open = priceIn(stay).total - paidBy(total, folio, order.number);
  const share = Math.min(amount.amount, open);
  if (share <= 0) return 0;
  const recorded = await service.recordOffline({
    orderId: order.id,
    amount: { amount: share, currency: amount.currency },
    reference: ref ?? label,
    reason: 'desk_payment',
  });
  return recorded.amount;
}

/**
 * Refunds what the order has paid of the stay, with its bound and its credit note at the rates of the stay's line. Returns the refunded amount; the folio's own payments
 * cover the rest.
 */
async function refundOrder(
  ctx: Ctx,
  stay: Stay,
  unlocked: OrderView | undefined,
  { amount, label }: EntryInput,
  folio: readonly EntryInput[],
): Promise<number> {
  const service = ctx.use(orders);
  // Locked: a concurrent refund of the order changes what is left.
  const order = unlocked && ctx.use(payments) ? await service?.get(unlocked.id, { lock: true }) : undefined;
  const paid = order ? paidBy(stay.total, folio, order.number) : 0;
  const inOrder = priceIn(stay);
  let most = 0;
  if (order && paid > 0) {
    const others = toOrder(await paidForOthers(ctx, stay, order), inOrder);
    most = Math.min(paid, toFolio(Math.max(0, heldBy(order) - others), inOrder));
  }
  const refundable = most + Math.max(0, computeBalance(stay.total, folio).paid.amount - paid);
  if (amount.amount > refundable)
    throw problem('refund_exceeds_captured', { detail: `At most ${refundable} was paid and can be refunded.`, refundable });
  const shared = Math.min(amount.amount, most);
  if (order && shared > 0 && ctx.actor.type === 'staff') requirePermission(ctx, 'orders.order.refund');
  if (order && shared > 0) {
    // An edit may have removed the line.
    const line = order.lines.find(({ id }) => id === stay.orderLineId);
    await service?.refund(order.id, {
      amount: toOrder(shared, inOrder),
      ...(line ? { lineId: line.id } : {}),
      method: 'manual',
      reason: label,
    });
  }
  return shared;
}

/** What the order has paid of its other stays, in the shop's currency. */
async function paidForOthers(ctx: Ctx, { id, orderId }: Stay, { number }: OrderView): Promise<number> {
  const row = await ctx.db.first<{ paid: string }>(sql`
    select coalesce(sum(case e.kind when 'payment' then e.amount_amount when 'refund' then -e.amount_amount else 0 end), 0)::text as paid
    from hotel_folio_entry e join hotel_reservation r on r.tenant_id = e.tenant_id and r.id = e.reservation_id
    where e.tenant_id = ${ctx.tenant.id} and r.order_id = ${orderId} and r.id <> ${id} and e.ref = ${number}`);
  return Number(row?.paid ?? 0);
}
