-- Where each tenant's audit chain ended, hour by hour. Whoever rewrites a chain from its beginning would have to rewrite these as well, and
-- the copies of them that lie elsewhere. `chain` is the tenant; the platform owns the table.
create table core_audit_anchor (
  chain uuid not null references core_tenant (id),
  position bigint not null,
  hash text not null,
  at timestamptz not null,
  primary key (chain, position)
);
grant select, insert on core_audit_anchor to storeloom_platform;
