-- How staff arrange their figures. Without a name: what the member of the staff sees now; with one: kept, and perhaps shared.
create table dashboard_layout (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  user_id uuid not null,
  name text,
  items jsonb not null default '[]',
  shared_all boolean not null default false,
  shared_role_ids jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index dashboard_layout_present_key on dashboard_layout (tenant_id, user_id) where name is null;
create unique index dashboard_layout_name_key on dashboard_layout (tenant_id, user_id, lower(name)) where name is not null;
select core_tenant_table('dashboard_layout');

-- What the shop begins with in a niche, where it has said so itself; the empty code is no niche.
create table dashboard_preset (
  tenant_id uuid not null references core_tenant (id),
  niche text not null,
  items jsonb not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, niche)
);
select core_tenant_table('dashboard_preset');
