import { catalog, drafts } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { draft } from './drafts/draft.ts';

/** Creates one draft order with the first products of the shop, unless a draft order exists. */
export async function demo(ctx: Ctx): Promise<void> {
  if ((await ctx.rows(draft).count({})) > 0) return;
  const goods = ctx.require(catalog);
  const variantIds: string[] = [];
  for (const productId of await goods.productIds(null, 20)) {
    const found = await goods.searchDocument(productId);
    const [variant] = found ? await goods.variants(found.variantIds) : [];
    if (variant?.sellable && variant.productType === 'physical') variantIds.push(variant.id);
    if (variantIds.length === 2) break;
  }
  if (variantIds.length === 0) return;
  await ctx.require(drafts).create({
    email: 'buyer@example.com',
    currency: ctx.tenant.currency,
    lines: variantIds.map((variantId, i) => ({ variantId, quantity: i + 1 })),
    source: 'manual',
  });
}
