import { catalogVisible } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** SQL condition: product `t` is listed and published. Doesn't consider `catalog:visible`. */
export const isShown = (ctx: Ctx) =>
  sql`t.tenant_id = ${ctx.tenant.id} and t.listed and t.published_at <= ${ctx.clock.now()}::timestamptz`;

/** Ids of the products that a tap of `catalog:visible` hides. */
export async function hiddenAmong(ctx: Ctx, productIds: readonly string[]): Promise<Set<string>> {
  if (productIds.length === 0) return new Set();
  const asked = [...new Set(productIds)];
  const { productIds: kept } = await ctx.call(catalogVisible, { productIds: [...asked] });
  const stay = new Set(kept);
  return new Set(asked.filter((id) => !stay.has(id)));
}
