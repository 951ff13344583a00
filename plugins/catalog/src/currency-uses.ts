import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Prices kept in a currency: while there are any, it stays in the shop. */
export async function currencyUses(ctx: Ctx, { code }: { code: string }): Promise<{ path: string; count: number }[]> {
  const [row] = await ctx.db.rows<{ count: number }>(sql`select (
    (select count(*) from catalog_variant where tenant_id = ${ctx.tenant.id} and deleted_at is null and price_currency = ${code}) +
    (select count(*) from catalog_variant_price where tenant_id = ${ctx.tenant.id} and price_currency = ${code}) +
    (select count(*) from catalog_volume_price
      where tenant_id = ${ctx.tenant.id} and coalesce(price_currency, fixed_off_currency) = ${code}))::int as count`);
  return [{ path: 'prices', count: row?.count ?? 0 }];
}
