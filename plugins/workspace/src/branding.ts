import {
  type Ctx,
  f,
  files,
  type fileUses,
  invalid,
  problem,
  provide,
  route,
  settingsRegistry,
  type TapFn,
  type Warning,
} from '@storeloom/plugin-sdk';
import { localizedText, mailFooter } from '@storeloom/plugin-sdk/public';
import { contrast } from './contrast.ts';
import { fonts, settings } from './store-fields.ts';

/** Members of branding that are settings of the workspace; hidden there, since they are written as a whole. */
const body = {
  /** Key of an uploaded image. */
  logo: f.file().optional(),
  favicon: f.file().optional(),
  /** Role → `#rrggbb`. */
  colors: f.json({ max: 4000 }).default({}).describe('Colour by role.'),
  fonts: fonts(),
  emailFooter: f.i18n({ max: 2000 }).optional(),
};
const members = ['logo', 'favicon', 'colors', 'fonts', 'emailFooter'] as const;

/** Text that stands on a surface, by the roles that a palette names. */
const pairs: readonly [text: string, surface: string][] = [
  ['text', 'background'],
  ['link', 'background'],
  ['primary', 'background'],
  ['onPrimary', 'primary'],
  ['onSecondary', 'secondary'],
  ['onAccent', 'accent'],
];
/** WCAG 2.2, 1.4.3: text of normal size. */
const enough = 4.5;

function checkColors(colors: Record<string, unknown>): asserts colors is Record<string, string> {
  const names = Object.entries(colors);
  if (names.length > 50) throw invalid('/colors', 'too_big', 'has more than 50 colours');
  for (const [name, value] of names) {
    if (!/^[a-z][a-zA-Z0-9]{0,39}$/.test(name)) throw invalid(`/colors/${name}`, 'unknown_field', 'is not the name of a colour');
    if (typeof value !== 'string' || !/^#[0-9a-f]{6}$/i.test(value))
      throw invalid(`/colors/${name}`, 'invalid', 'must be a colour like #1a2b3c');
  }
}

function warningsOf(colors: Record<string, string>): Warning[] {
  return pairs.flatMap(([text, surface]) => {
    const [a, b] = [colors[text], colors[surface]];
    if (a === undefined || b === undefined) return [];
    const ratio = contrast(a, b);
    if (ratio >= enough) return [];
    const message = `${text} on ${surface} has a contrast of ${ratio.toFixed(2)}:1; readable text needs ${enough}:1`;
    return [{ code: 'contrast_low', message, pointer: `/colors/${text}` }];
  });
}

async function checkImage(ctx: Ctx, pointer: string, key: string | null | undefined): Promise<void> {
  if (key === null || key === undefined) return;
  const file = await ctx.require(files).find(key);
  if (!file)
    throw problem('not_found', {
      detail: 'The file does not exist.',
      errors: [{ pointer, code: 'not_found', message: 'does not exist' }],
    });
  if (!file.public || !file.contentType.startsWith('image/')) throw invalid(pointer, 'invalid', 'must be an uploaded image');
}

function shown(ctx: Ctx, version: number) {
  const { logo, favicon, colors, fonts, emailFooter } = ctx.settings(settings);
  const url = (key: string | null) => (key === null ? null : ctx.require(files).url(key));
  return {
    logo,
    logoUrl: url(logo),
    favicon,
    faviconUrl: url(favicon),
    colors,
    fonts,
    emailFooter,
    warnings: warningsOf(colors as Record<string, string>),
    version,
  };
}

async function versionOf(ctx: Ctx): Promise<number> {
  return (await ctx.require(settingsRegistry).ofPlugin(ctx, 'workspace'))?.version ?? 0;
}

/** Returns the branding for storefront and e-mails: URLs instead of keys, without fields for staff only. */
export function publicBranding(ctx: Ctx): Record<string, unknown> {
  const { logoUrl, faviconUrl, colors, fonts } = shown(ctx, 0);
  return { logo: logoUrl, favicon: faviconUrl, colors, fonts };
}

/** Logo and favicon are in use while branding names them. */
export const brandingUses: TapFn<typeof fileUses> = (ctx, { key }) => {
  const { logo, favicon } = ctx.settings(settings);
  return [{ resource: 'branding', count: [logo, favicon].filter((used) => used === key).length }];
};

const response = {
  ...body,
  logoUrl: f.text().optional(),
  faviconUrl: f.text().optional(),
  warnings: f.warnings(),
  version: f.int(),
};

export const brandingRoutes = [
  route(
    'GET',
    '/branding/',
    { permission: 'workspace.branding.read', summary: 'Logo, colours and fonts', response },
    async (ctx) => shown(ctx, await versionOf(ctx)),
  ),
  route(
    'PUT',
    '/branding/',
    {
      permission: 'workspace.branding.update',
      summary: 'Replace logo, colours and fonts; what is left out is cleared',
      body,
      response,
      problems: ['version_conflict', 'not_found'],
    },
    async (ctx, req) => {
      const before = await versionOf(ctx);
      if (req.ifMatch !== undefined && req.ifMatch !== before) throw problem('version_conflict');
      const values = req.body;
      checkColors(values.colors);
      await checkImage(ctx, '/logo', values.logo);
      await checkImage(ctx, '/favicon', values.favicon);
      await ctx.saveSettings(Object.fromEntries(members.map((name) => [name, values[name]])));
      return shown(ctx, await versionOf(ctx));
    },
  ),
];

/** Stands below every mail of the shop. */
export const mailFooterProvider = provide(mailFooter, (ctx) => ({
  text: (locale) => localizedText(ctx.settings(settings).emailFooter, locale, ctx.tenant.defaultLocale),
}));
