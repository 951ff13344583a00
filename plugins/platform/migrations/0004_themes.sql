-- Themes that a shop has installed; the active one of them, if it has chosen one.
create table platform_theme (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  -- As installed; what is drawn is the version on disk.
  theme_version text not null,
  active boolean not null default false,
  -- Of its settings, those that the shop has set.
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint platform_theme_name_key unique (tenant_id, name)
);
create unique index platform_theme_active_key on platform_theme (tenant_id) where active;
select core_tenant_table('platform_theme');
