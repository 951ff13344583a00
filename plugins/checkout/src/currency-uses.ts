import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Counts the carts and draft orders in a currency that may still become orders. */
export async function currencyUses(ctx: Ctx, { code }: { code: string }): Promise<{ path: string; count: number }[]> {
  const [row] = await ctx.db.rows<{ count: number }>(sql`select (
    (select count(*) from checkout_cart
      where tenant_id = ${ctx.tenant.id} and currency = ${code} and status in ('open', 'locked', 'abandoned') and jsonb_array_length(lines) > 0) +
    (select count(*) from checkout_draft_order
      where tenant_id = ${ctx.tenant.id} and currency = ${code} and status in ('open', 'link_sent')))::int as count`);
  return [{ path: 'carts', count: row?.count ?? 0 }];
}
