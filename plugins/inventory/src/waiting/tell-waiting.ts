import { catalog } from '@storeloom/commerce';
import { type Ctx, mailer, sql } from '@storeloom/plugin-sdk';
import { localizedText, shopOrigin, storefrontUrl } from '@storeloom/plugin-sdk/public';
import { availability } from '../level/availability.ts';
import { stopLink } from './stop-waiting.ts';

interface Waiting {
  id: string;
  email: string;
  locale: string;
}

/**
 * A variant can be had again (`turned`), or more of it came: people are told once a restock, first come first served, as many as there
 * are new units. Who has been told of an earlier one comes last.
 */
export async function tellWaiting(ctx: Ctx, data: Record<string, unknown>): Promise<void> {
  const { variantId, units, turned } = data as { variantId: string; units: number | null; turned: boolean };
  const now = ctx.clock.now();
  if (turned)
    await ctx.db.run(sql`update inventory_back_in_stock set due = true, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} and not due`);
  const [variant] = await ctx.require(catalog).variants([variantId]);
  if (!variant?.sellable || !(await ctx.require(catalog).visibleProducts([variant.productId])).has(variant.productId)) return;
  const available = (await availability(ctx, [variantId])).get(variantId)?.available ?? 0;
  const count = Math.min(units ?? available, available);
  if (count <= 0) return;
  const people = await ctx.db.rows<Waiting>(sql`
    update inventory_back_in_stock t set due = false, told_at = ${now}, updated_at = ${now}, version = t.version + 1
    where t.tenant_id = ${ctx.tenant.id} and t.id in (
      select id from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} and due
      order by told_at nulls first, created_at, id limit ${count} for update)
    returning t.id, t.email, t.locale`);
  for (const { id, email, locale } of people)
    await ctx.require(mailer).send({
      to: email,
      template: 'inventory.back-in-stock',
      locale,
      data: {
        shop: ctx.tenant.name,
        title: localizedText(variant.title, locale, ctx.tenant.defaultLocale) ?? variant.sku,
        url: storefrontUrl(ctx, `/products/${variant.slug}`),
        stopUrl: `${shopOrigin(ctx)}${stopLink(ctx, id)}`,
      },
      key: `inventory.back-in-stock ${id} ${now}`,
    });
}
