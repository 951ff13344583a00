import {
  type EditInput,
  type OrderEvent,
  type orderEvents,
  orders,
  type PlaceInput,
  type paymentEvents,
} from '@storeloom/commerce';
import { type Ctx, type DomainEvent, type EventData, LockMode } from '@storeloom/plugin-sdk';
import { withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { isStay, ratesOfLine, type StayData, stayOf } from './cart.ts';
import { addEntries, paidBy } from './folio.ts';
import { guestOfBuyer, withGuests } from './guest.ts';
import { type Origin, Reservation, reservation, reserve } from './reservation.ts';
import type { ReservationRow } from './reservation-fields.ts';
import { room } from './room.ts';
import { loadInventory } from './stock.ts';

/**
 * Stage 25 of `place.commit`: creates a pending reservation per room in the order's transaction; it lasts as long as the order is unpaid.
 * The rooms of all lines are locked first and their nights taken in one order, so that two orders can't deadlock.
 * @throws as `reserve` does
 */
export async function takeStays(ctx: Ctx, input: PlaceInput): Promise<void> {
  const lines = input.priced.lines.filter(isStay);
  if (lines.length === 0) return;
  const stays = await Promise.all(lines.map(async (line) => ({ line, stay: await stayOf(line) })));
  stays.sort((a, b) => compare(a.stay.roomType, b.stay.roomType) || compare(a.stay.checkIn, b.stay.checkIn));
  const { byId } = await loadInventory(ctx, [...new Set(stays.map(({ stay }) => stay.roomType))]);
  await withGuests(ctx, [input], async () => {
    const guestId = await guestOfBuyer(ctx, buyerOf(input));
    await withResourceLocks(ctx, room, [...byId.keys()], async () => {
      for (const { line, stay } of stays) {
        const order = { orderId: input.orderId, orderLineId: line.id, rates: ratesOfLine(line) };
        for (let i = 0; i < line.quantity; i++) await reserveFor(ctx, stay, guestId, { status: 'pending', order });
      }
    });
  });
}
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function buyerOf({ email, phone, context }: PlaceInput) {
  const { firstName, lastName } = context.billingAddress ?? context.shippingAddress ?? {};
  return { email, phone, firstName: firstName || email, lastName: lastName || email };
}

function reserveFor(ctx: Ctx, stay: StayData, guestId: string, origin: Origin): Promise<ReservationRow> {
  const { roomType, checkIn, checkOut, adults, children } = stay;
  const nothing = { roomId: null, guest: null, guests: [], notes: null, hold: false, folioAdd: [], cancelReason: null };
  const deposit = { amount: 0, currency: ctx.tenant.currency };
  return reserve(
    ctx,
    { ...nothing, roomType, checkIn, checkOut, adults, children, guestId, deposit, source: 'shop' } as Parameters<
      typeof reserve
    >[1],
    origin,
  );
}

/** Reservations of an order, or of one of its lines, oldest first, locked, with their folios. */
function staysOf(ctx: Ctx, where: { orderId: string; orderLineId?: string }) {
  const options = { populate: ['folio'], orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return ctx.em.find(Reservation, where, options);
}
type Stay = Awaited<ReturnType<typeof staysOf>>[number];

/** Cancel reason of a stay that the order no longer contains. */
const editReason = 'order_edited';

/** `edit.commit`: releases the rooms that a line loses, and takes further ones on the same terms. */
export async function editStays(ctx: Ctx, { order, changes }: EditInput): Promise<void> {
  for (const { lineId, delta } of changes) {
    const rows = await staysOf(ctx, { orderId: order.id, orderLineId: lineId });
    const open = rows.filter(({ status }) => status === 'pending' || status === 'confirmed').reverse();
    for (const row of open.slice(0, Math.max(0, -delta))) {
      await cancelWithoutFee(ctx, row, editReason);
      addRefund(ctx, row, order);
    }
    const model = open[0] ?? rows[0];
    if (!model) continue;
    const { id: orderId } = order;
    const origin: Origin = {
      status: model.status === 'pending' ? 'pending' : 'confirmed',
      order: { orderId, orderLineId: lineId, rates: model.nightlyRates },
    };
    for (let i = 0; i < delta; i++) await reserveFor(ctx, model as StayData, model.guestId as string, origin);
  }
}

/** orders.order.confirmed: confirms what is still pending. */
export async function orderConfirmed(ctx: Ctx, { data }: DomainEvent<OrderEvent>): Promise<void> {
  for (const row of await staysOf(ctx, { orderId: data.id }))
    if (row.status === 'pending') await reservation.move(ctx, row.id, 'confirm');
}

/** orders.order.paid: adds what the order has paid of each stay to its folio; payments at the desk are entries already. */
export function orderPaid(ctx: Ctx, { data }: DomainEvent<OrderEvent>): Promise<void> {
  return settleFolios(ctx, data);
}

/**
 * orders.order.edited: the edit may have added a room at no difference, or one that is paid already. `orders.order.paid` is published once
 * for each order.
 */
export function orderEdited(ctx: Ctx, { data }: DomainEvent<OrderEvent>): Promise<void> {
  return settlePaidOrder(ctx, data.id);
}

/** payments.payment.captured: pays the rooms that an edit added to a paid order. */
export async function paymentCaptured(
  ctx: Ctx,
  { data: { for: subject } }: DomainEvent<EventData<typeof paymentEvents.captured>>,
): Promise<void> {
  if (subject.type === 'orders.order') await settlePaidOrder(ctx, subject.id);
}

async function settlePaidOrder(ctx: Ctx, orderId: string): Promise<void> {
  const order = await ctx.use(orders)?.get(orderId);
  const isPaid = order && order.status !== 'cancelled' && order.captured > 0 && order.amountDue === 0;
  if (isPaid) await settleFolios(ctx, order);
}

/** Adds the open amount of each stay to its folio as paid by the order. Idempotent, because the stays are locked. */
async function settleFolios(ctx: Ctx, data: Pick<OrderEvent, 'id' | 'number'>): Promise<void> {
  for (const stay of await staysOf(ctx, { orderId: data.id })) {
    if (stay.cancelReason === editReason) continue;
    const open = stay.total.amount - paidByOrder(stay, data.number);
    if (open > 0) addEntries(ctx, stay.id, [{ kind: 'payment', amount: { ...stay.total, amount: open }, ...entryOf(data) }]);
  }
}

/** orders.order.cancelled: frees the nights and records the refund, which the order makes; a stay that has begun goes on. */
export async function orderCancelled(ctx: Ctx, { data }: DomainEvent<EventData<typeof orderEvents.cancelled>>): Promise<void> {
  for (const stay of await staysOf(ctx, { orderId: data.id })) {
    if (stay.status === 'pending' || stay.status === 'confirmed') await cancelWithoutFee(ctx, stay, data.reason);
    addRefund(ctx, stay, data);
  }
}

/** Records that the order takes back what it has paid of the stay. */
function addRefund(ctx: Ctx, stay: Stay, order: Pick<OrderEvent, 'number'>): void {
  const paid = paidByOrder(stay, order.number);
  if (paid > 0) addEntries(ctx, stay.id, [{ kind: 'refund', amount: { ...stay.total, amount: paid }, ...entryOf(order) }]);
}

const entryOf = ({ number }: Pick<OrderEvent, 'number'>) => ({ label: number, ref: number, vatRate: null });

const paidByOrder = ({ folio, total }: Stay, order: string): number => paidBy(total, folio.getItems(), order);

async function cancelWithoutFee(ctx: Ctx, stay: Stay, reason: string): Promise<void> {
  await reservation.move(ctx, stay.id, 'cancel', { reason });
  stay.fee = { amount: 0, currency: stay.total.currency };
  stay.cancelReason = reason.slice(0, 500);
}
