create table inventory_seen (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  hook text not null,
  input jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select core_tenant_table('inventory_seen');
