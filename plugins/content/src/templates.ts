import { type ActiveThemeView, themes } from '@storeloom/plugin-platform/contract';
import { type Ctx, f, invalid, themeTemplates } from '@storeloom/plugin-sdk';

const word = '[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*';
/** What themes give names to, `product`, and plugins, `rentals/item`. */
export const nameField = () => f.text({ max: 120, pattern: new RegExp(`^${word}(?:/${word})?$`) });

/** As much of the active theme as content is about. */
export type ActiveTheme = Pick<ActiveThemeView, 'templates' | 'sections' | 'presets'>;

/** Without a theme there are the templates that every theme has, and banners. */
export const activeTheme = async (ctx: Ctx): Promise<ActiveTheme> =>
  (await ctx.require(themes).active()) ?? { sections: {}, templates: themeTemplates, presets: {} };

export const hasTemplate = ({ templates }: ActiveTheme, name: string): boolean => templates.includes(name);

export async function checkTemplate(ctx: Ctx, name: string | null | undefined): Promise<void> {
  if (name === null || name === undefined) return;
  const active = await activeTheme(ctx);
  if (!hasTemplate(active, name))
    throw invalid('/template', 'unknown_template', `the theme has no template ${name}; it has ${active.templates.join(', ')}`);
}
