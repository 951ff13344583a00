import type { Ctx, LocalText } from '@storeloom/plugin-sdk';

interface Locales {
  readonly locale: string;
  readonly tenant: { readonly defaultLocale: string };
}

/** The text in the locale, else in the shop's default locale, else in any locale. */
export function textOf(texts: LocalText, { locale, tenant }: Locales): string {
  return texts[locale] ?? texts[tenant.defaultLocale] ?? Object.values(texts)[0] ?? '';
}
export function textOrNull(texts: LocalText | null | undefined, locales: Locales): string | null {
  return texts ? textOf(texts, locales) : null;
}

/** A localized text with only the shop's default locale. */
export function inDefaultLocale(ctx: Pick<Ctx, 'tenant'>, text: string): LocalText {
  return { [ctx.tenant.defaultLocale]: text };
}
