import { catalog } from '@storeloom/commerce';
import { type Ctx, type JobData, mailer, sql } from '@storeloom/plugin-sdk';
import { localizedText, shopOrigin, storefrontUrl } from '@storeloom/plugin-sdk/public';
import { availability } from '../level/availability.ts';
import type { queued } from '../queued.ts';
import { unsubscribePath } from './unsubscribe.ts';

interface Recipient {
  id: string;
  email: string;
  locale: string;
}

/**
 * Sends back-in-stock e-mails, in the order of the requests, at most as many as there are new units, and once a restock to each
 * address. Addresses notified of an earlier restock come last. `wasSoldOut` starts a new restock.
 */
export async function notifyBackInStock(
  ctx: Ctx,
  { variantId, units, wasSoldOut }: JobData<typeof queued.backInStock>,
): Promise<void> {
  const now = ctx.clock.now();
  if (wasSoldOut)
    await ctx.db.run(sql`update inventory_back_in_stock set due = true, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} and not due`);
  const [variant] = await ctx.require(catalog).variants([variantId]);
  if (!variant?.sellable || !(await ctx.require(catalog).visibleProducts([variant.productId])).has(variant.productId)) return;
  const available = (await availability(ctx, [variantId])).get(variantId)?.available ?? 0;
  const count = Math.min(units ?? available, available);
  if (count <= 0) return;
  const recipients = await ctx.db.rows<Recipient>(sql`
    update inventory_back_in_stock t set due = false, told_at = ${now}, updated_at = ${now}, version = t.version + 1
    where t.tenant_id = ${ctx.tenant.id} and t.id in (
      select id from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} and due
      order by told_at nulls first, created_at, id limit ${count} for update)
    returning t.id, t.email, t.locale`);
  for (const { id, email, locale } of recipients)
    await ctx.require(mailer).send({
      to: email,
      template: 'inventory.back-in-stock',
      locale,
      data: {
        shop: ctx.tenant.name,
        title: localizedText(variant.title, locale, ctx.tenant.defaultLocale) ?? variant.sku,
        url: storefrontUrl(ctx, `/products/${variant.slug}`),
        stopUrl: `${shopOrigin(ctx)}${unsubscribePath(ctx, id)}`,
      },
      key: `inventory.back-in-stock ${id} ${now}`,
    });
}
