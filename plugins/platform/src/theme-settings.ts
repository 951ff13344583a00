import { type Ctx, invalid, problem, provide, type SettingEntry } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { themes } from './contract.ts';
import { type ActiveTheme, activeTheme, propertiesOf, settingsOf, theme } from './theme.ts';

const stem = 'theme.';
const memberOf = ({ record }: ActiveTheme, key: string): string | undefined => {
  const name = key.startsWith(stem) ? key.slice(stem.length) : '';
  return Object.hasOwn(propertiesOf(record.settings), name) ? name : undefined;
};

function entriesOf(active: ActiveTheme): SettingEntry[] {
  const values = settingsOf(active.record, active.row?.settings);
  return Object.entries(propertiesOf(active.record.settings)).map(([name, schema]) => ({
    key: `${stem}${name}`,
    value: values[name],
    schema,
    version: active.row?.version ?? 0,
    store: false,
  }));
}

async function put(ctx: Ctx, key: string, value: unknown, version: number | undefined): Promise<SettingEntry | undefined> {
  const active = await activeTheme(ctx);
  const name = active && memberOf(active, key);
  if (!active || name === undefined) return undefined;
  const rows = ctx.rows(theme);
  const { record } = active;
  // A default theme that nobody has installed gets its row with its first setting.
  const row =
    (await rows.first({ name: record.name }, { lock: true })) ??
    (await rows.insert({ name: record.name, themeVersion: record.version ?? '' }));
  if (version !== undefined && version !== (active.row === null ? 0 : row.version)) throw problem('version_conflict');
  const { [name]: _, ...others } = row.settings as Record<string, unknown>;
  const settings = value === null ? others : { ...others, [name]: checked(propertiesOf(record.settings)[name] ?? {}, value) };
  const saved = await rows.update(row.id, { settings });
  await ctx.audit({
    entity: 'platform.theme',
    entityId: row.id,
    before: { settings: row.settings },
    after: { settings: saved.settings },
  });
  ctx.dropCache('active-theme', 'theme');
  return entriesOf({ record, row: saved }).find((entry) => entry.key === key);
}

/** The value as the theme's schema takes it, or 422 with pointers below `/value`. */
function checked(schema: Record<string, unknown>, value: unknown): unknown {
  const result = z.fromJSONSchema(schema).safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  throw invalid(`/value${path}`, 'invalid', issue?.message ?? 'does not fit the schema of the theme');
}

export const themesProvider = provide(themes, (ctx) => ({
  async active() {
    const active = await activeTheme(ctx);
    if (!active) return undefined;
    const { name, version, templates, sections } = active.record;
    return { name, version, templates, sections, settings: settingsOf(active.record, active.row?.settings) };
  },
  async settings() {
    const active = await activeTheme(ctx);
    return active ? entriesOf(active) : [];
  },
  putSetting: (key, value, version) => put(ctx, key, value, version),
}));
