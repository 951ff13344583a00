import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Counts products, variants, categories and brands that refer to a file. URLs contain the key, so a search by key finds URLs too. */
export async function fileUses(ctx: Ctx, { key }: { key: string }): Promise<{ resource: string; count: number }[]> {
  const t = ctx.tenant.id;
  const counted = await ctx.db.rows<{ resource: string; count: number }>(sql`
    select 'products' as resource, count(*)::int as count from catalog_product
      where tenant_id = ${t} and (position(${key} in images::text) > 0 or position(${key} in description::text) > 0)
    union all select 'variants', count(*)::int from catalog_variant
      where tenant_id = ${t} and deleted_at is null and (position(${key} in digital_files::text) > 0 or position(${key} in image) > 0)
    union all select 'categories', count(*)::int from catalog_category
      where tenant_id = ${t} and (position(${key} in image) > 0 or position(${key} in description::text) > 0)
    union all select 'brands', count(*)::int from catalog_brand
      where tenant_id = ${t} and (position(${key} in logo) > 0 or position(${key} in description::text) > 0)`);
  return counted.filter(({ count }) => count > 0);
}
