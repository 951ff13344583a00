-- The core's own tables, the three roles' rights, and the helper that puts a tenant-owned table behind row-level security.
-- Roles are made before the first migration (database/roles.ts); the owner of the database runs this file.

create extension if not exists btree_gist;
create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists fuzzystrmatch;

grant usage on schema public to storeloom_app, storeloom_platform;

-- unaccent() is only STABLE; an index needs IMMUTABLE. The dictionary is named, so the result can't change with search_path.
create function core_unaccent(value text) returns text language sql immutable parallel safe strict
  as $$ select lower(public.unaccent('public.unaccent'::regdictionary, value)) $$;
revoke all on function core_unaccent(text) from public;
grant execute on function core_unaccent(text) to storeloom_app, storeloom_platform;

create function core_current_tenant() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;
grant execute on function core_current_tenant() to storeloom_app, storeloom_platform;

-- `append_only`: the app may insert and read, nothing else.
create function core_tenant_table(name regclass, append_only boolean default false) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format($p$create policy tenant on %s
    using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)$p$, name);
  execute format('create policy platform_read on %s for select to storeloom_platform using (true)', name);
  -- The migrating role is the owner, whatever its name.
  execute format($p$create policy maint on %s to %I
    using (current_setting('app.maintenance', true) = 'on')
    with check (current_setting('app.maintenance', true) = 'on')$p$, name, current_user);
  execute format('grant select on %s to storeloom_platform', name);
  if append_only then
    execute format('grant select, insert on %s to storeloom_app', name);
  else
    execute format('grant select, insert, update, delete on %s to storeloom_app', name);
  end if;
end $$;

-- Platform tables: no tenant owns them. The app reads none of them directly.
create table core_plan (
  id uuid primary key,
  code text not null,
  name text not null,
  price_amount bigint,
  price_currency char(3),
  limits jsonb not null default '{}',
  plugins jsonb not null default '[]',
  features jsonb not null default '{}',
  active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint core_plan_code_key unique (code)
);

create table core_niche_package (
  id uuid primary key,
  code text not null,
  name jsonb not null,
  plugins jsonb not null default '[]',
  preset jsonb,
  seeds jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint core_niche_package_code_key unique (code)
);

create table core_tenant (
  id uuid primary key,
  slug text not null,
  name text not null,
  status text not null default 'active' check (status in ('provisioning', 'trial', 'active', 'past_due', 'suspended', 'terminated')),
  timezone text not null default 'Europe/Bucharest',
  currency char(3) not null default 'RON',
  locales jsonb not null default '["ro", "en"]',
  default_locale text not null default 'ro',
  price_mode text not null default 'gross' check (price_mode in ('gross', 'net')),
  operator boolean not null default false,
  plan_id uuid references core_plan (id),
  niche_package_id uuid references core_niche_package (id),
  -- Raised by every change of plan, niche, switch, override, setting or host: caches compare it.
  revision bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint core_tenant_slug_key unique (slug)
);

create table core_host (
  host text primary key,
  tenant_id uuid not null references core_tenant (id),
  position integer not null default 0
);
create index core_host_tenant_idx on core_host (tenant_id);

-- Operator's word on one plugin of one tenant.
create table core_override (
  tenant_id uuid not null references core_tenant (id),
  plugin text not null,
  enabled boolean not null,
  reason text not null,
  created_at timestamptz not null,
  primary key (tenant_id, plugin)
);
-- The tenant's own switch.
create table core_switch (
  tenant_id uuid not null references core_tenant (id),
  plugin text not null,
  enabled boolean not null,
  updated_at timestamptz not null,
  primary key (tenant_id, plugin)
);
grant select, insert, update, delete on core_plan, core_niche_package, core_tenant, core_host, core_override, core_switch to storeloom_platform;

