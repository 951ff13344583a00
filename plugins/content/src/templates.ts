import { type Ctx, f, invalid } from '@storeloom/plugin-sdk';
import { type ActiveTheme, theme } from './contract.ts';

/** Every theme has these. */
const required = [
  'home',
  'listing',
  'product',
  'cart',
  'checkout',
  'order-confirmation',
  'account',
  'search',
  'page',
  'article',
  '404',
  '410',
  '500',
  'maintenance',
] as const;

const word = '[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*';
/** What themes give names to, `product`, and plugins, `rentals/item`. */
export const nameField = () => f.text({ max: 120, pattern: new RegExp(`^${word}(?:/${word})?$`) });

export async function activeTheme(ctx: Ctx): Promise<ActiveTheme> {
  const active = await ctx.use(theme)?.active();
  return active ?? { sections: {}, templates: Object.fromEntries(required.map((name) => [name, []])) };
}

export const hasTemplate = ({ templates }: ActiveTheme, name: string): boolean => Object.hasOwn(templates, name);

export async function checkTemplate(ctx: Ctx, name: string | null | undefined): Promise<void> {
  if (name === null || name === undefined) return;
  const active = await activeTheme(ctx);
  if (!hasTemplate(active, name))
    throw invalid(
      '/template',
      'unknown_template',
      `the theme has no template ${name}; it has ${Object.keys(active.templates).join(', ')}`,
    );
}
