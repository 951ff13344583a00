-- Licences that this installation has issued to others. Platform tables: no tenant owns them, the app role sees none of them.
create table platform_license (
  id uuid primary key,
  -- SHA-256 of the activation key, by which an installation that calls is found; the key itself is sealed, so that it can be sent again.
  key_hash text not null,
  key_sealed text not null,
  key_hint text not null,
  customer_email text not null,
  plan text not null,
  env text not null check (env in ('production', 'staging', 'development')),
  plugins jsonb not null,
  themes jsonb not null,
  limits jsonb not null,
  domains jsonb not null,
  fingerprint jsonb,
  grace_seconds integer not null check (grace_seconds >= 0),
  heartbeat_interval integer not null check (heartbeat_interval > 0),
  heartbeat_max_offline integer not null check (heartbeat_max_offline >= 0),
  -- Seconds without a heartbeat after which a seat is free again; null: never.
  seat_ttl integer check (seat_ttl > 0),
  expires_at timestamptz not null,
  updates_until timestamptz not null,
  max_activations integer not null check (max_activations > 0),
  -- The paid order that it was made for: one licence each.
  source text,
  revoked_at timestamptz,
  revoked_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint platform_license_key_key unique (key_hash),
  constraint platform_license_source_key unique (source)
);
create index platform_license_email_idx on platform_license (customer_email);

create table platform_license_seat (
  license_id uuid not null references platform_license (id),
  -- Id that the installation gave itself.
  installation text not null,
  activated_at timestamptz not null,
  last_seen_at timestamptz not null,
  released_at timestamptz,
  -- `deactivated` by the installation, `dead` when nothing was heard of it.
  released text check (released in ('deactivated', 'dead')),
  primary key (license_id, installation),
  check ((released_at is null) = (released is null))
);

create table platform_license_event (
  id uuid primary key,
  license_id uuid not null references platform_license (id),
  type text not null,
  at timestamptz not null,
  installation text,
  ip text,
  data jsonb not null default '{}'
);
create index platform_license_event_license_idx on platform_license_event (license_id, at desc, id desc);
create index platform_license_event_at_idx on platform_license_event (at desc, id desc);

grant select, insert, update on platform_license, platform_license_seat to storeloom_platform;
grant select, insert on platform_license_event to storeloom_platform;

-- Settings of the operator that aren't a tenant's: one row a name. Secrets inside are sealed.
create table platform_setting (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
grant select, insert, update on platform_setting to storeloom_platform;

-- What the receiver of paid licences needs to judge a notification, in the scope of the operator's own tenant only.
create function platform_license_sales() returns jsonb
language sql stable security definer set search_path = pg_catalog, public as $$
  select s.value from public.platform_setting s where s.name = 'license-sales' and public.platform_is_operator()
$$;
alter function platform_license_sales() owner to storeloom_platform;
revoke all on function platform_license_sales() from public;
grant execute on function platform_license_sales() to storeloom_app, storeloom_platform;

-- A person's licences, found by address, in the scope of the operator's own tenant only: its customers buy them.
create function platform_license_people(emails text[]) returns jsonb
language sql stable security definer set search_path = pg_catalog, public as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'customerEmail', l.customer_email, 'plan', l.plan, 'env', l.env,
      'createdAt', l.created_at, 'expiresAt', l.expires_at, 'revokedAt', l.revoked_at) order by l.created_at, l.id), '[]')
  from public.platform_license l where public.platform_is_operator() and lower(l.customer_email) = any (emails)
$$;
-- One that has ended names nobody any more; one that runs is a contract. Gives how many names went, and how many stay until when.
create function platform_license_forget(emails text[]) returns jsonb
language sql volatile security definer set search_path = pg_catalog, public as $$
  with own as (
    select l.id, l.expires_at > now() and l.revoked_at is null as runs, l.expires_at
    from public.platform_license l where public.platform_is_operator() and lower(l.customer_email) = any (emails) for update
  ), gone as (
    update public.platform_license l set customer_email = 'erased+' || l.id || '@invalid', updated_at = now(), version = l.version + 1
    from own where own.id = l.id and not own.runs returning l.id
  )
  select jsonb_build_object('erased', (select count(*) from gone), 'kept', (select count(*) from own where runs),
    'until', (select max(expires_at) from own where runs))
$$;
alter function platform_license_people(text[]) owner to storeloom_platform;
alter function platform_license_forget(text[]) owner to storeloom_platform;
revoke all on function platform_license_people(text[]) from public;
revoke all on function platform_license_forget(text[]) from public;
grant execute on function platform_license_people(text[]) to storeloom_app;
grant execute on function platform_license_forget(text[]) to storeloom_app;
