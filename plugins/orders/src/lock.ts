import { flowLock, type PaymentView } from '@storeloom/commerce';
import { type Ctx, notFound, sql } from '@storeloom/plugin-sdk';
import { dropPlacedOrder, type OrderData, withData } from './load.ts';
import { order } from './tables.ts';
import { paymentsOf } from './view/order-payments.ts';

/**
 * Locks the cart, the order and its payments, in the order that every flow uses to avoid deadlocks. Reentrant within a transaction.
 * @throws 404
 */
export async function lockOrder(ctx: Ctx, id: string): Promise<OrderData & { payments: PaymentView[] }> {
  const head = await ctx.db.first<{ cartId: string | null; draftId: string | null }>(
    sql`select cart_id as "cartId", draft_id as "draftId" from orders_order where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  if (!head) throw notFound();
  dropPlacedOrder(ctx, id);
  await ctx.call(flowLock, { orderId: id, ...head });
  const row = await ctx.rows(order).require(id, { lock: true });
  const payments = await paymentsOf(ctx, id, { lock: true });
  return { ...(await withData(ctx, row)), payments };
}
