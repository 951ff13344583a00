import { readdirSync } from 'node:fs';
import type { Tx } from '@storeloom/data';
import { createDatabase as connect, type Database, ensureRoles, migrate, runtimeRole, runtimeUrl } from '@storeloom/data';
import { createDatabase } from '@storeloom/embedded-postgres/testing';
import { type Ctx, type Db, type Log, type PlatformCtx, type Plugin, sql, type Tenant, uuidv7 } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { initialState, type Scope } from '../src/context/scope.ts';
import type { Units, Work } from '../src/context/units.ts';
import type { LoadedPlugin, Registry } from '../src/plugins/registry.ts';

/** The kernel's database and units of work without the kernel: for what runs in the background. */
export interface Background {
  database: Database;
  units: Units;
  /** URL of the owner. */
  ownerUrl: string;
  /** URL of the runtime login, which has no privileges of its own. */
  runtimeUrl: string;
  addTenant(values?: Partial<Tenant>): Promise<Tenant>;
  /** A transaction of the tenant, as app. */
  inTenant<T>(tenantId: string, fn: (db: Db) => Promise<T>): Promise<T>;
  asPlatform<T>(fn: (db: Db) => Promise<T>): Promise<T>;
  /** Throws away every job of every queue. */
  dropJobs(): Promise<void>;
  /** Plugins that are off, by tenant. */
  off: Map<string, Set<string>>;
  close(): Promise<void>;
}

const password = 'runtime-of-a-test';
const folder = new URL('../migrations/', import.meta.url);

async function migrateCore(url: string): Promise<void> {
  await ensureRoles(url, password);
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, url: new URL(name, folder) }));
  const report = await migrate(url, { owner: 'core', version: '0.0.0', migrations, requires: [] }, []);
  if (report.exitCode !== 0) throw new Error(JSON.stringify(report.failed));
}

export async function createBackground(): Promise<Background> {
  const copy = await createDatabase({ loginOf: runtimeRole, template: { key: 'core, migrated', prepare: migrateCore } });
  // The runtime login belongs to one database.
  await ensureRoles(copy.url, password);
  const url = runtimeUrl(copy.url, password);
  const database = connect({ url, max: 20, onError: () => {} });
  const tenants = new Map<string, Tenant>();
  const off = new Map<string, Set<string>>();

  const scopeOf = (tenant: Tenant | null, work: Work): Scope => ({
    tenant,
    hostTenant: null,
    actor: work.actor,
    tokens: {},
    ip: work.ip ?? null,
    userAgent: null,
    locale: tenant?.defaultLocale ?? 'en',
    requestId: work.requestId,
    signal: work.signal,
    unavailable: new Set(),
    on: (plugin) => !off.get(tenant?.id ?? '')?.has(plugin),
    action: null,
    ...initialState(),
  });

  async function transaction<T>(
    scope: Scope,
    fn: (db: Db) => Promise<T>,
    options: { readOnly?: boolean; last?: (db: Db) => Promise<void> } = {},
  ): Promise<T> {
    const unit = async (tx: Tx): Promise<T> => {
      const outer = scope.tx;
      scope.tx = tx;
      try {
        const result = await fn(tx.db);
        await options.last?.(tx.db);
        return result;
      } finally {
        scope.tx = outer;
      }
    };
    return scope.tenant ? database.withTenant(scope.tenant.id, unit, options) : database.withPlatform(unit, options);
  }

  /** As much of a context as jobs and services touch. */
  const context = (plugin: string, scope: Scope) => ({
    plugin,
    tenant: scope.tenant,
    actor: scope.actor,
    requestId: scope.requestId,
    signal: scope.signal,
    clock: { now: () => new Date().toISOString(), ms: () => Date.now() },
    get db() {
      if (!scope.tx) throw new Error('no transaction is open here');
      return scope.tx.db;
    },
    isOn: scope.on,
    withoutTransaction: (key: string, ask: () => Promise<unknown>) => scope.tx?.externalCalls.get(key, ask) ?? ask(),
    onCommit: (fn: () => void) => scope.tx?.onCommit.push(fn),
    transaction: (fn: (ctx: unknown) => Promise<unknown>) =>
      scope.tx ? fn(context(plugin, scope)) : transaction(scope, () => fn(context(plugin, scope))),
  });

  return {
    database,
    off,
    ownerUrl: copy.url,
    runtimeUrl: url,
    units: {
      scope: async (tenantId, work) => {
        const tenant = tenants.get(tenantId);
        return tenant && scopeOf(tenant, work);
      },
      platformScope: (work) => scopeOf(null, work),
      transaction,
      context: (plugin, scope) => context(plugin, scope) as unknown as Ctx,
      platformContext: (plugin, scope) => context(plugin, scope) as unknown as PlatformCtx,
    },
    async addTenant(values = {}) {
      const id = uuidv7();
      const tenant: Tenant = {
        id,
        slug: `shop-${id.slice(-12)}`,
        name: 'Fern & Co',
        hosts: [`shop-${id.slice(-12)}.localhost`],
        status: 'active',
        timezone: 'Europe/Bucharest',
        currency: 'RON',
        locales: ['ro', 'en'],
        defaultLocale: 'ro',
        priceMode: 'gross',
        ...values,
      };
      tenants.set(tenant.id, tenant);
      await database.withPlatform((tx) =>
        tx.db.run(sql`insert into core_tenant (id, slug, name, status, timezone, created_at, updated_at)
          values (${tenant.id}, ${tenant.slug}, ${tenant.name}, ${tenant.status}, ${tenant.timezone}, now(), now())`),
      );
      return tenant;
    },
    inTenant: (tenantId, fn) => database.withTenant(tenantId, (tx) => fn(tx.db)),
    asPlatform: (fn) => database.withPlatform((tx) => fn(tx.db)),
    async dropJobs() {
      await database.withPlatform((tx) => tx.db.run(sql`delete from jobs.job_common`));
    },
    async close() {
      await database.close();
      // The owner may not end connections of the runtime login that are still closing.
      const server = new pg.Client({ connectionString: process.env.TEST_SUPERUSER_URL });
      await server.connect();
      await server.query(`drop database if exists ${new URL(copy.url).pathname.slice(1)} with (force)`);
      await server.end();
    },
  };
}

/** A registry of plugins that are given as they are. */
export function registryOf(...plugins: Plugin[]): Registry {
  const loaded = plugins.map((plugin) => ({ manifest: { name: plugin.name }, plugin }) as LoadedPlugin);
  return {
    loaded,
    byName: new Map(loaded.map((entry) => [entry.manifest.name, entry])),
    states: () => [],
  };
}

export interface Line {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}
/** A log that keeps its lines. */
export function keptLog(): Log & { lines: Line[] } {
  const lines: Line[] = [];
  const keep =
    (level: Line['level']) =>
    (fields: Record<string, unknown>, message: string): void => {
      lines.push({ level, fields, message });
    };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** Waits until `read` returns a truthy value, without a time limit. */
export async function until<T>(read: () => T | undefined | false | Promise<T | undefined | false>, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`nothing came within ${seconds} seconds`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
