import { type Ctx, quotas, sql } from '@storeloom/plugin-sdk';

const resource = 'products';

/** Archived ones don't count: orders keep them, so nobody could remove them. */
async function countProducts(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from catalog_product where tenant_id = ${ctx.tenant.id} and status <> 'archived'`,
  );
  return row?.n ?? 0;
}

/** 402 when the tenant's plan has no room for one more product. */
export async function roomForProduct(ctx: Ctx): Promise<void> {
  await ctx.use(quotas)?.require(resource, () => countProducts(ctx));
}

export async function productUsage(ctx: Ctx): Promise<{ resource: string; used: number }[]> {
  return [{ resource, used: await countProducts(ctx) }];
}
