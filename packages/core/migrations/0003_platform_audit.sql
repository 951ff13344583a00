-- The operator's audit trail: writes of super-admin routes, which belong to no tenant.
create table core_platform_audit (
  id uuid primary key,
  actor_type text not null,
  actor_id text,
  action text not null,
  entity text not null,
  entity_id text,
  changes jsonb not null default '{}',
  ip text,
  request_id text,
  at timestamptz not null
);
create index core_platform_audit_at_idx on core_platform_audit (at desc, id desc);
grant select, insert on core_platform_audit to storeloom_platform;
