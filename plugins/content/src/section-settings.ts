import { themes } from '@storeloom/plugin-platform/contract';
import { type Ctx, invalid } from '@storeloom/plugin-sdk';
import type { ActiveTheme } from './templates.ts';

export const banner = 'banner';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const oneOfLocales = (schema: object) => ({
  anyOf: [schema, { type: 'object', minProperties: 1, additionalProperties: schema }],
  'x-translatable': true,
});
/** Texts on a banner. Any theme can show one. */
export const bannerSettings = {
  type: 'object',
  additionalProperties: false,
  properties: {
    heading: oneOfLocales(text(200)),
    text: { ...oneOfLocales(text(5000)), contentMediaType: 'text/html' },
    /** On the button or link. */
    label: oneOfLocales(text(100)),
  },
};

export type BannerTexts = Record<'heading' | 'text' | 'label', string | null>;

/** JSON Schema of the settings of a kind of section. */
function schemaOf(theme: ActiveTheme, type: string): Readonly<Record<string, unknown>> | undefined {
  if (type === banner) return bannerSettings;
  return Object.hasOwn(theme.sections, type) ? theme.sections[type]?.settings : undefined;
}

/** The settings as they are stored. 422 with pointers below `/settings` where they don't fit the kind of section. */
export async function readSettings(
  ctx: Ctx,
  theme: ActiveTheme,
  type: string,
  settings: unknown,
): Promise<Record<string, unknown>> {
  const schema = schemaOf(theme, type);
  if (!schema)
    throw invalid(
      '/type',
      'unknown_section',
      `the theme has no section ${type}; it has ${[banner, ...Object.keys(theme.sections)].join(', ')}`,
    );
  return (await ctx.require(themes).read(schema, settings, '/settings')) as Record<string, unknown>;
}

/** As a visitor gets them; undefined where the theme doesn't know the kind. */
export function shownSettings(
  ctx: Ctx,
  theme: ActiveTheme,
  type: string,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const schema = schemaOf(theme, type);
  return schema && (ctx.require(themes).shown(schema, settings) as Record<string, unknown>);
}
