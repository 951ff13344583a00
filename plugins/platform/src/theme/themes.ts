import { type Ctx, f, licence, listOf, notFound, problem, route, type ThemeRecord } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { themeEvents } from '../events.ts';
import { type ActiveTheme, activeTheme, catalogueOf, requireTheme, settingsOf, type ThemeRow, theme } from './theme.ts';
import { shown } from './values.ts';

type State = 'available' | 'installed' | 'active';
const shape = {
  /** Name of the theme. */
  id: f.text({ max: 80 }),
  version: f.text().optional(),
  title: f.json().describe('Text by locale.'),
  state: f.oneOf(['available', 'installed', 'active']),
  /** Whether the licence covers it. */
  licensed: f.bool(),
  settings: f.json({ max: 1_000_000 }).describe('By the schema of the theme.'),
  schema: f.json({ max: 1_000_000 }).describe('JSON Schema of the settings.'),
  /** Why it can't be put on. */
  problems: f.list(f.object({ code: f.text(), message: f.text({ max: 4000 }) })),
};

interface View {
  id: string;
  version: string | null;
  title: Record<string, string>;
  state: State;
  licensed: boolean;
  settings: Record<string, unknown>;
  schema: Record<string, unknown>;
  problems: { code: string; message: string }[];
}

function cover(ctx: Ctx, record: ThemeRecord, isOn: boolean): { ok: true } | { ok: false; message: string } {
  if (record.foundation || record.version === null) return { ok: true };
  return ctx.require(licence).coversTheme({ name: record.entitlement, version: record.version }, isOn);
}

function viewOf(ctx: Ctx, record: ThemeRecord, row: ThemeRow | undefined, active: ActiveTheme | undefined): View {
  const isActive = active?.record.name === record.name;
  return {
    id: record.name,
    version: record.version,
    title: record.title,
    state: isActive ? 'active' : row ? 'installed' : 'available',
    licensed: cover(ctx, record, isActive).ok,
    settings: settingsOf(record, row?.settings),
    schema: record.settings,
    problems: [...record.problems],
  };
}

async function views(ctx: Ctx): Promise<View[]> {
  const rows = new Map((await ctx.rows(theme).find({})).map((row) => [row.name, row]));
  const active = await activeTheme(ctx);
  const there = catalogueOf(ctx).map((record) => viewOf(ctx, record, rows.get(record.name), active));
  // One that the installation has no more is not hidden from who installed it.
  const gone = [...rows.values()].filter(({ name }) => !there.some(({ id }) => id === name));
  const message = 'the installation has this theme no more';
  return [
    ...there,
    ...gone.map(
      ({ name, themeVersion, settings }): View => ({
        id: name,
        version: themeVersion,
        title: {},
        state: 'installed',
        licensed: false,
        settings: settings as Record<string, unknown>,
        schema: {},
        problems: [{ code: 'package_missing', message }],
      }),
    ),
  ];
}
async function oneView(ctx: Ctx, name: string): Promise<View> {
  const found = (await views(ctx)).find(({ id }) => id === name);
  if (!found) throw notFound();
  return found;
}

/** @throws Problem `theme_incompatible {problems}`, `license_required` */
function requireUsable(ctx: Ctx, record: ThemeRecord, isOn: boolean): void {
  if (record.problems.length > 0)
    throw problem('theme_incompatible', {
      detail: `The theme ${record.name} can't be activated: ${record.problems[0]?.message}`,
      problems: [...record.problems],
    });
  const covered = cover(ctx, record, isOn);
  if (!covered.ok) throw problem('license_required', { detail: covered.message, theme: record.name });
}

const params = { id: f.text({ max: 80 }) };
const drawn = (ctx: Ctx): void => ctx.dropCache('active-theme', 'theme');

