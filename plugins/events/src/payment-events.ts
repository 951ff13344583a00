import type { lateMoney } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, type HookInput, type HookResult, type MoneyValue, Problem } from '@storeloom/plugin-sdk';
import { redeemAgain } from './coupon.ts';
import { event } from './event.ts';
import { giveBackMoney, movePurchase, type Purchase, purchase, purchaseType } from './purchase.ts';
import { checkPlaces } from './sale.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

interface Thing {
  type: string;
  id: string;
}

/** The purchase of a payment, with its event's row locked first. */
async function locked(ctx: Ctx, { type, id }: Thing): Promise<Purchase | undefined> {
  if (type !== purchaseType) return undefined;
  const known = await ctx.rows(purchase).get(id);
  if (!known) return undefined;
  await ctx.rows(event).get(known.eventId, { lock: true });
  return ctx.rows(purchase).get(id, { lock: true });
}

/** payments.payment.captured: the places are the buyer's. */
export async function paid(ctx: Ctx, { data }: DomainEvent): Promise<void> {
  const row = await locked(ctx, data.for as Thing);
  if (row && !(await settle(ctx, row))) await giveBackMoney(ctx, row.id, 'late_payment');
}

/**
 * Money after the hold has lapsed: where the places are still free the tickets are valid, else the purchase stays expired and is marked as
 * one whose money goes back. True where the money has a place.
 */
async function settle(ctx: Ctx, row: Purchase): Promise<boolean> {
  if (row.status === 'paid') return true;
  const change = { paidAt: ctx.clock.now(), holdExpiresAt: null, refundDue: false };
  const holds = row.status === 'reserved' && row.holdExpiresAt !== null && row.holdExpiresAt > ctx.clock.now();
  if (!holds && !(await fitsAgain(ctx, row))) {
    if (row.status === 'reserved') await movePurchase(ctx, row, 'expired', 'expire', { refundDue: true });
    else if (!row.refundDue) await ctx.rows(purchase).update(row.id, { refundDue: true });
    return false;
  }
  await movePurchase(ctx, row, 'paid', 'pay', change);
  return true;
}

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
  // The lapsed hold itself counts for nothing any more.
  try {
    await checkPlaces(ctx, found, wanted);
  } catch (error) {
    if (error instanceof Problem && error.code === 'sold_out') return false;
    throw error;
  }
  // Expired, it has let go of its code, which somebody else may have used up.
  if (row.status !== 'expired' || row.coupon === null) return true;
  const sum = tickets.reduce((total, { price }) => total + price.amount, 0);
  const { coupon: code, orderRef, buyerEmail: email, customerId } = row;
  return redeemAgain(ctx, { amount: sum, currency: row.total.currency }, { code, orderRef, email, customerId });
}

/** payments:late-money: what came too late stays where the places are still there. */
export async function lateMoneyWish(
  ctx: Ctx,
  { for: thing }: HookInput<typeof lateMoney>,
): Promise<HookResult<typeof lateMoney>> {
  const row = await locked(ctx, thing);
  if (!row) return undefined;
  return (await settle(ctx, row)) ? 'hold' : 'refund';
}

/** payments.refund.succeeded: once all of it is back, the tickets open no door. */
export async function refunded(ctx: Ctx, { data }: DomainEvent): Promise<void> {
  const row = await locked(ctx, data.for as Thing);
  if (!row) return;
  const { amount } = data.amount as MoneyValue;
  const sum = { amount: row.refunded.amount + amount, currency: row.refunded.currency };
  const change = { refunded: sum, refundDue: false };
  if (sum.amount >= row.total.amount && (row.status === 'paid' || row.status === 'cancelled'))
    await movePurchase(ctx, row, 'refunded', 'refund', change);
  else await ctx.rows(purchase).update(row.id, change);
}
