import { catalog } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { readLevels } from './level/book.ts';
import { setOnHand } from './level/receive.ts';
import { stockRules } from './placing/rules.ts';
import { defaultWarehouse } from './warehouse/default-warehouse.ts';
import { warehouse } from './warehouse/warehouse.ts';

/** Creates the default warehouse and a pickup location, and stock for variants that have none. Idempotent. */
export async function seedStock(ctx: Ctx): Promise<void> {
  await defaultWarehouse(ctx);
  if (!(await ctx.rows(warehouse).first({ code: 'SHOP' })))
    await ctx.rows(warehouse).insert({
      name: ctx.tenant.defaultLocale === 'ro' ? 'Magazin' : 'Shop',
      code: 'SHOP',
      priority: 10,
      pickupEnabled: true,
      isDefault: false,
    });
  const products = ctx.require(catalog);
  let after: string | null = null;
  for (;;) {
    const ids: string[] = await products.productIds(after, 100);
    const documents = await products.searchDocuments(ids);
    const variantIds = [...documents.values()].flatMap((document) => document.variantIds);
    const rules = await stockRules(ctx, variantIds);
    const counted = new Set((await readLevels(ctx, variantIds)).map((each) => each.variantId));
    const uncounted = [...rules.values()].filter(
      (rule) => rule.trackInventory && !rule.components && rule.productType === 'physical' && !counted.has(rule.variantId),
    );
    // Varies by variant, and is the same in every run.
    const unitsOf = (variantId: string): number => 8 + (Number.parseInt(variantId.slice(-4), 16) % 60);
    await setOnHand(
      ctx,
      uncounted.map(({ variantId }) => ({ variantId, onHand: unitsOf(variantId) })),
      { reason: 'received', reference: 'opening stock' },
    );
    if (ids.length < 100) return;
    after = ids.at(-1) as string;
  }
}
