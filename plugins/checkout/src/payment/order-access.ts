import { customers, type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, notFound } from '@storeloom/plugin-sdk';
import { cart } from '../cart/table.ts';

export interface OpenedOrder {
  order: OrderView;
  /** The token that opens it, where the caller may know it. */
  orderToken: string | null;
}

/**
 * The order, if the caller may see it: with its token, or as the customer whose it is. An order that was placed without signing in belongs
 * to an address, so it opens to the account of that address only once the address is confirmed. Everybody else: 404.
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
