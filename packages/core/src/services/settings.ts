import {
  type CreateOf,
  type Ctx,
  type Db,
  type Field,
  type FieldMode,
  isMask,
  maskSecret,
  Problem,
  parseBody,
  type SettingEntry,
  type SettingsRegistry,
  type Shape,
  shapeSchema,
  sql,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import type { Registry } from '../runtime.ts';

interface Stored {
  values: Record<string, unknown>;
  version: number;
}
type TenantSettings = ReadonlyMap<string, Stored>;

export interface SettingsDeps {
  registry: Pick<Registry, 'loaded' | 'byName'>;
  seal(text: string): string;
  unseal(sealed: string): string;
}

export interface SettingsService {
  /** Reads all settings of a tenant into memory; called when the tenant is loaded, and again after each change. */
  load(db: Db, tenantId: string): Promise<void>;
  /** A plugin's settings, defaults filled and secrets opened. The tenant must be loaded. */
  of<S extends Shape>(tenantId: string, plugin: string, shape: S): CreateOf<S>;
  save(ctx: Ctx, plugin: string, values: Record<string, unknown>, version?: number): Promise<void>;
  allowedOrigins(tenantId: string): readonly string[];
  readonly registry: SettingsRegistry;
}

/** Settings of tenants: one row a plugin, in memory in every process, dropped everywhere by a write. */
export function createSettings({ registry, seal, unseal }: SettingsDeps): SettingsService {
  const tenants = new Map<string, TenantSettings>();
  /** Opened values with their defaults, by the stored object they were made of. */
  const opened = new WeakMap<Stored, Record<string, unknown>>();
  const none: Stored = { values: {}, version: 0 };

  const shapeOf = (plugin: string): Shape => registry.byName.get(plugin)?.plugin.settings ?? {};

  const read = async (db: Db, tenantId: string): Promise<TenantSettings> => {
    const rows = await db.rows<{ plugin: string; values: Record<string, unknown>; version: number }>(
      sql`select plugin, values, version from core_setting where tenant_id = ${tenantId}`,
    );
    return new Map(rows.map((row) => [row.plugin, { values: row.values, version: row.version }]));
  };
  const fill = (stored: Stored, shape: Shape): Record<string, unknown> => {
    let values = opened.get(stored);
    if (stored === none || !values) {
      values = {};
      for (const [name, { spec }] of Object.entries(shape)) {
        const value = stored.values[name];
        values[name] =
          value === undefined || value === null
            ? spec.hasDefault
              ? spec.defaultValue
              : null
            : spec.kind === 'secret'
              ? unseal(value as string)
              : value;
      }
      Object.freeze(values);
      if (stored !== none) opened.set(stored, values);
    }
    return values;
  };

  const save = async (ctx: Ctx, plugin: string, given: Record<string, unknown>, version?: number): Promise<void> => {
    const shape = shapeOf(plugin);
    // A mask that comes back changes nothing.
    const asked = Object.fromEntries(
      Object.entries(given).filter(([name, value]) => !(shape[name]?.spec.kind === 'secret' && isMask(value))),
    );
    const parsed = (await parseBody(shape, asked, { partial: true, tenant: ctx.tenant })) as Record<string, unknown>;
    const row = await ctx.db.first<{
      values: Record<string, unknown>;
      version: number;
    }>(sql`insert into core_setting (tenant_id, plugin, values, version, updated_at) values (${ctx.tenant.id}, ${plugin}, '{}', 0, ${ctx.clock.now()})
      on conflict (tenant_id, plugin) do update set plugin = excluded.plugin returning values, version`);
    const before = row as { values: Record<string, unknown>; version: number };
    if (version !== undefined && version !== before.version) throw new Problem('version_conflict');
    if (Object.keys(parsed).length === 0) return;
    const next = { ...before.values };
    for (const [name, value] of Object.entries(parsed)) {
      if (value === null) delete next[name];
      else next[name] = shape[name]?.spec.kind === 'secret' ? seal(value as string) : value;
    }
    await ctx.db.run(
      sql`update core_setting set values = ${JSON.stringify(next)}::jsonb, version = version + 1, updated_at = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and plugin = ${plugin}`,
    );
    const show = (values: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(
        Object.keys(parsed).map((name) => [name, shape[name]?.spec.kind === 'secret' ? '••••' : (values[name] ?? null)]),
      );
    await ctx.audit({ entity: `${plugin}.settings`, entityId: null, before: show(before.values), after: show(next) });
    await ctx.db.rows(sql`select pg_notify('storeloom_tenant', ${ctx.tenant.id})`);
  };

  const schemaOf = (field: Field<unknown, FieldMode>): Record<string, unknown> => {
    const schema = z.toJSONSchema(shapeSchema({ value: field }, 'create'), { io: 'input', unrepresentable: 'any' }) as {
      properties?: Record<string, Record<string, unknown>>;
    };
    return schema.properties?.value ?? {};
  };
  const entry = (plugin: string, name: string, field: Field<unknown, FieldMode>, stored: Stored): SettingEntry => {
    const value = fill(stored, shapeOf(plugin))[name] ?? null;
    return {
      key: `${plugin}.${name}`,
      value: field.spec.kind === 'secret' && typeof value === 'string' ? maskSecret(value) : value,
      schema: schemaOf(field),
      version: stored.version,
      store: field.spec.store,
    };
  };
  const split = (key: string): [string, string] => {
    const dot = key.indexOf('.');
    return dot === -1 ? [key, ''] : [key.slice(0, dot), key.slice(dot + 1)];
  };
  const find = (ctx: Ctx, key: string): { plugin: string; name: string; field: Field<unknown, FieldMode> } | undefined => {
    const [plugin, name] = split(key);
    const field = Object.hasOwn(shapeOf(plugin), name) ? shapeOf(plugin)[name] : undefined;
    return field && ctx.isOn(plugin) ? { plugin, name, field } : undefined;
  };
  const present = (ctx: Ctx): Promise<TenantSettings> => read(ctx.db, ctx.tenant.id);

  return {
    async load(db, tenantId) {
      tenants.set(tenantId, await read(db, tenantId));
    },
    of<S extends Shape>(tenantId: string, plugin: string, shape: S): CreateOf<S> {
      return fill(tenants.get(tenantId)?.get(plugin) ?? none, shape) as CreateOf<S>;
    },
    save,
    allowedOrigins: (tenantId) =>
      (fill(tenants.get(tenantId)?.get('workspace') ?? none, shapeOf('workspace')).allowedOrigins as
        | string[]
        | null
        | undefined) ?? [],
    registry: {
      async all(ctx) {
        const stored = await present(ctx);
        return registry.loaded
          .filter(({ manifest }) => ctx.isOn(manifest.name))
          .flatMap(({ manifest: { name: plugin } }) =>
            Object.entries(shapeOf(plugin)).map(([name, field]) => entry(plugin, name, field, stored.get(plugin) ?? none)),
          )
          .sort((a, b) => (a.key < b.key ? -1 : 1));
      },
      async get(ctx, key) {
        const found = find(ctx, key);
        return found && entry(found.plugin, found.name, found.field, (await present(ctx)).get(found.plugin) ?? none);
      },
      async put(ctx, key, value, version) {
        const found = find(ctx, key);
        if (!found) throw new Problem('not_found');
        await save(ctx, found.plugin, { [found.name]: value }, version);
        return entry(found.plugin, found.name, found.field, (await present(ctx)).get(found.plugin) ?? none);
      },
      async ofPlugin(ctx, plugin) {
        if (!registry.byName.has(plugin)) return undefined;
        const shape = shapeOf(plugin);
        const stored = (await present(ctx)).get(plugin) ?? none;
        const settings = Object.fromEntries(
          Object.entries(shape).map(([name, field]) => [name, entry(plugin, name, field, stored).value]),
        );
        return {
          settings,
          schema: z.toJSONSchema(shapeSchema(shape, 'create'), { io: 'input', unrepresentable: 'any' }) as Record<
            string,
            unknown
          >,
          version: stored.version,
        };
      },
      putPlugin: (ctx, plugin, values, version) => save(ctx, plugin, values, version),
    },
  };
}
