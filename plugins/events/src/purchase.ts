import { payable } from '@storeloom/commerce';
import { type BaseRow, type Ctx, f, type RowOf, type Shape, table } from '@storeloom/plugin-sdk';
import { letGo } from './coupon.ts';
import { ticket } from './ticket.ts';

const fields = {
  eventId: f.id(),
  /** Unguessable; by it the buyer names the purchase. */
  orderRef: f.text(),
  status: f.oneOf(['reserved', 'paid', 'expired', 'cancelled', 'refunded']),
  buyerName: f.text().personal().private(),
  buyerEmail: f.email().personal().private(),
  buyerPhone: f.phone().optional().personal().private(),
  customerId: f.id().optional(),
  /** Of the buyer's mails. */
  locale: f.text({ max: 20 }),
  coupon: f.text({ max: 60 }).optional().private(),
  discount: f.money(),
  tax: f.money(),
  total: f.money(),
  refunded: f.money(),
  holdExpiresAt: f.instant().optional(),
  /** The buyer was sent to pay. */
  paymentStarted: f.bool(),
  /** Money came after the hold, and the places were gone. */
  refundDue: f.bool(),
  paidAt: f.instant().optional(),
} satisfies Shape;
export type Purchase = RowOf<typeof fields> & BaseRow;
export type PurchaseStatus = Purchase['status'];

export const purchase = table('purchase', fields);
/** What payments call the thing that is paid. */
export const purchaseType = 'events.purchase';

type TicketMove = 'pay' | 'expire' | 'cancel' | 'refund';

/**
 * The purchase and its tickets move together, by the machine of tickets: those that can't make the move (they were used, or cancelled
 * alone) stay. The event's row must be locked where places are taken or given back.
 */
export async function movePurchase(
  ctx: Ctx,
  row: Purchase,
  to: PurchaseStatus,
  move: TicketMove,
  change: Partial<Purchase> = {},
): Promise<Purchase> {
  const moved = await ctx.rows(purchase).update(row.id, { ...change, status: to });
  await ctx.history({ entity: purchaseType, entityId: row.id, from: row.status, to });
  const from = ticket.options.machine?.moves[move]?.from as readonly string[] | undefined;
  for (const each of await ctx.rows(ticket).find({ purchaseId: row.id }, { lock: true }))
    if (from?.includes(each.status)) await ticket.move(ctx, each.id, move);
  if (row.coupon !== null && to !== 'reserved' && to !== 'paid')
    await letGo(ctx, row.orderRef, to === 'expired' ? 'not_placed' : 'cancelled');
  if ((to === 'expired' || to === 'cancelled') && row.paymentStarted)
    await ctx.use(payable)?.giveBack({ type: purchaseType, id: row.id }, to);
  await ctx.emit(`events.purchase.${to}`, { id: row.id, data: { id: row.id, eventId: row.eventId, total: row.total } });
  return moved;
}
