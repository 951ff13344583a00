create table data_exchange_import (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  status text not null check (status in ('queued', 'running', 'completed', 'completed_with_errors', 'failed')),
  file text,
  options jsonb not null,
  report jsonb,
  user_id uuid,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index data_exchange_import_created_idx on data_exchange_import (tenant_id, created_at desc, id desc);
select core_tenant_table('data_exchange_import');

-- Where an image of a file was kept: importing the file again finds the same address, and changes nothing.
create table data_exchange_image (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  source text not null,
  url text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint data_exchange_image_source_key unique (tenant_id, source)
);
select core_tenant_table('data_exchange_image', true);
