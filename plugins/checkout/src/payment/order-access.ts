import { customers, type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, notFound } from '@storeloom/plugin-sdk';
import { cart } from '../cart/table.ts';

export interface OpenedOrder {
  order: OrderView;
  /** The order's token, when the caller may have it. */
  orderToken: string | null;
}

/**
 * Returns the order if the caller has its token or is its customer. A guest order belongs to an e-mail address: the account with that
 * address sees it once the address is confirmed.
 * @throws Problem 404
 */
export async function openOrder(ctx: Ctx, id: string): Promise<OpenedOrder> {
  const service = ctx.require(orders);
  const { order: token } = ctx.tokens;
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : undefined;
  const byToken = token !== undefined && (await service.tokenMatches(id, token));
  if (!byToken && customerId === undefined) throw notFound();
  const order = await service.get(id);
  if (!order) throw notFound();
  if (byToken) return { order, orderToken: token };
  if (order.customerId !== customerId) throw notFound();
  const source = order.cartId === null ? undefined : await ctx.rows(cart).get(order.cartId);
  if (source?.customerId !== customerId) {
    const person = await ctx.require(customers).get(customerId as string);
    if (!person || person.emailVerifiedAt === null) throw notFound();
  }
  return { order, orderToken: source?.orderToken && source.orderId === id ? ctx.unseal(source.orderToken) : null };
}
