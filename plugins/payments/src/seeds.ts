import type { Ctx, LocalText } from '@storeloom/plugin-sdk';
import { paymentMethod } from './method/method.ts';

/** The texts in the shop's languages, at least in the default one. */
function texts(ctx: Ctx, ro: string, en: string): LocalText {
  const all: LocalText = { ro, en };
  const localized = Object.fromEntries(ctx.tenant.locales.flatMap((locale) => (all[locale] ? [[locale, all[locale]]] : [])));
  return { ...localized, [ctx.tenant.defaultLocale]: localized[ctx.tenant.defaultLocale] ?? en };
}

/** Creates three demo methods: two usable ones, and a card method without API keys, disabled. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const rows = ctx.rows(paymentMethod);
  const known = new Set((await rows.find({})).map(({ code }) => code));
  const fee = { fixed: { amount: 900, currency: ctx.tenant.currency }, percentBp: null };
  const methods = [
    {
      code: 'card',
      name: texts(ctx, 'Card bancar', 'Card'),
      provider: 'payment-a',
      enabled: false,
      position: 10,
    },
    {
      code: 'bank-transfer',
      name: texts(ctx, 'Transfer bancar', 'Bank transfer'),
      provider: 'bank_transfer',
      enabled: true,
      position: 20,
      instructions: texts(
        ctx,
        'Folosește numărul comenzii ca detalii de plată. Pregătim comanda când banii ajung în cont.',
        'Give the order number as the reference. We prepare the order when the money has arrived.',
      ),
    },
    {
      code: 'cod',
      name: texts(ctx, 'Ramburs la livrare', 'Cash on delivery'),
      provider: 'cod',
      enabled: true,
      position: 30,
      fee,
      instructions: texts(ctx, 'Plătești curierului la primire.', 'Pay the courier when the parcel arrives.'),
    },
  ] as const;
  for (const method of methods) if (!known.has(method.code)) await rows.insert({ ...method, capture: 'auto' });
}
