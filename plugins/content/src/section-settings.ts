import { type Ctx, checkReferences, f, invalid, type LocalText, Problem, parseBody, type Shape } from '@storeloom/plugin-sdk';
import { textIn } from '@storeloom/plugin-sdk/public';
import type { ActiveTheme } from './contract.ts';

export const banner = 'banner';

/** Texts on a banner. Any theme can show one. */
export const bannerSettings = {
  heading: f.i18n({ max: 200 }).optional(),
  text: f.richText({ max: 5000 }).translatable().optional(),
  /** On the button or link. */
  label: f.i18n({ max: 100 }).optional(),
} satisfies Shape;

export function settingsOf(theme: ActiveTheme, type: string): Shape | undefined {
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
  const shape = settingsOf(theme, type);
  if (!shape)
    throw invalid(
      '/type',
      'unknown_section',
      `the theme has no section ${type}; it has ${[banner, ...Object.keys(theme.sections)].join(', ')}`,
    );
  try {
    const values = (await parseBody(shape, settings, { partial: false, tenant: ctx.tenant })) as Record<string, unknown>;
    await checkReferences(ctx, shape, values);
    return values;
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    const errors = error.extra.errors.map((fault) => ({ ...fault, pointer: `/settings${fault.pointer}` }));
    throw new Problem(error.code, { ...error.extra, errors });
  }
}

/** As a visitor gets them: members that the shape names and no others, texts in one language. */
export function shownSettings(ctx: Ctx, shape: Shape, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, { spec }] of Object.entries(shape)) {
    const value = values[name] ?? null;
    if (value === null || spec.kind === 'secret') shown[name] = null;
    else if (spec.translatable)
      shown[name] = typeof value === 'string' ? value : textIn(value as LocalText, ctx.locale, ctx.tenant.defaultLocale);
    else if (spec.shape) shown[name] = shownSettings(ctx, spec.shape, value as Record<string, unknown>);
    else if (spec.item?.spec.shape && Array.isArray(value)) {
      const { shape: inner } = spec.item.spec;
      shown[name] = value.map((item) => shownSettings(ctx, inner, item as Record<string, unknown>));
    } else shown[name] = value;
  }
  return shown;
}
