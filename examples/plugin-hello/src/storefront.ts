import { f, route } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { greeting } from './greeting.ts';
import { settings } from './settings.ts';

/** What a visitor sees: an allow-list, in the visitor's language. Nothing of a row is public unless it is named. */
export const hello = route(
  'GET',
  '/example-hello/',
  {
    summary: 'Greetings of the shop',
    response: { message: f.text(), greetings: f.list(f.object({ id: f.id(), text: f.text() })) },
  },
  async (ctx) => {
    const { locale, tenant } = ctx;
    const rows = await ctx.rows(greeting).find({ active: true }, { orderBy: ['position', 'id'], limit: 100 });
    return {
      message: localizedText(ctx.settings(settings).message, locale, tenant.defaultLocale),
      greetings: rows.map(({ id, text }) => ({ id, text: localizedText(text, locale, tenant.defaultLocale) })),
    };
  },
);