-- Installation-wide key-value facts: installation id, licence certificate, maintenance window, one-time claims.
create table core_installation (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
grant select, insert, update, delete on core_installation to storeloom_platform;

create table core_plugin_state (
  name text primary key,
  package text not null,
  version text,
  state text not null,
  reason_code text,
  reason_message text,
  updated_at timestamptz not null default now()
);
grant select, insert, update, delete on core_plugin_state to storeloom_platform;

-- Settings of a tenant, one row a plugin; secrets inside are sealed.
create table core_setting (
  tenant_id uuid not null references core_tenant (id),
  plugin text not null,
  values jsonb not null default '{}',
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (tenant_id, plugin)
);
select core_tenant_table('core_setting');

create table core_idempotency (
  tenant_id uuid not null references core_tenant (id),
  scope text not null,
  key text not null,
  request_hash text not null,
  -- `committed`: the work is done, its answer may still grow by what happens after the commit; `final`: the answer stands.
  state text not null check (state in ('committed', 'final')),
  status integer not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (tenant_id, scope, key)
);
create index core_idempotency_created_idx on core_idempotency (created_at);
select core_tenant_table('core_idempotency');

-- Outbox: one row an event, in the transaction of the change. `sequence` orders the events of one aggregate.
create table core_event (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  type text not null,
  aggregate uuid not null,
  sequence bigint not null,
  data jsonb not null,
  request_id text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint core_event_sequence_key unique (tenant_id, aggregate, sequence)
);
create index core_event_type_idx on core_event (tenant_id, type, created_at);
create index core_event_created_idx on core_event (created_at);
select core_tenant_table('core_event');

-- Effects of event handlers happen once: the handler's transaction writes this row.
create table core_event_handled (
  tenant_id uuid not null references core_tenant (id),
  event_id uuid not null,
  plugin text not null,
  handled_at timestamptz not null,
  primary key (tenant_id, event_id, plugin)
);
select core_tenant_table('core_event_handled');

create table core_audit (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  position bigint not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  entity text not null,
  entity_id text,
  changes jsonb not null default '{}',
  ip text,
  request_id text,
  at timestamptz not null,
  prev_hash text not null,
  hash text not null,
  primary key (tenant_id, id),
  constraint core_audit_position_key unique (tenant_id, position)
);
create index core_audit_entity_idx on core_audit (tenant_id, entity, entity_id, at);
create index core_audit_at_idx on core_audit (tenant_id, at);
select core_tenant_table('core_audit', true);
-- Head of a tenant's hash chain, locked last in the transaction that writes.
create table core_audit_head (
  tenant_id uuid primary key references core_tenant (id),
  position bigint not null,
  hash text not null
);
select core_tenant_table('core_audit_head');

create table core_status_history (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  entity text not null,
  entity_id uuid not null,
  from_status text,
  to_status text not null,
  at timestamptz not null,
  actor_type text not null,
  actor_id text,
  reason text,
  primary key (tenant_id, id)
);
create index core_status_history_entity_idx on core_status_history (tenant_id, entity, entity_id, at);
create index core_status_history_at_idx on core_status_history (tenant_id, entity, at);
select core_tenant_table('core_status_history', true);

create table core_file (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  key text not null,
  name text not null,
  content_type text not null,
  size bigint not null,
  public boolean not null,
  purpose text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint core_file_key_key unique (tenant_id, key)
);
select core_tenant_table('core_file');

create table core_mail (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  key text not null,
  recipient text not null,
  template text not null,
  locale text not null,
  data jsonb not null,
  attachments jsonb not null default '[]',
  sent_at timestamptz,
  attempts integer not null default 0,
  error text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint core_mail_key_key unique (tenant_id, key)
);
select core_tenant_table('core_mail');

-- Inbound provider notifications: the unique row comes before any effect.
create table core_inbound (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  provider text not null,
  event_id text not null,
  raw text not null,
  headers jsonb not null,
  handled_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint core_inbound_event_key unique (tenant_id, provider, event_id)
);
select core_tenant_table('core_inbound');

-- Token buckets, shared by all processes; a crash may forget them.
create unlogged table core_rate (
  key text primary key,
  points integer not null,
  expires_at timestamptz not null
);
grant select, insert, update, delete on core_rate to storeloom_platform;

-- The platform reads these through its own policy; what it may write, it writes in the tenant's scope as app.
create function core_tenant_of_host(wanted text) returns uuid language sql stable security definer set search_path = pg_catalog, public
  as $$ select tenant_id from public.core_host where host = wanted $$;
alter function core_tenant_of_host(text) owner to storeloom_platform;
revoke all on function core_tenant_of_host(text) from public;
grant execute on function core_tenant_of_host(text) to storeloom_app, storeloom_platform;
