import type { Ctx } from '@storeloom/plugin-sdk';
import { homeCountry } from './home.ts';
import { category } from './rate/category.ts';
import { dateIn } from './rate/countries.ts';
import { isValidOn, publishedRates } from './rate/eu-rates.ts';
import { percentText, rate } from './rate/rate.ts';

const names = { standard: { ro: 'Cota standard', en: 'Standard rate' }, reduced: { ro: 'Cota redusă', en: 'Reduced rate' } };

/** Creates categories for the standard and the reduced rate of the shop's country, with the current rates. */
export async function seedTaxes(ctx: Ctx): Promise<void> {
  const country = (await homeCountry(ctx)) ?? 'RO';
  const today = dateIn(country, ctx.clock.now(), ctx.tenant.timezone);
  const published = publishedRates(country).filter((one) => isValidOn(one, today));
  const language = ctx.tenant.defaultLocale.startsWith('ro') ? 'ro' : 'en';
  for (const code of ['standard', 'reduced'] as const) {
    const rates = published.filter((one) => one.kind === code);
    // Several reduced rates depend on the goods, so none is chosen.
    const [only] = rates;
    if (!only || rates.length > 1 || (await ctx.rows(category).first({ code }))) continue;
    const isDefault = (await ctx.rows(category).first({ isDefault: true })) === undefined;
    const created = await ctx.rows(category).insert({ code, name: names[code][language], isDefault });
    const { ratePpm, validFrom } = only;
    await ctx.rows(rate).insert({ country, categoryId: created.id, ratePpm, name: `TVA ${percentText(ratePpm)}`, validFrom });
  }
}
