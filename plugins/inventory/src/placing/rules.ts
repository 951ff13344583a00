import { catalog, type StockRule } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { Goods } from './plan.ts';

export type { StockRule };
export type StockRules = ReadonlyMap<string, StockRule>;

/** Stock rules of variants and of their bundles' components. Deleted variants are left out. */
export async function stockRules(ctx: Ctx, variantIds: readonly string[], known: readonly StockRule[] = []): Promise<StockRules> {
  const rules = new Map(known.map((rule) => [rule.variantId, rule]));
  const load = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    for (const rule of await ctx.require(catalog).stockRules(ids)) rules.set(rule.variantId, rule);
  };
  const missing = new Set<string>();
  for (const id of variantIds) if (!rules.has(id)) missing.add(id);
  await load([...missing]);
  const parts = new Set<string>();
  for (const { components } of rules.values())
    for (const { variantId } of components ?? []) if (!rules.has(variantId)) parts.add(variantId);
  await load([...parts]);
  return rules;
}

/** Product types tracked from the start; other types are tracked once they have a level. */
const alwaysTracked = new Set<StockRule['productType']>(['physical']);

/** Whether stock limits the sale of the variant. Variants without a rule aren't tracked. */
export function isTracked(rule: StockRule | undefined, hasLevel: boolean): boolean {
  if (!rule || rule.components !== null || !rule.trackInventory) return false;
  return hasLevel || alwaysTracked.has(rule.productType);
}

/** Splits bundles into their components. */
export function splitBundles(goods: readonly Goods[], rules: StockRules): Goods[] {
  return goods.flatMap((one) => {
    const components = rules.get(one.variantId)?.components;
    if (!components) return [one];
    return components.map(({ variantId, quantity }) => ({
      variantId,
      orderLineId: one.orderLineId,
      quantity: one.quantity * quantity,
      each: one.each * quantity,
    }));
  });
}
