import { payable } from '@storeloom/commerce';
import { type BaseRow, type Ctx, f, type RowOf, type Shape, table } from '@storeloom/plugin-sdk';
import { releaseCoupon } from './coupon.ts';
import { purchaseEvents } from './events.ts';
import { ticket } from './ticket.ts';

const fields = {
  eventId: f.id(),
  /** Unguessable reference for the buyer. */
  orderRef: f.text(),
  status: f.oneOf(['reserved', 'paid', 'expired', 'cancelled', 'refunded']),
  buyerName: f.text().personal().private(),
  buyerEmail: f.email().personal().private(),
  buyerPhone: f.phone().optional().personal().private(),
  customerId: f.id().optional(),
  /** Of the buyer's e-mails. */
  locale: f.text({ max: 20 }),
  coupon: f.text({ max: 60 }).optional().private(),
  discount: f.money(),
  tax: f.money(),
  total: f.money(),
  refunded: f.money(),
  holdExpiresAt: f.instant().optional(),
  /** The buyer was redirected to the payment. */
  paymentStarted: f.bool(),
  /** Late money that could not be used. */
  refundDue: f.bool(),
  paidAt: f.instant().optional(),
} satisfies Shape;
export type Purchase = RowOf<typeof fields> & BaseRow;
export type PurchaseStatus = Purchase['status'];

export const purchase = table('purchase', fields, {
  uniques: [{ name: 'events_purchase_ref_key', fields: ['orderRef'] }],
  indexes: [
    { name: 'events_purchase_buyer_idx', fields: ['buyerEmail'] },
    { name: 'events_purchase_event_idx', fields: ['eventId', 'status'] },
    { name: 'events_purchase_held_idx', fields: ['holdExpiresAt'], where: "status = 'reserved'" },
    { name: 'events_purchase_paid_idx', fields: ['paidAt'], where: 'paid_at is not null' },
  ],
});
/** Subject type of payments. */
export const purchaseType = 'events.purchase';

type TicketMove = 'pay' | 'expire' | 'cancel' | 'refund';

/**
 * Changes the status of a purchase and of those of its tickets that can make the move; tickets that were cancelled before stay. The event's row
 * must be locked where places are taken or freed.
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
    await releaseCoupon(ctx, row.orderRef, to === 'expired' ? 'not_placed' : 'cancelled');
  if ((to === 'expired' || to === 'cancelled') && row.paymentStarted)
    await ctx.use(payable)?.giveBack({ type: purchaseType, id: row.id }, to);
  if (to !== 'reserved')
    await ctx.emit(purchaseEvents[to], { id: row.id, data: { id: row.id, eventId: row.eventId, total: row.total } });
  return moved;
}
