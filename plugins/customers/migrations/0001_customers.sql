create table customers_customer (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  email text not null,
  first_name text,
  last_name text,
  phone text,
  company text,
  vat_id text,
  accepts_marketing boolean not null default false,
  tags jsonb not null default '[]',
  status text not null default 'active' check (status in ('active', 'disabled', 'erased')),
  email_verified_at timestamptz,
  registered_at timestamptz,
  orders_count integer not null default 0,
  total_spent_amount bigint not null default 0,
  last_order_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint customers_customer_email_key unique (tenant_id, email)
);
create index customers_customer_created_idx on customers_customer (tenant_id, created_at, id);
select core_tenant_table('customers_customer');

create table customers_group (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  code text not null,
  priority integer not null default 0,
  price_list_code text,
  tax_display text check (tax_display in ('gross', 'net')),
  discount_bp integer check (discount_bp between 0 and 10000),
  tax_exempt boolean not null default false,
  auto_rules jsonb,
  is_default boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index customers_group_code_key on customers_group (tenant_id, lower(code));
create unique index customers_group_is_default_key on customers_group (tenant_id) where is_default;
select core_tenant_table('customers_group');

create table customers_member (
  tenant_id uuid not null references core_tenant (id),
  customer_id uuid not null,
  group_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, customer_id, group_id),
  foreign key (tenant_id, customer_id) references customers_customer (tenant_id, id) on delete cascade,
  foreign key (tenant_id, group_id) references customers_group (tenant_id, id) on delete cascade
);
create index customers_member_group_idx on customers_member (tenant_id, group_id);
select core_tenant_table('customers_member');

create table customers_address (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  customer_id uuid not null,
  fingerprint text not null,
  address jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint customers_address_fingerprint_key unique (tenant_id, customer_id, fingerprint),
  foreign key (tenant_id, customer_id) references customers_customer (tenant_id, id) on delete cascade
);
select core_tenant_table('customers_address');

create table customers_preference (
  tenant_id uuid not null references core_tenant (id),
  customer_id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'push')),
  event text not null,
  enabled boolean not null,
  primary key (tenant_id, customer_id, channel, event),
  foreign key (tenant_id, customer_id) references customers_customer (tenant_id, id) on delete cascade
);
select core_tenant_table('customers_preference');

create table customers_consent (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  purpose text not null,
  granted boolean not null,
  text_version text not null,
  subject text not null,
  customer_id uuid,
  network text,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index customers_consent_subject_idx on customers_consent (tenant_id, subject, created_at);
create index customers_consent_customer_idx on customers_consent (tenant_id, customer_id, created_at);
select core_tenant_table('customers_consent', true);

-- An order counts once in a customer's figures, however often its event is delivered; a cancelled one takes back what was counted.
create table customers_counted_order (
  tenant_id uuid not null references core_tenant (id),
  order_id uuid not null,
  customer_id uuid not null,
  amount bigint not null default 0,
  created_at timestamptz not null,
  primary key (tenant_id, order_id)
);
select core_tenant_table('customers_counted_order');
