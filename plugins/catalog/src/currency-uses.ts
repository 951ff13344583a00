import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Counts prices in a currency. The shop can't remove a currency with prices. */
export async function currencyUses(ctx: Ctx, { code }: { code: string }): Promise<{ path: string; count: number }[]> {
  const [row] = await ctx.db.rows<{ count: number }>(sql`select (
    (select count(*) from catalog_variant where tenant_id = ${ctx.tenant.id} and deleted_at is null and price_currency = ${code}) +
    (select count(*) from catalog_variant_price where tenant_id = ${ctx.tenant.id} and price_currency = ${code}) +
    (select count(*) from catalog_volume_price
      where tenant_id = ${ctx.tenant.id} and coalesce(price_currency, fixed_off_currency) = ${code}))::int as count`);
  return [{ path: 'prices', count: row?.count ?? 0 }];
}
