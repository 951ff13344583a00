import type { TestShop } from '../shop/shop.ts';

/** Unique keys that may do without the tenant: what is looked up before the tenant is known. At most ten. */
const globalUniques = new Set([
  'core_host_pkey',
  'core_tenant_slug_key',
  'identity_account_email_key',
  'identity_operator_email_key',
  'identity_session_token_key',
  'identity_mail_token_hash_key',
]);

/**
 * The rules of tenancy for every table with a `tenant_id`, read from the catalogue: row-level security forced, a policy with a check,
 * the tenant first in the primary key, in every unique key and in every foreign key between tenants' tables. SECURITY DEFINER functions are
 * executable by named roles only and find no temporary tables. Returns the violations.
 */
export async function tenancyFaults(shop: TestShop): Promise<string[]> {
  const faults: string[] = [];
  const tables = await shop.rows<{
    oid: number;
    name: string;
    rls: boolean;
    force: boolean;
    checks: number;
    pk: string[] | null;
  }>(`
    select c.oid::int, c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as force,
      (select count(*)::int from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant' and p.polwithcheck is not null) as checks,
      (select array_agg(a.attname::text order by k.position) from pg_index i, unnest(i.indkey::int[]) with ordinality k(attnum, position)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where i.indrelid = c.oid and i.indisprimary) as pk
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)`);
  const platformOwned = new Set(['core_host', 'core_override', 'core_switch']);
  const owned = new Set(tables.map((table) => table.name).filter((name) => !platformOwned.has(name)));
  for (const { name, rls, force, checks, pk } of tables) {
    if (platformOwned.has(name)) continue;
    if (!rls || !force) faults.push(`${name}: row-level security is not forced`);
    if (checks !== 1) faults.push(`${name}: no tenant policy with a check`);
    if (pk?.[0] !== 'tenant_id') faults.push(`${name}: the primary key does not begin with tenant_id`);
  }
  const uniques = await shop.rows<{ name: string; index: string; first: string | null }>(`
    select c.relname as name, x.relname as index, (select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[0]) as first
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and i.indisunique and not i.indisprimary`);
  for (const { name, index, first } of uniques) {
    if (owned.has(name) && first !== 'tenant_id' && !globalUniques.has(index))
      faults.push(`${name}: the unique key ${index} does not begin with tenant_id`);
  }
  const foreign = await shop.rows<{ name: string; target: string; constraint: string; columns: string[] }>(`
    select c.relname as name, t.relname as target, k.conname as constraint,
      (select array_agg(a.attname::text) from unnest(k.conkey) u(attnum) join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid where k.contype = 'f' and c.relnamespace = 'public'::regnamespace`);
  for (const { name, target, constraint, columns } of foreign) {
    if (owned.has(name) && owned.has(target) && !columns.includes('tenant_id'))
      faults.push(`${name}: the foreign key ${constraint} does not carry tenant_id`);
    const prefix = (table: string): string => table.split('_')[0] as string;
    if (!target.startsWith('core_') && prefix(name) !== prefix(target))
      faults.push(`${name}: the foreign key ${constraint} leaves the plugin`);
  }
  const definers = await shop.rows<{ name: string; open: boolean; path: string | null }>(`
    select p.oid::regprocedure::text as name, (select setting from unnest(p.proconfig) setting where starts_with(setting, 'search_path=')) as path,
      exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as open
    from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace`);
  for (const { name, open, path } of definers) {
    if (open) faults.push(`${name}: a SECURITY DEFINER function that every role may execute: call core_restrict_functions`);
    if (!path?.endsWith('pg_temp'))
      faults.push(`${name}: the search_path of a SECURITY DEFINER function does not end with pg_temp`);
  }
  return faults;
}
