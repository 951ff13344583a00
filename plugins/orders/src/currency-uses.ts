import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Counts the orders in a currency. */
export async function currencyUses(ctx: Ctx, { code }: { code: string }): Promise<{ path: string; count: number }[]> {
  const [row] = await ctx.db.rows<{ count: number }>(
    sql`select count(*)::int as count from orders_order where tenant_id = ${ctx.tenant.id} and currency = ${code}`,
  );
  return [{ path: 'orders', count: row?.count ?? 0 }];
}
