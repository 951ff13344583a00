import type { PaymentSubject, paymentRefundEvents, settlePayable } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, type EventData, Problem, type TapFn } from '@storeloom/plugin-sdk';
import { redeemAgain } from './coupon.ts';
import { event } from './event.ts';
import { movePurchase, type Purchase, purchase, purchaseType } from './purchase.ts';
import { checkPlaces } from './sale.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

/** The purchase of a payment, with its event's row locked first. */
async function locked(ctx: Ctx, { type, id }: PaymentSubject): Promise<Purchase | undefined> {
  if (type !== purchaseType) return undefined;
  const known = await ctx.rows(purchase).get(id);
  if (!known) return undefined;
  await ctx.rows(event).get(known.eventId, { lock: true });
  return ctx.rows(purchase).get(id, { lock: true });
}

/**
 * payments:payable.settle: the money makes the tickets valid. After the hold has lapsed they are valid where the places are still free; else
 * the purchase stays expired with `refundDue`.
 */
export const settlePurchase: TapFn<typeof settlePayable> = async (ctx, { for: subject }) => {
  const row = await locked(ctx, subject);
  if (!row) return undefined;
  if (row.status === 'paid') return 'accepted';
  const change = { paidAt: ctx.clock.now(), holdExpiresAt: null, refundDue: false };
  const isHeld = row.status === 'reserved' && row.holdExpiresAt !== null && row.holdExpiresAt > ctx.clock.now();
  if (isHeld || (await fitsAgain(ctx, row))) {
    await movePurchase(ctx, row, 'paid', 'pay', change);
    return 'accepted';
  }
  if (row.status === 'reserved') await movePurchase(ctx, row, 'expired', 'expire', { refundDue: true });
  else if (!row.refundDue) await ctx.rows(purchase).update(row.id, { refundDue: true });
  return 'refused';
};

async function fitsAgain(ctx: Ctx, row: Purchase): Promise<boolean> {
  if (row.status !== 'reserved' && row.status !== 'expired') return false;
  const found = await ctx.rows(event).get(row.eventId);
  if (!found || found.status === 'cancelled') return false;
  const tickets = await ctx.rows(ticket).find({ purchaseId: row.id });
  const ids = [...new Set(tickets.map((each) => each.ticketTypeId))];
  const types = await ctx.rows(ticketType).find({ id: ids }, { orderBy: ['id'], lock: true });
  const wanted = types.map((type) => ({
    type,
    quantity: tickets.filter((each) => each.ticketTypeId === type.id).length,
  }));
  // The lapsed hold itself doesn't count.
  try {
    await checkPlaces(ctx, found, wanted);
  } catch (error) {
    if (error instanceof Problem && error.code === 'sold_out') return false;
    throw error;
  }
  // An expired purchase has released its code, which may be used up by now.
  if (row.status !== 'expired' || row.coupon === null) return true;
  const sum = tickets.reduce((total, { price }) => total + price.amount, 0);
  const { coupon: code, orderRef, buyerEmail: email, customerId } = row;
  return redeemAgain(ctx, { amount: sum, currency: row.total.currency }, { code, orderRef, email, customerId });
}

/** payments.refund.succeeded: a full refund ends the tickets. */
export async function refunded(ctx: Ctx, { data }: DomainEvent<EventData<typeof paymentRefundEvents.succeeded>>): Promise<void> {
  const row = await locked(ctx, data.for);
  if (!row) return;
  const { amount } = data.amount;
  const sum = { amount: row.refunded.amount + amount, currency: row.refunded.currency };
  const change = { refunded: sum, refundDue: false };
  if (sum.amount >= row.total.amount && (row.status === 'paid' || row.status === 'cancelled'))
    await movePurchase(ctx, row, 'refunded', 'refund', change);
  else await ctx.rows(purchase).update(row.id, change);
}
