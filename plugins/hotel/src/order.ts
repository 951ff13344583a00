import type { EditInput, OrderEvent, orderEvents, PlaceInput } from '@storeloom/commerce';
import type { Ctx, DomainEvent, EventData } from '@storeloom/plugin-sdk';
import { unitsTotal } from '@storeloom/plugin-sdk/money';
import { withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { isStay, ratesOfLine, type StayData, stayOf } from './cart.ts';
import { guestOfBuyer, withGuests } from './guest.ts';
import { editReason, repriceStays, type Stay, staysOf, syncFolios } from './order-folio.ts';
import { type Origin, reservation, reserve } from './reservation.ts';
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
        for (let i = 0; i < line.quantity; i++) {
          const price = { amount: unitsTotal(line.total, line.quantity, i, 1), currency: input.context.currency };
          const order = { orderId: input.orderId, orderLineId: line.id, rates: ratesOfLine(line), price };
          await reserveFor(ctx, stay, guestId, { status: 'pending', order });
        }
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

/** `edit.commit`: releases the rooms that a line loses, takes further ones on the same terms, and gives the others the line's new price. */
export async function editStays(ctx: Ctx, { order, changes }: EditInput): Promise<void> {
  const stays = await staysOf(ctx, order.id);
  if (stays.length === 0) return;
  for (const { lineId, delta } of changes) {
    const rows = stays.filter((stay) => stay.orderLineId === lineId);
    const open = rows.filter(({ status }) => status === 'pending' || status === 'confirmed').reverse();
    for (const row of open.slice(0, Math.max(0, -delta))) await cancelWithoutFee(ctx, row, editReason);
    const model = open[0] ?? rows[0];
    if (!model) continue;
    const origin: Origin = {
      status: model.status === 'pending' ? 'pending' : 'confirmed',
      order: { orderId: order.id, orderLineId: lineId, rates: model.nightlyRates, price: null },
    };
    for (let i = 0; i < delta; i++) await reserveFor(ctx, model as StayData, model.guestId as string, origin);
  }
  await repriceStays(ctx, order);
}

/** orders.order.confirmed: confirms what is still pending. */
export async function orderConfirmed(ctx: Ctx, { data }: DomainEvent<OrderEvent>): Promise<void> {
  for (const row of await staysOf(ctx, data.id)) if (row.status === 'pending') await reservation.move(ctx, row.id, 'confirm');
}

/** orders.order.cancelled: frees the nights; a stay that has begun goes on. The refund is the order's, and shown in the folio. */
export async function orderCancelled(ctx: Ctx, { data }: DomainEvent<EventData<typeof orderEvents.cancelled>>): Promise<void> {
  for (const stay of await staysOf(ctx, data.id))
    if (stay.status === 'pending' || stay.status === 'confirmed') await cancelWithoutFee(ctx, stay, data.reason);
  await syncFolios(ctx, data.id);
}

async function cancelWithoutFee(ctx: Ctx, stay: Stay, reason: string): Promise<void> {
  await reservation.move(ctx, stay.id, 'cancel', { reason });
  stay.fee = { amount: 0, currency: stay.total.currency };
  stay.cancelReason = reason.slice(0, 500);
}
