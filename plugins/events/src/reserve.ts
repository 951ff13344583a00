import { customers, payable } from '@storeloom/commerce';
import { type Ctx, domainError, f, notFound, problem, type RowOf, referenceNotFound } from '@storeloom/plugin-sdk';
import { splitName } from '@storeloom/plugin-sdk/people';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { withKeyLocks, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { type Bill, billOf } from './bill.ts';
import { type EventRow, event } from './event.ts';
import { expireLapsed } from './lapse.ts';
import { movePurchase, type Purchase, purchase, purchaseType } from './purchase.ts';
import { checkPlaces, checkQuantities, isOnSale, type Wanted } from './sale.ts';
import { settings } from './settings.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

export const purchaseBody = {
  eventId: f.id(),
  items: f.list(f.object({ ticketTypeId: f.id(), quantity: f.int({ min: 1, max: 100 }) }), { min: 1, max: 50 }),
  buyer: f.object({ name: f.text(), email: f.email(), phone: f.phone().optional() }),
  /** Attendees in the order of the items; default the buyer. */
  attendees: f.list(f.object({ name: f.text(), email: f.email().optional() }), { max: 5000 }).default([]),
  coupon: f.text({ max: 60 }).optional(),
  /** Where the payment page returns the buyer to. */
  returnUrl: f.url().optional(),
};
export type PurchaseBody = RowOf<typeof purchaseBody>;

/**
 * Reserves the places, all or none, and creates the tickets; free ones are valid immediately.
 * @throws 404; 409 `sales_closed`, `sold_out`; 422 `order_quantity`; `coupon_…`; 501 when money is due and no online method takes it
 */
export async function reserve(ctx: Ctx, body: PurchaseBody): Promise<Purchase> {
  // Hopeless requests are refused before they wait for the lock, behind which everything is checked again.
  const seen = await ctx.rows(event).get(body.eventId);
  await checkRequest(ctx, seen, body);
  // Simultaneous purchases of one buyer wait here rather than at the customer's row.
  return withKeyLocks(ctx, [`buyer ${body.buyer.email.toLowerCase()}`], (inside) => keep(inside, body));
}

async function keep(ctx: Ctx, body: PurchaseBody): Promise<Purchase> {
  const customerId = await customerOf(ctx, body);
  return withResourceLocks(ctx, event, [body.eventId], async ([locked]) => {
    const wanted = await checkRequest(ctx, locked, body);
    await expireLapsed(ctx, body.eventId);
    const orderRef = generateToken();
    const coupon = body.coupon === null ? null : { code: body.coupon, orderRef, email: body.buyer.email, customerId };
    const bill = await billOf(ctx, wanted, coupon);
    if (bill.total.amount > 0) await ctx.require(payable).requireOnline(bill.total);
    const row = await insert(ctx, body, wanted, { bill, customerId, orderRef });
    if (bill.total.amount > 0) return row;
    return movePurchase(ctx, row, 'paid', 'pay', { paidAt: ctx.clock.now(), holdExpiresAt: null });
  });
}

/** Lapsed holds don't count, expired or not. */
async function checkRequest(ctx: Ctx, found: EventRow | undefined, body: PurchaseBody): Promise<Wanted[]> {
  if (!found || found.status === 'draft') throw notFound();
  const wanted = await typesOf(ctx, body);
  const now = ctx.clock.now();
  for (const { type } of wanted)
    if (!isOnSale(now, found, type))
      throw problem('sales_closed', { detail: `“${type.name}” is not on sale at present.`, ticketTypeId: type.id });
  checkQuantities(wanted);
  await checkPlaces(ctx, found, wanted);
  return wanted;
}

/** Sums the quantities per ticket type. */
async function typesOf(ctx: Ctx, { eventId, items }: PurchaseBody): Promise<Wanted[]> {
  const quantities = new Map<string, number>();
  for (const { ticketTypeId, quantity } of items) quantities.set(ticketTypeId, (quantities.get(ticketTypeId) ?? 0) + quantity);
  // Changes of a ticket type lock its event too.
  const rows = await ctx.rows(ticketType).find({ eventId, id: [...quantities.keys()] });
  const types = new Map(rows.map((row) => [row.id, row]));
  return [...quantities].map(([id, quantity]) => {
    const type = types.get(id);
    if (!type) throw referenceNotFound(`/items/${items.findIndex((item) => item.ticketTypeId === id)}/ticketTypeId`);
    return { type, quantity };
  });
}

async function customerOf(ctx: Ctx, { buyer: { name, email, phone } }: PurchaseBody): Promise<string | null> {
  const service = ctx.use(customers);
  if (!service) return null;
  if (ctx.actor.type === 'customer') return ctx.actor.customerId;
  return (await service.upsert({ email, phone, ...splitName(name) })).id;
}

async function insert(
  ctx: Ctx,
  body: PurchaseBody,
  wanted: readonly Wanted[],
  { bill, customerId, orderRef }: { bill: Bill; customerId: string | null; orderRef: string },
): Promise<Purchase> {
  const { holdMinutes } = ctx.settings(settings);
  const count = wanted.reduce((n, { quantity }) => n + quantity, 0);
  if (body.attendees.length > count)
    throw domainError('/attendees', 'order_quantity', 'must not name more people than tickets', { max: count });
  const row = await ctx.rows(purchase).insert({
    eventId: body.eventId,
    orderRef,
    status: 'reserved',
    buyerName: body.buyer.name,
    buyerEmail: body.buyer.email,
    buyerPhone: body.buyer.phone,
    customerId,
    locale: ctx.locale,
    coupon: body.coupon,
    ...bill,
    refunded: { amount: 0, currency: bill.total.currency },
    holdExpiresAt: new Date(ctx.clock.ms() + holdMinutes * 60_000).toISOString(),
    paymentStarted: bill.total.amount > 0,
    refundDue: false,
  });
  await ctx.history({ entity: purchaseType, entityId: row.id, from: null, to: 'reserved' });
  const units = wanted.flatMap(({ type, quantity }) => Array.from({ length: quantity }, () => type));
  await ctx.rows(ticket).insertMany(
    units.map((type, i) => ({
      eventId: body.eventId,
      ticketTypeId: type.id,
      purchaseId: row.id,
      code: generateToken(),
      status: 'reserved' as const,
      attendeeName: body.attendees[i]?.name ?? body.buyer.name,
      attendeeEmail: body.attendees[i]?.email ?? null,
      price: type.price,
    })),
  );
  return row;
}

/** Starts the payment and returns the address of its page; on failure the places are free again. Outside any transaction. */
export function startPayment(ctx: Ctx, row: Purchase, { returnUrl }: PurchaseBody, description: string): Promise<string | null> {
  const { id, total: amount, buyerEmail: email, holdExpiresAt: expiresAt, customerId } = row;
  const request = { for: { type: purchaseType, id }, amount, email, description, expiresAt, customerId, returnUrl };
  return ctx.require(payable).start(request, () => ctx.transaction((inner) => giveBackHold(inner, id)));
}

async function giveBackHold(ctx: Ctx, id: string): Promise<void> {
  const known = await ctx.rows(purchase).require(id);
  await ctx.rows(event).require(known.eventId, { lock: true });
  const row = await ctx.rows(purchase).require(id, { lock: true });
  if (row.status === 'reserved') await movePurchase(ctx, row, 'expired', 'expire');
}
