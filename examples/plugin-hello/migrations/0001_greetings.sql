create table example_hello_greeting (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  text jsonb not null,
  active boolean not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index example_hello_greeting_position_idx on example_hello_greeting (tenant_id, position, id);
-- Puts the table behind row-level security: a shop sees its own rows and no others.
select core_tenant_table('example_hello_greeting');
