import pg from 'pg';

/** Tenants of the fixture. */
export const tenants = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'] as const;

/** Runs statements on a connection of their own, as the owner or superuser of the URL. */
export async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, options: '-c app.maintenance=on' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * What makes a shop's database hard to restore: rows that only their tenant sees, also not the owner; a function of another role; a
 * partitioned table, a generated column, a view, extensions, a second schema, text with tabs and line breaks.
 */
export async function fillShop(url: string, goods = 500): Promise<void> {
  const [first, second] = tenants;
  for (const role of ['storeloom_app', 'storeloom_platform'])
    await query(url, `do $$ begin create role ${role} nologin; exception when duplicate_object then null; end $$`);
  await query(url, 'grant storeloom_platform to current_user').catch(() => undefined);
  await query(
    url,
    `grant create, usage on schema public to storeloom_platform;
    create extension if not exists pg_trgm;
    create extension if not exists btree_gist;
    create table core_tenant (id uuid primary key, name text not null);
    create table good (tenant_id uuid not null references core_tenant, id int not null, "order" text not null,
      name text not null, size int generated always as (length(name)) stored, created_at timestamptz not null default now(),
      primary key (tenant_id, id));
    create index good_name on good using gin (name gin_trgm_ops);
    alter table good enable row level security;
    alter table good force row level security;
    create policy tenant on good to storeloom_app using (tenant_id::text = current_setting('app.tenant_id', true));
    create policy maint on good using (current_setting('app.maintenance', true) = 'on');
    create policy platform on good to storeloom_platform using (true);
    grant select on good to storeloom_app, storeloom_platform;
    create function good_count() returns bigint language sql security definer set search_path = pg_catalog, public
      as 'select count(*) from good';
    alter function good_count() owner to storeloom_platform;
    create view good_names as select name from good;
    create schema queue;
    create table queue.job (id int not null, state text not null) partition by list (state);
    create table queue.job_done partition of queue.job for values in ('done');
    create table queue.job_open partition of queue.job for values in ('open');
    insert into queue.job select n, case when n % 3 = 0 then 'open' else 'done' end from generate_series(1, 90) n;
    insert into core_tenant values ('${first}', 'Nord'), ('${second}', 'Casa');
    insert into good (tenant_id, id, "order", name)
      select case when n % 5 = 0 then '${second}'::uuid else '${first}'::uuid end, n, E'a\\tb\\\\.\\n' || n, 'Cană ' || n
      from generate_series(1, ${goods}) n;`,
  );
}

/** Schema, owners and rows of a database as text, to compare two of them. */
export async function fingerprint(url: string): Promise<string> {
  const parts = [
    'select tenant_id, id, "order", name, size, created_at::text from good order by 1, 2',
    'select id, state from queue.job order by 1',
    `select proname, pg_get_userbyid(proowner) as owner, prosecdef from pg_proc where pronamespace = 'public'::regnamespace and proname = 'good_count'`,
    `select polname, pg_get_expr(polqual, polrelid) as using from pg_policy order by 1`,
    `select relname, relkind::text, relrowsecurity, relforcerowsecurity, relacl::text from pg_class
      where relnamespace in ('public'::regnamespace, 'queue'::regnamespace) order by 1`,
    `select table_name, column_name, data_type from information_schema.columns where table_schema in ('public', 'queue') order by 1, ordinal_position`,
    'select extname, extversion from pg_extension order by 1',
  ];
  const rows: unknown[] = [];
  for (const part of parts) rows.push(await query(url, part));
  return JSON.stringify(rows, null, 1);
}
