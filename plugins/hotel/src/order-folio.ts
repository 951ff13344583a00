import { type OrderEvent, type OrderView, type orderRefundEvents, orders, type paymentEvents } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, type EventData, LockMode } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { mulRatio, unitsTotal } from '@storeloom/plugin-sdk/money';
import { addEntries, type FolioEntry, paidBy } from './folio.ts';
import { priceIn, type StayMoney, sharesOf, toFolio, toOrder } from './order-share.ts';
import { Reservation } from './reservation.ts';
import { dueOf } from './reservation-view.ts';
import { scalePrice } from './tax.ts';

/** Cancel reason of a stay that the order no longer contains. */
export const editReason = 'order_edited';

/** Reservations of an order, oldest first, locked, with their folios. */
export function staysOf(ctx: Ctx, orderId: string) {
  const options = { populate: ['folio'], orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return ctx.em.find(Reservation, { orderId }, options);
}
export type Stay = Awaited<ReturnType<typeof staysOf>>[number];

/** Entries that refer to the order by its number carry its money; those with another label were made at the desk. */
const refundedAtDesk = (entries: readonly FolioEntry[], number: string): number =>
  entries.reduce(
    (sum, { kind, ref, label, amount }) => sum + (kind === 'refund' && ref === number && label !== number ? amount.amount : 0),
    0,
  );

/**
 * Brings the folios of an order's stays in line with what the order has captured and refunded. Idempotent, because the stays are locked
 * before the order is read.
 */
export async function syncFolios(ctx: Ctx, orderId: string): Promise<void> {
  const stays = await staysOf(ctx, orderId);
  const service = ctx.use(orders);
  if (stays.length === 0 || !service) return;
  const order = await service.get(orderId);
  if (!order) return;
  const { number } = order;
  const money = stays.map((stay): StayMoney => {
    const inOrder = priceIn(stay);
    const entries = stay.folio.getItems();
    const gone = stay.cancelReason === editReason;
    return {
      lineId: stay.orderLineId as string,
      price: gone ? 0 : inOrder.price,
      paid: toOrder(paidBy(stay.total, entries, number), inOrder),
      excess: Math.max(0, toOrder(-balanceOf(stay), inOrder)),
      refundedAtDesk: gone ? 0 : toOrder(refundedAtDesk(entries, number), inOrder),
    };
  });
  const shares = sharesOf(order, await service.refundsOf(orderId), money);
  for (const [i, stay] of stays.entries()) {
    const share = shares[i] ?? 0;
    if (share === money[i]?.paid) continue;
    const change = toFolio(share, priceIn(stay)) - paidBy(stay.total, stay.folio.getItems(), number);
    if (change === 0) continue;
    const amount = { amount: Math.abs(change), currency: stay.total.currency };
    addEntries(ctx, stay.id, [{ kind: change > 0 ? 'payment' : 'refund', amount, label: number, ref: number, vatRate: null }]);
  }
}

const balanceOf = (stay: Stay): number => computeBalance(dueOf(stay), stay.folio.getItems()).balance.amount;

/** Gives each stay of an edited order its line's price. A difference that the desk agreed on is kept. */
export async function repriceStays(ctx: Ctx, order: OrderView): Promise<void> {
  const stays = (await staysOf(ctx, order.id)).filter(({ cancelReason }) => cancelReason !== editReason);
  for (const { id, total, quantity } of order.lines) {
    const own = stays.filter(({ orderLineId }) => orderLineId === id);
    for (const [i, stay] of own.entries()) {
      if (i >= quantity) break;
      const price = { amount: unitsTotal(total, quantity, i, 1), currency: order.currency };
      const before = priceIn(stay);
      const known = stay.orderPrice !== null;
      stay.orderPrice = price;
      if (known && before.price === price.amount) continue;
      const { currency } = stay.total;
      const next =
        price.currency === currency
          ? price.amount
          : before.price === 0
            ? before.total
            : mulRatio(before.total, price.amount, before.price);
      stay.orderTotal = { amount: next, currency };
      Object.assign(stay, scalePrice(stay, Math.max(0, stay.total.amount + next - before.total)));
    }
  }
}

/** orders.order.paid, orders.order.edited. */
export function orderChanged(ctx: Ctx, { data }: DomainEvent<OrderEvent>): Promise<void> {
  return syncFolios(ctx, data.id);
}

/** orders.refund.created, orders.refund.succeeded (parts of it may have failed), orders.refund.failed. */
export function orderRefunded(ctx: Ctx, { data }: DomainEvent<EventData<typeof orderRefundEvents.created>>): Promise<void> {
  return syncFolios(ctx, data.orderId);
}

/** payments.payment.captured, payments.refund.succeeded, payments.refund.failed. */
export async function paymentChanged(
  ctx: Ctx,
  { data: { for: subject } }: DomainEvent<Pick<EventData<typeof paymentEvents.captured>, 'for'>>,
): Promise<void> {
  if (subject.type === 'orders.order') await syncFolios(ctx, subject.id);
}
