import {
  type Ctx,
  checkVersion,
  f,
  listOf,
  problem,
  route,
  type SettingEntry,
  settingsRegistry,
  withPointers,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { themesService } from './integrations.ts';
import {
  checkTenantValues,
  isTenantField,
  saveTenantValues,
  type TenantValues,
  tenantFieldNames,
  tenantRecord,
  tenantSchema,
} from './store-fields.ts';
import { readView, savedViews, viewOf, writeView } from './views.ts';

const stem = 'workspace.';

async function tenantEntries(ctx: Ctx): Promise<SettingEntry[]> {
  const record = await tenantRecord(ctx);
  return tenantFieldNames.map((name) => ({
    key: `${stem}${name}`,
    value: record[name],
    schema: tenantSchema(name),
    version: record.version,
    store: true,
  }));
}
/** The tenant's member that a key names. */
function memberOf(key: string): keyof TenantValues | undefined {
  const name = key.startsWith(stem) ? key.slice(stem.length) : '';
  return isTenantField(name) ? name : undefined;
}

/** Settings of the active theme. */
const isThemes = (key: string): boolean => key.startsWith('theme.');
async function ofTheme(ctx: Ctx): Promise<SettingEntry[]> {
  return (await ctx.use(themesService)?.settings()) ?? [];
}

async function find(ctx: Ctx, key: string): Promise<SettingEntry> {
  const view = viewOf(ctx, key);
  if (view !== undefined) return readView(ctx, view);
  const found = memberOf(key)
    ? (await tenantEntries(ctx)).find((entry) => entry.key === key)
    : isThemes(key)
      ? (await ofTheme(ctx)).find((entry) => entry.key === key)
      : await ctx.require(settingsRegistry).get(ctx, key);
  if (!found) throw problem('not_found');
  return found;
}

async function put(ctx: Ctx, key: string, value: unknown, ifMatch: number | undefined): Promise<SettingEntry> {
  const member = memberOf(key);
  const view = viewOf(ctx, key);
  if (view !== undefined) return writeView(ctx, view, value, ifMatch);
  if (isThemes(key)) {
    const written = await ctx.use(themesService)?.putSetting(key, value, ifMatch);
    if (!written) throw problem('not_found');
    return written;
  }
  if (!member) {
    await find(ctx, key);
    return ctx.require(settingsRegistry).put(ctx, key, value, ifMatch);
  }
  const record = await tenantRecord(ctx);
  checkVersion(ifMatch, record);
  const change = await withPointers(
    (at) => at.replace(/^\/[^/]+/, '/value'),
    () => checkTenantValues(ctx, record, { [member]: value }),
  );
  await saveTenantValues(ctx, record, change);
  return find(ctx, key);
}

const params = { key: f.text({ max: 200 }) };
const entryShape = z.object({
  key: z.string(),
  value: z.unknown().meta({ description: 'By the schema beside it.' }),
  schema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the value.' }),
  version: z.int(),
  store: z.boolean(),
});

export const settingRoutes = [
  route(
    'GET',
    '/settings/',
    {
      permission: 'workspace.setting.read',
      summary: 'Every setting of the plugins that are on, of the active theme, and the saved views',
      response: entryShape,
      list: true,
    },
    async (ctx) =>
      listOf(
        [
          ...(await ctx.require(settingsRegistry).all(ctx)),
          ...(await tenantEntries(ctx)),
          ...(await ofTheme(ctx)),
          ...(await savedViews(ctx)),
        ].sort((a, b) => (a.key < b.key ? -1 : 1)),
      ),
  ),
  route(
    'GET',
    '/settings/{key}',
    { permission: 'workspace.setting.read', params, summary: 'One setting', response: entryShape },
    (ctx, req) => find(ctx, req.params.key),
  ),
  route(
    'PUT',
    '/settings/{key}',
    {
      permission: 'workspace.setting.update',
      params,
      summary: 'Change one setting; null puts the default back',
      body: z.strictObject({ value: z.unknown() }),
      response: entryShape,
      problems: ['base_currency_locked', 'currency_mismatch', 'invalid_interval', 'version_conflict'],
    },
    (ctx, req) => {
      if (!('value' in req.body))
        throw problem('validation_failed', { errors: [{ pointer: '/value', code: 'required', message: 'is required' }] });
      return put(ctx, req.params.key, req.body.value, req.ifMatch);
    },
  ),
];
