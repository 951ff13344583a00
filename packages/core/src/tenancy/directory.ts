import type { Database, Tx } from '@storeloom/data';
import { asRequest } from '@storeloom/data';
import type { Db, Tenant, TenantStatus } from '@storeloom/plugin-sdk';
import { sql } from '@storeloom/plugin-sdk';
import type { Choice, DecidedTenant } from './decide.ts';

/** A cached tenant: everything that a request needs without a query. */
export interface TenantEntry {
  readonly tenant: Tenant;
  readonly operator: boolean;
  readonly revision: number;
  /** `core_tenant_revision.revision` when the entry was read; requests compare it. */
  readonly stamp: string | null;
  readonly planId: string | null;
  /** Plugin → decision. */
  readonly decisions: ReadonlyMap<string, Choice>;
  /** Plugins that the tenant has on and that aren't ready. */
  readonly unavailable: ReadonlySet<string>;
}

export interface TenantFacts {
  tenant: Tenant;
  operator: boolean;
  revision: number;
  stamp: string | null;
  planId: string | null;
  planPlugins: string[] | null;
  nichePlugins: DecidedTenant['nichePlugins'];
  overrides: Map<string, { enabled: boolean; reason: string }>;
  switches: Map<string, boolean>;
}

interface Row {
  id: string;
  slug: string;
  name: string;
  status: TenantStatus;
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: 'gross' | 'net';
  operator: boolean;
  revision: number;
  stamp: string | null;
  planId: string | null;
  planPlugins: unknown[] | null;
  nichePlugins: { name: string; range?: string | null }[] | null;
  hosts: string[];
  overrides: { plugin: string; enabled: boolean; reason: string }[] | null;
  switches: { plugin: string; enabled: boolean }[] | null;
}

async function readFacts(db: Db, id: string): Promise<TenantFacts | undefined> {
  const row =
    await db.first<Row>(sql`select t.id, t.slug, t.name, t.status, t.timezone, t.currency, t.locales, t.default_locale as "defaultLocale", t.price_mode as "priceMode",
      t.operator, t.revision, (select c.revision from core_tenant_revision c where c.tenant_id = t.id) as stamp, t.plan_id as "planId", p.plugins as "planPlugins", n.plugins as "nichePlugins",
      coalesce((select json_agg(h.host order by h.position, h.host) from core_host h where h.tenant_id = t.id), '[]') as hosts,
      (select json_agg(json_build_object('plugin', o.plugin, 'enabled', o.enabled, 'reason', o.reason)) from core_override o where o.tenant_id = t.id) as overrides,
      (select json_agg(json_build_object('plugin', s.plugin, 'enabled', s.enabled)) from core_switch s where s.tenant_id = t.id) as switches
    from core_tenant t left join core_plan p on p.id = t.plan_id left join core_niche_package n on n.id = t.niche_package_id where t.id = ${id}`);
  if (!row) return undefined;
  return {
    tenant: Object.freeze({
      id: row.id,
      slug: row.slug,
      name: row.name,
      hosts: row.hosts,
      status: row.status,
      timezone: row.timezone,
      currency: row.currency,
      locales: row.locales,
      defaultLocale: row.defaultLocale,
      priceMode: row.priceMode,
    }),
    operator: row.operator,
    revision: row.revision,
    stamp: row.stamp,
    planId: row.planId,
    planPlugins: row.planPlugins as string[] | null,
    nichePlugins: row.nichePlugins?.map(({ name, range }) => ({ name, range: range ?? null })) ?? null,
    overrides: new Map((row.overrides ?? []).map((o) => [o.plugin, { enabled: o.enabled, reason: o.reason }])),
    switches: new Map((row.switches ?? []).map((s) => [s.plugin, s.enabled])),
  };
}

/** Names in normal form: letters, digits and hyphens; a numeric last label would be an IP address. */
const plainHost = /^(?:[a-z\d-]+\.)*[a-z][a-z\d-]*$/;

