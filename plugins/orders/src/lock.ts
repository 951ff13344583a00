import { flowLock, type PaymentView } from '@storeloom/commerce';
import { type Ctx, notFound, sql } from '@storeloom/plugin-sdk';
import { type OrderData, touch, withData } from './load.ts';
import { order } from './tables.ts';
import { paymentsOf } from './view/order-payments.ts';

/**
 * Locks what every flow of an order locks, in this order: its cart, the order, its payments. 404 when there is no such order.
 * Within one transaction it may be called again: the locks are held already.
 */
export async function lockOrder(ctx: Ctx, id: string): Promise<OrderData & { payments: PaymentView[] }> {
  const head = await ctx.db.first<{ cartId: string | null; draftId: string | null }>(
    sql`select cart_id as "cartId", draft_id as "draftId" from orders_order where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  if (!head) throw notFound();
  touch(ctx, id);
  await ctx.call(flowLock, { orderId: id, ...head });
  const row = await ctx.rows(order).require(id, { lock: true });
  const payments = await paymentsOf(ctx, id, { lock: true });
  return { ...(await withData(ctx, row)), payments };
}
