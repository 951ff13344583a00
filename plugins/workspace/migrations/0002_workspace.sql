-- What a new shop has been led through: step -> done or skipped.
create table workspace_onboarding (
  tenant_id uuid primary key references core_tenant (id),
  steps jsonb not null default '{}',
  dismissed_at timestamptz,
  updated_at timestamptz not null,
  version integer not null default 1
);
select core_tenant_table('workspace_onboarding');

-- Lists of the administration as staff like to see them, by the resource that is listed.
create table workspace_view (
  tenant_id uuid not null references core_tenant (id),
  resource text not null,
  value jsonb not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, resource)
);
select core_tenant_table('workspace_view');

create table workspace_metafield_definition (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  entity_type text not null,
  namespace text not null,
  key text not null,
  type text not null check (type in ('string', 'text', 'int', 'decimal', 'bool', 'date', 'datetime', 'json', 'url', 'color', 'money', 'reference')),
  validations jsonb,
  required boolean not null default false,
  visible_on_storefront boolean not null default false,
  filterable boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint workspace_metafield_definition_key_key unique (tenant_id, entity_type, namespace, key)
);
select core_tenant_table('workspace_metafield_definition');

create table workspace_metafield (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  definition_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  value jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint workspace_metafield_entity_key unique (tenant_id, definition_id, entity_id),
  foreign key (tenant_id, definition_id) references workspace_metafield_definition (tenant_id, id)
);
create index workspace_metafield_entity_idx on workspace_metafield (tenant_id, entity_type, entity_id);
select core_tenant_table('workspace_metafield');

-- Browsers that take push messages, of staff or of customers. The two keys are sealed.
create table workspace_push_subscription (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  user_id uuid,
  customer_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint workspace_push_subscription_endpoint_key unique (tenant_id, endpoint),
  check (num_nonnulls(user_id, customer_id) = 1)
);
create index workspace_push_subscription_user_idx on workspace_push_subscription (tenant_id, user_id);
create index workspace_push_subscription_customer_idx on workspace_push_subscription (tenant_id, customer_id);
select core_tenant_table('workspace_push_subscription');
