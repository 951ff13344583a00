import type { Tx } from '@storeloom/data';
import type { Usage } from '@storeloom/licence';
import { type NicheRecord, Problem, type RawBuilder, sql, type TenantRecord, type Tenants, uuidv7 } from '@storeloom/plugin-sdk';
import { normalizeHost } from './directory.ts';

const columns =
  sql.raw(`t.id, t.slug, t.name, t.status, t.timezone, t.currency, t.locales, t.default_locale as "defaultLocale", t.price_mode as "priceMode",
  t.plan_id as "planId", t.niche_package_id as "nichePackageId", t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
  coalesce((select json_agg(h.host order by h.position, h.host) from core_host h where h.tenant_id = t.id), '[]') as hosts`);

/** Labels of letters, digits and hyphens (RFC 1123), or an IP address. */
const hostName = /^(?:\[[0-9a-f:]+\]|[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*)$/;

/** Serves shoppers. */
const isOpen = (status: string): boolean => status !== 'suspended' && status !== 'terminated';

export interface TenantsDeps {
  /** Runs in the caller's platform transaction if one is open, otherwise in a new one. */
  platform<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  now(): string;
  /** Drops a tenant from this process's caches. */
  forget(id: string): void;
  /** Checks a change against the limits of the licence. @throws Problem 403 `license_required` */
  checkLimits(rooms: Usage): void;
}

/** Notifies every process of a change on commit, and this one immediately, so that the caller's next request sees it. */
export async function tenantChanged(tx: Tx, id: string, forget: (id: string) => void): Promise<void> {
  tx.onCommit.push(() => forget(id));
  await tx.db.run(sql`update core_tenant set revision = revision + 1 where id = ${id}`);
  await tx.db.rows(sql`select pg_notify('storeloom_tenant', ${id})`);
}

export function createTenants(deps: TenantsDeps): Tenants {
  const one = async (tx: Tx, where: RawBuilder<unknown>): Promise<TenantRecord | undefined> =>
    tx.db.first<TenantRecord>(sql`select ${columns} from core_tenant t where ${where}`);

  /** Serialises changes, so that each counts the tenants of the ones before: for the licence's limits, and a single operator's tenant. */
  const serialiseChanges = (tx: Tx) => tx.db.rows(sql`select pg_advisory_xact_lock(hashtext('core_tenant.create'))`);
  const count = async (tx: Tx): Promise<{ tenants: number; stores: number }> =>
    (await tx.db.first<{
      tenants: number;
      stores: number;
    }>(sql`select count(*) filter (where status <> 'terminated')::int8 as tenants,
      count(*) filter (where status not in ('suspended', 'terminated'))::int8 as stores from core_tenant`)) ?? {
      tenants: 0,
      stores: 0,
    };
  const opens = async (tx: Tx, id: string): Promise<boolean> =>
    (await tx.db.first(sql`select id from core_tenant where id = ${id} and status in ('suspended', 'terminated')`)) !== undefined;

  const setHosts = async (tx: Tx, id: string, hosts: readonly string[], free = false): Promise<void> => {
    const clean = hosts.map((host, i) => {
      const normal = normalizeHost(host);
      if (!normal || !hostName.test(normal))
        throw new Problem('validation_failed', {
          errors: [{ pointer: `/hosts/${i}`, code: 'invalid', message: 'is no host name' }],
        });
      return normal;
    });
    const before = await tx.db.rows<{ host: string }>(sql`delete from core_host where tenant_id = ${id} returning host`);
    if (!free) deps.checkLimits({ hosts: clean.filter((host) => !before.some((known) => known.host === host)) });
    for (const [position, host] of [...new Set(clean)].entries()) {
      const taken = await tx.db.run(
        sql`insert into core_host (host, tenant_id, position) values (${host}, ${id}, ${position}) on conflict (host) do nothing`,
      );
      if (taken === 0) throw new Problem('duplicate', { field: 'hosts', detail: `The host ${host} belongs to another tenant.` });
    }
  };

  return {
    list: () =>
      deps.platform((tx) => tx.db.rows<TenantRecord>(sql`select ${columns} from core_tenant t order by t.created_at, t.id`)),
    get: (id) => deps.platform((tx) => one(tx, sql`t.id = ${id}`)),
    bySlug: (slug) => deps.platform((tx) => one(tx, sql`t.slug = ${slug}`)),
    niche: (by) =>
      deps.platform((tx) =>
        tx.db.first<NicheRecord>(
          sql`select id, code, name, preset from core_niche_package where ${'id' in by ? sql`id = ${by.id}` : sql`code = ${by.code}`}`,
        ),
      ),
    create: (values) =>
      deps.platform(async (tx) => {
        const now = deps.now();
        const id = uuidv7(Date.parse(now));
        await serialiseChanges(tx);
        const { tenants, stores } = await count(tx);
        const status = values.status ?? 'active';
        // The operator's tenant: it is needed to activate a licence.
        const first = tenants === 0;
        if (!first) deps.checkLimits({ tenants: tenants + 1, ...(isOpen(status) ? { stores: stores + 1 } : {}) });
        await tx.db.run(sql`insert into core_tenant (id, slug, name, status, timezone, currency, locales, default_locale, price_mode, operator, plan_id, niche_package_id, created_at, updated_at)
        values (${id}, ${values.slug}, ${values.name}, ${status}, ${values.timezone ?? 'Europe/Bucharest'}, ${values.currency ?? 'RON'},
          ${JSON.stringify(values.locales ?? ['ro', 'en'])}::jsonb, ${values.defaultLocale ?? values.locales?.[0] ?? 'ro'}, ${values.priceMode ?? 'gross'},
          not exists (select from core_tenant), ${values.planId ?? null}, ${values.nichePackageId ?? null}, ${now}, ${now})`);
        await setHosts(tx, id, values.hosts, first);
        await tenantChanged(tx, id, deps.forget);
        return (await one(tx, sql`t.id = ${id}`)) as TenantRecord;
      }),
    update: (id, change) =>
      deps.platform(async (tx) => {
        if (change.status !== undefined && isOpen(change.status)) {
          await serialiseChanges(tx);
          if (await opens(tx, id)) deps.checkLimits({ stores: (await count(tx)).stores + 1 });
        }
        const set = [sql`updated_at = ${deps.now()}`, sql`version = version + 1`];
        const put = (column: string, value: RawBuilder<unknown> | undefined): void => {
          if (value) set.push(sql`${sql.id(column)} = ${value}`);
        };
        put('name', change.name === undefined ? undefined : sql`${change.name}`);
        put('slug', change.slug === undefined ? undefined : sql`${change.slug}`);
        put('status', change.status === undefined ? undefined : sql`${change.status}`);
        put('timezone', change.timezone === undefined ? undefined : sql`${change.timezone}`);
        put('currency', change.currency === undefined ? undefined : sql`${change.currency}`);
        put('locales', change.locales === undefined ? undefined : sql`${JSON.stringify(change.locales)}::jsonb`);
        put('default_locale', change.defaultLocale === undefined ? undefined : sql`${change.defaultLocale}`);
        put('price_mode', change.priceMode === undefined ? undefined : sql`${change.priceMode}`);
        put('plan_id', change.planId === undefined ? undefined : sql`${change.planId}`);
        put('niche_package_id', change.nichePackageId === undefined ? undefined : sql`${change.nichePackageId}`);
        const changed = await tx.db.run(sql`update core_tenant set ${sql.join(set)} where id = ${id}`);
        if (changed === 0) throw new Problem('not_found');
        if (change.hosts) await setHosts(tx, id, change.hosts);
        await tenantChanged(tx, id, deps.forget);
        return (await one(tx, sql`t.id = ${id}`)) as TenantRecord;
      }),
  };
}
