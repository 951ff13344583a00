import type { OrderEvent } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, sql } from '@storeloom/plugin-sdk';

/** Handles `orders.order.placed`: adds each order once to the customer's figures, and customers to the groups whose automatic rules they match. */
export async function countOrder(ctx: Ctx, event: DomainEvent<OrderEvent>): Promise<void> {
  const order = event.data;
  if (order.customerId === null) return;
  const now = ctx.clock.now();
  // Figures are in the shop's currency; an order in another one counts, but its amount isn't mixed in.
  const spent = order.total.currency === ctx.tenant.currency ? order.total.amount : 0;
  const first = await ctx.db.run(
    sql`insert into customers_counted_order (tenant_id, order_id, customer_id, amount, created_at) values (${ctx.tenant.id}, ${order.id}, ${order.customerId}, ${spent}, ${now}) on conflict do nothing`,
  );
  if (first === 0) return;
  await ctx.db.run(sql`update customers_customer set orders_count = orders_count + 1, total_spent_amount = total_spent_amount + ${spent}, last_order_at = greatest(last_order_at, ${order.placedAt}::timestamptz), updated_at = ${now}
    where tenant_id = ${ctx.tenant.id} and id = ${order.customerId}`);
  await ctx.db.run(sql`insert into customers_member (tenant_id, customer_id, group_id, created_at)
    select g.tenant_id, c.id, g.id, ${now}::timestamptz from customers_group g join customers_customer c on c.tenant_id = g.tenant_id and c.id = ${order.customerId}
    where g.tenant_id = ${ctx.tenant.id} and g.auto_rules is not null and jsonb_typeof(g.auto_rules) = 'object'
      and (g.auto_rules ->> 'minOrders' is not null or g.auto_rules -> 'minSpent' ->> 'amount' is not null or g.auto_rules ->> 'country' is not null)
      and c.orders_count >= coalesce((g.auto_rules ->> 'minOrders')::int, 0)
      and c.total_spent_amount >= coalesce((g.auto_rules -> 'minSpent' ->> 'amount')::bigint, 0)
      and (g.auto_rules ->> 'country' is null or upper(g.auto_rules ->> 'country') = ${order.country ?? null}::text)
    on conflict do nothing`);
}

/** `orders.order.cancelled`: what was counted is taken back, once; the order may have been edited since. */
export async function uncountOrder(ctx: Ctx, event: DomainEvent<OrderEvent>): Promise<void> {
  const order = event.data;
  const removed = await ctx.db.first<{ customerId: string; amount: number }>(
    sql`delete from customers_counted_order where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} returning customer_id as "customerId", amount`,
  );
  if (!removed) return;
  await ctx.db.run(
    sql`update customers_customer set orders_count = orders_count - 1, total_spent_amount = total_spent_amount - ${removed.amount}, updated_at = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and id = ${removed.customerId}`,
  );
}