/** Normalises a host: lower case, without port and trailing dot, punycode; undefined if it isn't valid. */
export function normalizeHost(header: string | undefined): string | undefined {
  if (!header || /[\s@\\/?#,]/.test(header)) return undefined;
  let host = header.toLowerCase().replace(/:\d{1,5}$/, '');
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (host.startsWith('[')) return /^\[[0-9a-f:]+\]$/.test(host) ? host : undefined;
  if (host.length === 0 || host.length > 253 || host.includes(':')) return undefined;
  if (plainHost.test(host) && !host.includes('xn--')) return host;
  try {
    host = new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
  return host;
}

/**
 * Caches tenants by host and id. A change drops the entry in every process; if the notification is late, requests detect the stale entry by
 * its revision.
 */
export class TenantDirectory {
  readonly database: Database;
  readonly decide: (facts: TenantFacts) => ReadonlyMap<string, Choice>;
  readonly onLoad: (tenantId: string) => Promise<void>;
  private readonly byId = new Map<string, Promise<TenantEntry | undefined>>();
  private readonly hosts = new Map<string, Promise<string | undefined>>();
  constructor(
    database: Database,
    decide: (facts: TenantFacts) => ReadonlyMap<string, Choice>,
    onLoad: (tenantId: string) => Promise<void>,
  ) {
    this.database = database;
    this.decide = decide;
    this.onLoad = onLoad;
  }

  get(id: string): Promise<TenantEntry | undefined> {
    let entry = this.byId.get(id);
    if (!entry) {
      entry = asRequest(() => this.load(id));
      this.byId.set(id, entry);
      entry.then(
        (found) => {
          if (!found) this.byId.delete(id);
        },
        () => this.byId.delete(id),
      );
    }
    return entry;
  }

  private async load(id: string): Promise<TenantEntry | undefined> {
    const facts = await this.database.withPlatform((tx) => readFacts(tx.db, id), { readOnly: true });
    if (!facts) return undefined;
    await this.onLoad(id);
    const decisions = this.decide(facts);
    return {
      tenant: facts.tenant,
      operator: facts.operator,
      revision: facts.revision,
      stamp: facts.stamp,
      planId: facts.planId,
      decisions,
      unavailable: new Set([...decisions].filter(([, choice]) => choice.unavailable).map(([name]) => name)),
    };
  }

  /** Reads decisions from the database instead of the cache. */
  async fresh(id: string, tx?: Tx): Promise<ReadonlyMap<string, Choice>> {
    const facts = tx
      ? await readFacts(tx.db, id)
      : await this.database.withPlatform((own) => readFacts(own.db, id), { readOnly: true });
    return facts ? this.decide(facts) : new Map();
  }

  async byHost(host: string): Promise<TenantEntry | undefined> {
    let id = this.hosts.get(host);
    if (!id) {
      // Unknown hosts are cached too, otherwise every request with one would query the database. The map is bounded.
      if (this.hosts.size > 10_000) this.hosts.clear();
      id = this.database.withPlatform(
        async (tx) => (await tx.db.first<{ id: string }>(sql`select tenant_id as id from core_host where host = ${host}`))?.id,
        { readOnly: true },
      );
      this.hosts.set(host, id);
      id.catch(() => this.hosts.delete(host));
    }
    const found = await id;
    return found === undefined ? undefined : this.get(found);
  }

  ids(): Promise<string[]> {
    return this.database.withPlatform(
      async (tx) =>
        (await tx.db.rows<{ id: string }>(sql`select id from core_tenant where status <> 'terminated' order by id`)).map(
          (row) => row.id,
        ),
      { readOnly: true },
    );
  }

  /** Returns true if the database has another revision of the tenant than the cached entry. */
  async moved({ tenant: { id }, stamp }: TenantEntry): Promise<boolean> {
    const row = await this.database.withPlatform(
      (tx) =>
        tx.db.first<{ stamp: string | null }>(sql`select revision as stamp from core_tenant_revision where tenant_id = ${id}`),
      { readOnly: true },
    );
    return (row?.stamp ?? null) !== stamp;
  }

  /** Drops entries. Called in every process when a tenant, its hosts, plan, switches or settings change. */
  invalidate(id?: string): void {
    if (id === undefined) this.byId.clear();
    else this.byId.delete(id);
    this.hosts.clear();
  }
}