export const themeRoutes = [
  route(
    'GET',
    '/themes/',
    { permission: 'platform.theme.read', summary: 'Themes of the installation', response: shape, list: true },
    async (ctx) => listOf(await views(ctx)),
  ),
  route(
    'GET',
    '/themes/installed',
    { permission: 'platform.theme.read', summary: 'Themes that the shop has installed', response: shape, list: true },
    async (ctx) => listOf((await views(ctx)).filter(({ state }) => state !== 'available')),
  ),
  route(
    'POST',
    '/themes/{id}/install',
    {
      permission: 'platform.theme.install',
      params,
      summary: 'Install a theme, so that it can be set up before shoppers see it',
      response: shape,
      problems: ['theme_incompatible', 'license_required'],
    },
    async (ctx, req) => {
      const record = requireTheme(ctx, req.params.id);
      await lockThemes(ctx);
      const rows = ctx.rows(theme);
      const present = await rows.first({ name: record.name });
      const isOn = (await activeTheme(ctx))?.record.name === record.name;
      requireUsable(ctx, record, isOn);
      const themeVersion = record.version as string;
      if (!present) {
        const row = await rows.insert({ name: record.name, themeVersion });
        await ctx.audit({ entity: 'platform.theme', entityId: row.id, before: null, after: { name: record.name, themeVersion } });
      } else if (present.themeVersion !== themeVersion) {
        await rows.update(present.id, { themeVersion });
        await ctx.audit({
          entity: 'platform.theme',
          entityId: present.id,
          before: { themeVersion: present.themeVersion },
          after: { themeVersion },
        });
        drawn(ctx);
      }
      return oneView(ctx, record.name);
    },
  ),
  route(
    'POST',
    '/themes/{id}/activate',
    {
      permission: 'platform.theme.activate',
      params,
      summary: 'Show the shop in an installed theme',
      response: shape,
      problems: ['theme_incompatible', 'license_required', 'invalid_transition'],
    },
    async (ctx, req) => {
      const record = requireTheme(ctx, req.params.id);
      await lockThemes(ctx);
      const before = await activeTheme(ctx);
      const isOn = before?.record.name === record.name;
      const rows = ctx.rows(theme);
      const row = await rows.first({ name: record.name });
      // Chosen already; the default may be chosen too, so that another default changes nothing.
      if (isOn && row?.active) return oneView(ctx, record.name);
      if (!row)
        throw problem('invalid_transition', {
          detail: 'Install the theme before activating it.',
          from: 'available',
          to: 'active',
          allowed: ['installed'],
        });
      requireUsable(ctx, record, isOn);
      await rows.updateWhere({ active: true }, { active: false });
      await rows.update(row.id, { active: true });
      await ctx.audit({
        entity: 'platform.theme',
        entityId: row.id,
        before: { active: before?.record.name ?? null },
        after: { active: record.name },
      });
      await ctx.emit(themeEvents.activated, { id: row.id, data: { theme: record.name, version: record.version } });
      drawn(ctx);
      return oneView(ctx, record.name);
    },
  ),
];

/** Who installs or activates in a shop does so one after the other. */
const lockThemes = (ctx: Ctx): Promise<void> => lockKeys(ctx, 'theme');

export const activeThemeRoute = route(
  'GET',
  '/active-theme/',
  {
    summary: 'What the shop is drawn with: version, tokens, settings and templates',
    cache: { tags: ['active-theme'], maxAge: 60 },
    response: {
      id: f.text(),
      version: f.text().optional(),
      tokens: f.json({ max: 1_000_000 }).describe('Design tokens by name.'),
      settings: f.anyJson({ max: 1_000_000 }).describe('By the schema of the theme.'),
      templates: f.list(f.text()),
    },
  },
  async (ctx) => {
    const active = await activeTheme(ctx);
    if (!active) throw notFound('The installation has no theme.');
    const { name, version, tokens, templates } = active.record;
    return { id: name, version, tokens, settings: shown(ctx, active.record.settings, active.row?.settings), templates };
  },
);
