import { orders, type PaymentView, payments } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';

/** The subject of an order's payments. */
export const orderSubject = (id: string): { type: string; id: string } => ({ type: 'orders.order', id });

const taken: readonly PaymentView['status'][] = ['authorized', 'captured', 'partially_captured'];
export const isTaken = (payment: Pick<PaymentView, 'status'>): boolean => taken.includes(payment.status);

/** Newest first. */
export function newestFirst(list: readonly PaymentView[]): PaymentView[] {
  return [...list].sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? 1 : -1));
}

/**
 * Cancels the unpaid order of a cart or draft, which releases its reservations; the tap of `cancelCommit` reopens the cart. The caller holds
 * the lock of the cart or draft; this locks the order, then its payments. Does nothing when there is no active order.
 * @throws Problem 409 `cart_converted` when money is authorised or captured
 */
export async function releaseWaiting(
  ctx: Ctx,
  of: { cartId: string } | { draftId: string },
  reason: 'superseded' | 'payment_timeout',
): Promise<void> {
  const service = ctx.require(orders);
  const live = await service.activeOrderOf(of);
  if (!live) return;
  const order = await service.get(live.id, { lock: true });
  if (!order || order.status === 'cancelled') return;
  const paid = await ctx.require(payments).of(orderSubject(order.id), { lock: true });
  if (paid.some(isTaken))
    throw problem('cart_converted', { detail: "The order of this cart is paid or authorised and can't be cancelled here." });
  await service.move(order.id, 'cancelled', { reason, refund: true });
}
