import { type Ctx, problem, sql } from '@storeloom/plugin-sdk';
import { priceAt } from '../pricing/price-history.ts';
import { type BundlePricing, bundlePrice } from './math.ts';

/** Stores the computed price of bundles without a fixed price in their variants, so that lists sort by it without a join. */
export async function repriceBundles(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  const rows = await ctx.db.rows<{
    id: string;
    pricing: BundlePricing;
    percentBp: number | null;
    parts: { unitPrice: number; quantity: number; currency: string }[] | null;
  }>(sql`
    select p.id, p.bundle_pricing as pricing, p.bundle_percent_bp as "percentBp",
      (select json_agg(json_build_object('unitPrice', ${priceAt(ctx.clock.now())}, 'quantity', c.quantity, 'currency', v.price_currency))
       from catalog_bundle_component c join catalog_variant v on v.tenant_id = c.tenant_id and v.id = c.variant_id
       where c.tenant_id = p.tenant_id and c.product_id = p.id) as parts
    from catalog_product p
    where p.tenant_id = ${ctx.tenant.id} and p.id = any(${[...productIds]}::uuid[]) and p.type = 'bundle' and p.bundle_pricing <> 'fixed' order by p.id`);
  for (const { id, pricing, percentBp, parts } of rows) {
    if (!parts || pricing === 'fixed') continue;
    if (new Set(parts.map(({ currency }) => currency)).size > 1)
      throw problem('currency_mismatch', { detail: 'The components have prices in different currencies. Use one currency.' });
    const amount = bundlePrice(pricing, percentBp, parts);
    await ctx.db.run(
      sql`update catalog_variant set price_amount = ${amount}, updated_at = ${ctx.clock.now()}, version = version + 1
          where tenant_id = ${ctx.tenant.id} and product_id = ${id} and deleted_at is null and price_amount <> ${amount}`,
    );
  }
}
