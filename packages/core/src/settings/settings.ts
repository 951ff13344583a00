import {
  type AuditEntry,
  type CreateOf,
  type Ctx,
  checkReferences,
  type Db,
  type FieldError,
  notFound,
  Problem,
  parseBody,
  type SettingsRegistry,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { canonicalJson } from '../audit/changes.ts';
import type { Registry } from '../plugins/registry.ts';
import { createSettingsRegistry } from './registry.ts';
import {
  hideSecrets,
  nothingStored,
  openValues,
  type StoredSettings,
  sealValues,
  unmask,
  type Values,
  writableOf,
} from './values.ts';

export interface SettingsOptions {
  registry: Pick<Registry, 'loaded'>;
  seal(text: string): string;
  unseal(sealed: string): string;
  /** Notification channel; its payload is the tenant's id. Sent on commit. */
  channel?: string;
  /** Called in this process right after the commit, before the notification: drop what is derived from the tenant's settings. */
  onChange?(tenantId: string): void;
  warn?(fields: Record<string, unknown>, message: string): void;
}

export interface SettingsService {
  /** Loads a tenant's settings into the cache, in the tenant's scope, unless they are current. */
  load(db: Db, tenantId: string): Promise<void>;
  /**
   * Returns the settings of one plugin with defaults filled in and secrets decrypted; frozen. The tenant must be loaded. With `db`,
   * uncommitted changes of that transaction are included.
   */
  of<S extends Shape>(tenantId: string, plugin: string, shape: S, db?: Db): CreateOf<S>;
  /** Merges, validates (422), saves and audits settings of a plugin; `readonly` ones too, since the plugin itself saves them. */
  save(ctx: Ctx, plugin: string, values: Record<string, unknown>): Promise<void>;
  /** Makes the next `load` read a tenant's settings again, or those of all tenants; the cached ones are used until then. */
  invalidate(tenantId?: string): void;
  /** Returns the origins in the tenant's setting `allowedOrigins`. */
  allowedOrigins(tenantId: string): readonly string[];
  readonly registry: SettingsRegistry;
}

interface SettingsWrite {
  values: Record<string, unknown>;
  /** Expected version: 412 `version_conflict` if it differs. */
  version?: number | undefined;
  /** True if the plugin itself writes, which may set `readonly` fields. */
  own?: boolean;
  /** Converts the pointer of an error to that of the caller's body. */
  at?(pointer: string): string;
}

/** The part of the service that the registry uses. */
export interface SettingsCore {
  /** Returns the settings of every loaded plugin, `{}` if it has none. */
  shapes(): ReadonlyMap<string, Shape>;
  /** Reads rows from the database instead of the cache, before a change. */
  read(db: Db, tenantId: string, plugin?: string): Promise<ReadonlyMap<string, StoredSettings>>;
  open(tenantId: string, plugin: string, shape: Shape, stored: StoredSettings): Values;
  write(ctx: Ctx, plugin: string, write: SettingsWrite): Promise<StoredSettings>;
}

interface Snapshot {
  readonly plugins: ReadonlyMap<string, StoredSettings>;
  /** Decrypted settings by shape, created on first use. */
  readonly open: Map<Shape, object>;
  fresh: boolean;
}

export function createSettings(options: SettingsOptions): SettingsService {
  const { registry, channel = 'storeloom_tenant' } = options;
  let known: ReadonlyMap<string, Shape> | undefined;
  const shapes = (): ReadonlyMap<string, Shape> => {
    known ??= new Map(registry.loaded.map(({ manifest, plugin }) => [manifest.name, plugin.settings ?? {}]));
    return known;
  };
  const snapshots = new Map<string, Snapshot>();
  /** Number of notifications: a read that began before one isn't current. */
  let changes = 0;
  /** Uncommitted changes of open transactions. */
  const saved = new WeakMap<Db, Map<string, StoredSettings>>();

  const open = <S extends Shape>(tenantId: string, plugin: string, shape: S, stored: StoredSettings): CreateOf<S> =>
    openValues(shape, stored.values, options.unseal, (name, why) =>
      options.warn?.(
        { tenant_id: tenantId, plugin, setting: `${plugin}.${name}`, why },
        'a stored setting cannot be used; its default stands in',
      ),
    );

  const read: SettingsCore['read'] = async (db, tenantId, plugin) => {
    const which = plugin === undefined ? sql`` : sql` and plugin = ${plugin}`;
    const rows = await db.rows<StoredSettings & { plugin: string }>(
      sql`select plugin, "values", version from core_setting where tenant_id = ${tenantId}${which}`,
    );
    return new Map(rows.map((row) => [row.plugin, { values: row.values, version: row.version }]));
  };

  const write: SettingsCore['write'] = async (ctx, plugin, { values, version, own = false, at = (pointer) => pointer }) => {
    const shape = shapes().get(plugin);
    if (!shape) throw notFound(`There is no plugin ${plugin}.`);
    const { tenant, db } = ctx;
    const target = own ? writableOf(shape) : shape;
    const sent = await withPointers(at, async () => {
      const parsed = (await parseBody(target, values, { partial: true, tenant })) as Values;
      await checkReferences(ctx, target, parsed);
      return parsed;
    });
    const now = ctx.clock.now();
    const stored = await lock(db, tenant.id, plugin, now);
    if (version !== undefined && version !== stored.version) throw new Problem('version_conflict', { version: stored.version });
    const before = open(tenant.id, plugin, shape, stored) as Values;
    const wanted = withoutMasks(target, sent, before, at);
    const changed = Object.keys(wanted).filter((name) => canonicalJson(wanted[name]) !== canonicalJson(before[name]));
    if (changed.length === 0) return stored;
    const was = Object.fromEntries(changed.map((name) => [name, before[name]]));
    const is = Object.fromEntries(changed.map((name) => [name, wanted[name]]));
    const next = { values: { ...stored.values, ...sealValues(target, is, options.seal) }, version: stored.version + 1 };
    await db.run(
      sql`update core_setting set "values" = ${JSON.stringify(next.values)}::jsonb, version = ${next.version}, updated_at = ${now} where tenant_id = ${tenant.id} and plugin = ${plugin}`,
    );
    // Values saved by the plugin's own jobs (a cursor, a renewed token) are not audited.
    if (ctx.actor.type !== 'system')
      await ctx.audit(auditEntry(plugin, hideSecrets(target, was, {}), hideSecrets(target, is, was)));
    await db.rows(sql`select pg_notify(${channel}, ${tenant.id})`);
    saved.set(db, new Map([...(saved.get(db) ?? []), [plugin, next]]));
    ctx.onCommit(() => {
      service.invalidate(tenant.id);
      options.onChange?.(tenant.id);
    });
    return next;
  };

  const service: SettingsService = {
    async load(db, tenantId) {
      while (!snapshots.get(tenantId)?.fresh) {
        const seen = changes;
        const plugins = await read(db, tenantId);
        snapshots.set(tenantId, { plugins, open: new Map(), fresh: seen === changes });
      }
    },
    of(tenantId, plugin, shape, db) {
      const mine = db && saved.get(db)?.get(plugin);
      if (mine) return open(tenantId, plugin, shape, mine);
      const snapshot = snapshots.get(tenantId);
      if (!snapshot) throw new Error(`the settings of tenant ${tenantId} were not loaded`);
      const opened =
        (snapshot.open.get(shape) as CreateOf<typeof shape> | undefined) ??
        open(tenantId, plugin, shape, snapshot.plugins.get(plugin) ?? nothingStored);
      snapshot.open.set(shape, opened as object);
      return opened;
    },
    async save(ctx, plugin, values) {
      await write(ctx, plugin, { values, own: true });
    },
    invalidate(tenantId) {
      changes++;
      const stale = tenantId === undefined ? [...snapshots.values()] : [snapshots.get(tenantId)];
      for (const snapshot of stale) if (snapshot) snapshot.fresh = false;
    },
    allowedOrigins(tenantId) {
      const owners = [...shapes()].filter(([, shape]) => Object.hasOwn(shape, 'allowedOrigins'));
      const lists = owners.map(([plugin, shape]) => (service.of(tenantId, plugin, shape) as Values).allowedOrigins);
      return (lists.filter(Array.isArray).flat() as string[]).map((origin) => new URL(origin).origin);
    },
    registry: createSettingsRegistry({ shapes, read, open: (...given) => open(...given) as Values, write }),
  };
  return service;
}

/** Locks the row, creating it if it doesn't exist, so that writers of one plugin's settings are serialised. */
async function lock(db: Db, tenantId: string, plugin: string, now: string): Promise<StoredSettings> {
  const row =
    await db.first<StoredSettings>(sql`insert into core_setting as s (tenant_id, plugin, "values", version, updated_at) values (${tenantId}, ${plugin}, '{}', 0, ${now})
    on conflict (tenant_id, plugin) do update set version = s.version returning "values", version`);
  if (!row) throw new Error('the settings row was neither created nor found');
  return row;
}

function withoutMasks(shape: Shape, sent: Values, before: Values, at: (pointer: string) => string): Values {
  const faults: FieldError[] = [];
  const values = unmask(shape, sent, before, faults);
  if (faults.length > 0)
    throw new Problem('validation_failed', {
      detail: 'A masked value does not match the stored secret. Send the secret, or leave the field out.',
      errors: faults.map((fault) => ({ ...fault, pointer: at(fault.pointer) })),
    });
  return values;
}

function auditEntry(plugin: string, before: Values, after: Values): AuditEntry {
  return { entity: 'core.setting', entityId: plugin, before, after };
}

async function withPointers<T>(at: (pointer: string) => string, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    throw new Problem(error.code, {
      ...error.extra,
      errors: error.extra.errors.map((fault) => ({ ...fault, pointer: at(fault.pointer) })),
    });
  }
}
