import { type Ctx, problem, provide, type SettingEntry } from '@storeloom/plugin-sdk';
import { themes } from '../contract.ts';
import { type ActiveTheme, activeTheme, settingsOf, theme } from './theme.ts';
import { membersOf, read, shown } from './values.ts';

const stem = 'theme.';
const memberOf = ({ record }: ActiveTheme, key: string): string | undefined => {
  const name = key.startsWith(stem) ? key.slice(stem.length) : '';
  return Object.hasOwn(membersOf(record.settings), name) ? name : undefined;
};

function entriesOf(active: ActiveTheme): SettingEntry[] {
  const values = settingsOf(active.record, active.row?.settings);
  return Object.entries(membersOf(active.record.settings)).map(([name, schema]) => ({
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
  // A default theme that isn't installed gets its row with its first setting.
  const row =
    (await rows.first({ name: record.name }, { lock: true })) ??
    (await rows.insert({ name: record.name, themeVersion: record.version ?? '' }));
  if (version !== undefined && version !== (active.row === null ? 0 : row.version)) throw problem('version_conflict');
  const { [name]: _, ...others } = row.settings as Record<string, unknown>;
  const schema = membersOf(record.settings)[name] ?? {};
  const settings = value === null ? others : { ...others, [name]: await read(ctx, schema, value, '/value') };
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

export const themesProvider = provide(themes, (ctx) => ({
  async active() {
    const active = await activeTheme(ctx);
    if (!active) return undefined;
    const { name, version, templates, sections, presets } = active.record;
    return { name, version, templates, sections, presets, settings: settingsOf(active.record, active.row?.settings) };
  },
  async settings() {
    const active = await activeTheme(ctx);
    return active ? entriesOf(active) : [];
  },
  read: (schema, value, at) => read(ctx, schema, value, at),
  shown: (schema, value) => shown(ctx, schema, value),
  putSetting: (key, value, version) => put(ctx, key, value, version),
}));
