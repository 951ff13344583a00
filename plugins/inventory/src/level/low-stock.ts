import { catalog } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, notifications } from '@storeloom/plugin-sdk';
import en from '../../locales/en.json' with { type: 'json' };
import ro from '../../locales/ro.json' with { type: 'json' };

/** inventory.level.low: notifies the staff. */
export async function notifyLowStock(ctx: Ctx, { data }: DomainEvent<{ variantId: string; available: number }>): Promise<void> {
  const { variantId, available } = data;
  const notifyStaff = ctx.use(notifications)?.notifyStaff;
  const [variant] = await ctx.require(catalog).variants([variantId]);
  if (!notifyStaff || !variant) return;
  const localizedTexts = (key: 'low.title' | 'low.body') =>
    Object.fromEntries(
      Object.entries({ ro, en }).map(([locale, texts]) => {
        const title = variant.title[locale] ?? variant.title[ctx.tenant.defaultLocale] ?? variant.sku;
        const data: Record<string, string> = { title, sku: variant.sku, available: String(Math.max(0, available)) };
        return [locale, texts[key].replace(/\{(\w+)\}/g, (_, name: string) => data[name] ?? '').slice(0, 200)];
      }),
    );
  await notifyStaff({
    type: 'inventory.level.low',
    title: localizedTexts('low.title'),
    body: localizedTexts('low.body'),
    link: `/products/${variant.productId}`,
  });
}
