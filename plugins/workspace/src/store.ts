import { type Ctx, checkVersion, problem, route, settingsRegistry, shapeSchema, sql, withPointers } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import {
  checkTenantValues,
  isTenantField,
  saveTenantValues,
  tenantFieldNames,
  tenantFields,
  tenantRecord,
} from './store-fields.ts';

/** `settings/store`: the tenant's own members, the workspace's settings, and every setting that a plugin marks for it. */
type Store = Record<string, unknown> & { version: number };

async function readStore(ctx: Ctx): Promise<Store> {
  const registry = ctx.require(settingsRegistry);
  const record = await tenantRecord(ctx);
  const store: Record<string, unknown> = {};
  for (const name of tenantFieldNames) store[name] = record[name];
  const entries = new Map((await registry.all(ctx)).map((entry) => [entry.key, entry]));
  const versions = new Map<string, number>();
  // Of a plugin that is off: null.
  for (const { plugin, name } of registry.storeFields()) {
    const entry = entries.get(`${plugin}.${name}`);
    store[name] = entry?.value ?? null;
    if (entry) versions.set(plugin, entry.version);
  }
  // Each part counts its own changes up, so the sum changes with every change of any.
  let version = record.version;
  for (const part of versions.values()) version += part;
  return { ...store, version };
}

/** Serialises writers, so that `If-Match` is reliable, without holding a connection while waiting. */
async function lockStore(ctx: Ctx): Promise<void> {
  const row = await ctx.db.first<{ free: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`workspace.store ${ctx.tenant.id}`}, 0)) as free`,
  );
  if (!row?.free) throw problem('conflict', { detail: 'Another request is changing the settings. Try again.' });
}

async function writeStore(ctx: Ctx, body: Record<string, unknown>, ifMatch: number | undefined): Promise<Store> {
  const registry = ctx.require(settingsRegistry);
  await lockStore(ctx);
  const before = await readStore(ctx);
  checkVersion(ifMatch, before);
  const owners = new Map(registry.storeFields().map(({ plugin, name }) => [name, plugin]));
  const own: Record<string, unknown> = {};
  const byPlugin = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(body)) {
    const plugin = owners.get(name);
    // What GET returned can be sent back: its version, and null for settings of plugins that are off. `If-Match` compares versions.
    if (name === 'version' || (value === null && plugin !== undefined && !ctx.isOn(plugin))) continue;
    if (isTenantField(name)) own[name] = value;
    else if (plugin === undefined || !ctx.isOn(plugin))
      throw problem('unknown_field', {
        detail: `${name} is no setting of this shop${plugin === undefined ? '' : `: ${plugin} is off`}.`,
        errors: [{ pointer: `/${name}`, code: 'unknown_field', message: 'is unknown' }],
      });
    else byPlugin.set(plugin, { ...byPlugin.get(plugin), [name]: value });
  }
  const record = await tenantRecord(ctx);
  const change = await checkTenantValues(ctx, record, own);
  for (const [plugin, values] of byPlugin)
    await withPointers(
      (at) => at.replace(/^\/settings(?=\/)/, ''),
      () => registry.putPlugin(ctx, plugin, values),
    );
  await saveTenantValues(ctx, record, change);
  return readStore(ctx);
}

const storeBody = z.record(z.string(), z.unknown()).meta({ description: 'Members of the shop and every setting marked for it' });
const storeShape = (shapeSchema(tenantFields, 'answer') as z.ZodObject)
  .extend({ version: z.int() })
  .catchall(z.unknown())
  .meta({ description: 'Members of the shop and every setting marked for it, null where its plugin is off.' });

export const storeRoutes = [
  route(
    'GET',
    '/settings/store',
    { permission: 'workspace.setting.read', summary: 'What a shop is', response: storeShape },
    (ctx) => readStore(ctx),
  ),
  route(
    'PUT',
    '/settings/store',
    {
      permission: 'workspace.setting.update',
      summary: 'Change what a shop is; members left out stay',
      body: storeBody,
      response: storeShape,
      problems: ['base_currency_locked', 'version_conflict', 'conflict'],
    },
    (ctx, req) => writeStore(ctx, { ...req.body }, req.ifMatch),
  ),
];
