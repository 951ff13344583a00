-- Feature flags of a shop.
create table platform_flag (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  enabled boolean not null,
  -- Of 10,000 subjects, how many see it while it is enabled.
  rollout_bp integer not null default 10000 check (rollout_bp between 0 and 10000),
  rules jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint platform_flag_name_key unique (tenant_id, name)
);
select core_tenant_table('platform_flag');

-- What a shop has used up of an allowance in a period, and the row by which writers of a limited thing queue up.
-- `period_start` is '-infinity' for what is counted where it stands.
create table platform_quota (
  tenant_id uuid not null references core_tenant (id),
  resource text not null,
  period_start timestamptz not null,
  used bigint not null default 0 check (used >= 0),
  primary key (tenant_id, resource, period_start)
);
select core_tenant_table('platform_quota');

-- What the plan of the tenant in scope allows. The app role reads no platform table.
create function platform_plan() returns jsonb
language sql stable security definer set search_path = pg_catalog, public as $$
  select jsonb_build_object('limits', p.limits, 'features', p.features)
  from public.core_tenant t join public.core_plan p on p.id = t.plan_id
  where t.id = nullif(current_setting('app.tenant_id', true), '')::uuid
$$;
alter function platform_plan() owner to storeloom_platform;
revoke all on function platform_plan() from public;
grant execute on function platform_plan() to storeloom_app, storeloom_platform;
