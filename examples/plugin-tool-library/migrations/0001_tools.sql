create table tool_library_tool (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name jsonb not null,
  lendable boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select core_tenant_table('tool_library_tool');

-- #region loan
create table tool_library_loan (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  tool_id uuid not null,
  customer_id uuid not null,
  due_on date not null,
  status text not null check (status in ('reserved', 'out', 'returned', 'cancelled')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, tool_id) references tool_library_tool (tenant_id, id)
);
-- A tool is in one pair of hands at a time, whatever the code does.
create unique index tool_library_loan_open_key on tool_library_loan (tenant_id, tool_id) where status in ('reserved', 'out');
create index tool_library_loan_customer_idx on tool_library_loan (tenant_id, customer_id, id);
create index tool_library_loan_created_idx on tool_library_loan (tenant_id, created_at, id);
select core_tenant_table('tool_library_loan');
-- #endregion
