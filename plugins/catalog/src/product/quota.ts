import { type Ctx, quotas, sql } from '@storeloom/plugin-sdk';

const resource = 'products';

/** Archived products don't count, because products that orders refer to can't be deleted. */
async function countProducts(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from catalog_product where tenant_id = ${ctx.tenant.id} and status <> 'archived'`,
  );
  return row?.n ?? 0;
}

/** @throws 402 if the tenant's plan doesn't allow so many further products */
export async function roomForProducts(ctx: Ctx, adding: number): Promise<void> {
  await ctx.use(quotas)?.require(resource, () => countProducts(ctx), adding);
}

export async function productUsage(ctx: Ctx): Promise<{ resource: string; used: number }[]> {
  return [{ resource, used: await countProducts(ctx) }];
}
