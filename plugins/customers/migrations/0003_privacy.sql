-- Where a person was asked.
alter table customers_consent add column source text not null default 'storefront';

-- Exports that took too long to be waited for. The file goes a day after it was made.
create table customers_data_export (
  tenant_id uuid not null references core_tenant (id),
  customer_id uuid not null,
  -- Null: asked for, not made yet.
  file text,
  asked_at timestamptz not null,
  ready_at timestamptz,
  primary key (tenant_id, customer_id),
  foreign key (tenant_id, customer_id) references customers_customer (tenant_id, id) on delete cascade
);
create index customers_data_export_ready_idx on customers_data_export (tenant_id, ready_at);
select core_tenant_table('customers_data_export');
