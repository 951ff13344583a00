import { carts } from '@storeloom/commerce';
import { notFound, provide, sql } from '@storeloom/plugin-sdk';
import { hashToken } from '@storeloom/plugin-sdk/public';
import { findCarts, reopenCart, saveCart } from './cart.ts';
import { priceCart } from './price.ts';
import { cart } from './table.ts';
import { cartView } from './view.ts';

export const cartsProvider = provide(carts, (ctx) => ({
  async byToken(token) {
    const [found] = await findCarts(ctx, sql`t.token_hash = ${hashToken(token)}`, true);
    if (!found || found.status === 'merged' || found.status === 'expired') throw notFound('There is no such cart.');
    const { id, currency, customerId, email } = await reopenCart(ctx, found);
    return { id, currency, customerId, email };
  },
  async requestTender(cartId, request) {
    const base = await reopenCart(ctx, await ctx.rows(cart).require(cartId, { lock: true }));
    const code = request.code ?? null;
    const others = base.tenders.filter((each) => each.type !== request.type || each.code !== code);
    const next = { ...base, tenders: [...others, { type: request.type, code, amount: request.amount ?? null }] };
    const price = await priceCart(ctx, next);
    return cartView(ctx, await saveCart(ctx, next, price), price);
  },
  async usesCurrency(code) {
    const row = await ctx.db.first(sql`select 1 from checkout_cart where tenant_id = ${ctx.tenant.id} and currency = ${code}
      and status in ('open', 'locked', 'abandoned') limit 1`);
    return row !== undefined;
  },
}));
