import type { PaymentView } from '@storeloom/plugin-payments/contract';
import { type Ctx, notFound, Problem, sql } from '@storeloom/plugin-sdk';
import { flowLock } from './contract.ts';
import { type OrderData, touch, withData } from './load.ts';
import { paymentsOf } from './neighbours.ts';
import { order } from './tables.ts';

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

/** `If-Match` of a PATCH or DELETE on an order. */
export function checkVersion(data: Pick<OrderData, 'row'>, ifMatch: number | undefined): void {
  if (ifMatch !== undefined && ifMatch !== data.row.version) throw new Problem('version_conflict');
}

class Rollback extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('a dry run is undone');
    this.result = result;
  }
}

/** `dryRun`: does everything, stock and limits checked by their owners, gives the answer, and undoes it. */
export async function dryRun<T>(ctx: Ctx, fn: () => Promise<T>): Promise<T> {
  try {
    await ctx.savepoint(async () => {
      throw new Rollback(await fn());
    });
  } catch (error) {
    if (error instanceof Rollback) return error.result as T;
    throw error;
  }
  throw new Error('a dry run ended without its answer');
}
