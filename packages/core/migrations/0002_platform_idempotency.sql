-- Idempotency keys of super-admin routes: no tenant owns them.
create table core_platform_idempotency (
  scope text not null,
  key text not null,
  request_hash text not null,
  state text not null check (state in ('committed', 'final')),
  status integer not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (scope, key)
);
create index core_platform_idempotency_created_idx on core_platform_idempotency (created_at);
grant select, insert, update, delete on core_platform_idempotency to storeloom_platform;
