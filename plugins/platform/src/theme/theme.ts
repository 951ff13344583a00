import { type Ctx, f, problem, type TableRow, type ThemeRecord, table, themeCatalogue } from '@storeloom/plugin-sdk';
import { membersOf } from './values.ts';

/** A theme that a shop has installed. */
export const theme = table(
  'theme',
  {
    name: f.text({ max: 80 }),
    themeVersion: f.text({ max: 64 }),
    active: f.bool().default(false),
    settings: f.json({ max: 200_000 }).default({}),
  },
  { uniques: [{ name: 'platform_theme_active_key', fields: [], where: 'active' }, { fields: ['name'] }] },
);
export type ThemeRow = TableRow<typeof theme>;

export const catalogueOf = (ctx: Ctx): readonly ThemeRecord[] => ctx.require(themeCatalogue).all();

export function requireTheme(ctx: Ctx, name: string): ThemeRecord {
  const found = catalogueOf(ctx).find((record) => record.name === name);
  if (!found) throw problem('not_found', { detail: 'There is no theme with this name in the installation.' });
  return found;
}

export interface ActiveTheme {
  record: ThemeRecord;
  /** Null: the default, which the shop hasn't chosen. */
  row: ThemeRow | null;
}

/**
 * What a shop is drawn with: the theme that it has chosen, or the installation's default where it has chosen none or its own is gone or
 * broken. Undefined: the installation has no theme that can be put on.
 */
export async function activeTheme(ctx: Ctx): Promise<ActiveTheme | undefined> {
  const row = (await ctx.rows(theme).first({ active: true })) ?? null;
  const usable = catalogueOf(ctx).filter(({ problems }) => problems.length === 0);
  const chosen = row && usable.find(({ name }) => name === row.name);
  if (chosen) return { record: chosen, row };
  const record = usable.find(({ isDefault }) => isDefault);
  if (!record) return undefined;
  return { record, row: (await ctx.rows(theme).first({ name: record.name })) ?? null };
}

/** Defaults of the members, and over them what the shop has set. */
export function settingsOf({ settings }: ThemeRecord, stored: unknown): Record<string, unknown> {
  const own = (stored ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(membersOf(settings)).map(([name, schema]) => [
      name,
      Object.hasOwn(own, name) ? own[name] : (schema.default ?? null),
    ]),
  );
}
