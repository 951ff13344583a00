-- Carts, draft orders, links in mails, and the recovery of abandoned carts.

create table checkout_cart (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  kind text not null default 'cart' check (kind in ('cart', 'one_click')),
  status text not null default 'open' check (status in ('open', 'locked', 'converted', 'abandoned', 'merged', 'expired')),
  token_hash text,
  token_sealed text,
  currency text not null,
  locale text not null,
  customer_id uuid,
  email text,
  lines jsonb not null,
  codes jsonb not null,
  tenders jsonb not null,
  shipping_address jsonb,
  shipping_method_id uuid,
  fx jsonb,
  value_amount bigint not null check (value_amount >= 0),
  value_currency char(3) not null,
  order_id uuid,
  order_token text,
  merged_into uuid,
  last_activity_at timestamptz not null,
  locked_at timestamptz,
  converted_at timestamptz,
  payment_due_at timestamptz,
  metadata jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_cart_token_hash_key unique (tenant_id, token_hash),
  constraint checkout_cart_locked_check check (status <> 'locked' or order_id is not null)
) with (fillfactor = 70);
-- One cart a customer is in use at a time.
create unique index checkout_cart_customer_id_key on checkout_cart (tenant_id, customer_id)
  where kind = 'cart' and status in ('open', 'locked', 'abandoned') and customer_id is not null;
create index checkout_cart_customer_idx on checkout_cart (tenant_id, customer_id, converted_at) where customer_id is not null;
-- Jobs look for carts at rest and for orders whose payment is overdue.
create index checkout_cart_activity_idx on checkout_cart (tenant_id, status, last_activity_at);
create index checkout_cart_payment_due_idx on checkout_cart (tenant_id, payment_due_at) where payment_due_at is not null;
create index checkout_cart_order_idx on checkout_cart (tenant_id, order_id) where order_id is not null;
create index checkout_cart_email_idx on checkout_cart (tenant_id, email) where email is not null;
select core_tenant_table('checkout_cart');

create table checkout_draft_order (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  customer_id uuid,
  email text,
  lines jsonb not null,
  shipping jsonb,
  discount jsonb,
  apply_promotions boolean not null default false,
  currency text not null,
  note text,
  expires_at timestamptz,
  source text not null default 'manual' check (source in ('manual', 'rfq', 'recovery')),
  metadata jsonb,
  status text not null default 'open' check (status in ('open', 'link_sent', 'completed', 'expired', 'deleted')),
  totals jsonb,
  order_id uuid,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index checkout_draft_order_created_idx on checkout_draft_order (tenant_id, created_at);
create index checkout_draft_order_status_idx on checkout_draft_order (tenant_id, status, expires_at);
create index checkout_draft_order_order_idx on checkout_draft_order (tenant_id, order_id) where order_id is not null;
create index checkout_draft_order_customer_idx on checkout_draft_order (tenant_id, customer_id) where customer_id is not null;
create index checkout_draft_order_email_idx on checkout_draft_order (tenant_id, email) where email is not null;
select core_tenant_table('checkout_draft_order');

-- The live order of a draft: its token, and until when it waits for its payment.
create table checkout_draft_placing (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  draft_id uuid not null,
  order_id uuid not null,
  order_token text not null,
  payment_due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_draft_placing_draft_id_key unique (tenant_id, draft_id),
  foreign key (tenant_id, draft_id) references checkout_draft_order (tenant_id, id)
);
create index checkout_draft_placing_payment_due_idx on checkout_draft_placing (tenant_id, payment_due_at) where payment_due_at is not null;
select core_tenant_table('checkout_draft_placing');

create table checkout_link (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  kind text not null check (kind in ('draft', 'recovery')),
  target_id uuid not null,
  token_hash text not null,
  token_sealed text not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_link_token_hash_key unique (tenant_id, token_hash)
);
create unique index checkout_link_target_id_key on checkout_link (tenant_id, target_id) where ended_at is null;
select core_tenant_table('checkout_link');

create table checkout_abandoned_cart (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  cart_id uuid not null,
  email text,
  customer_id uuid,
  value_amount bigint not null check (value_amount >= 0),
  value_currency char(3) not null,
  lines jsonb not null,
  stage integer not null default 0,
  status text not null default 'abandoned' check (status in ('active', 'abandoned', 'reminded', 'recovered', 'lost', 'opted_out')),
  last_activity_at timestamptz not null,
  abandoned_at timestamptz not null,
  reminders jsonb not null,
  reminded_at timestamptz,
  recovered_order_id uuid,
  recovered_at timestamptz,
  -- In the tenant's currency, for figures.
  base_value_amount bigint not null,
  base_value_currency char(3) not null,
  orders_before integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_abandoned_cart_cart_id_key unique (tenant_id, cart_id)
);
create index checkout_abandoned_cart_abandoned_idx on checkout_abandoned_cart (tenant_id, abandoned_at);
create index checkout_abandoned_cart_recovered_idx on checkout_abandoned_cart (tenant_id, recovered_at) where recovered_at is not null;
create index checkout_abandoned_cart_reminded_idx on checkout_abandoned_cart (tenant_id, reminded_at) where reminded_at is not null;
create index checkout_abandoned_cart_email_idx on checkout_abandoned_cart (tenant_id, email) where email is not null;
select core_tenant_table('checkout_abandoned_cart');

-- One row a tenant.
create table checkout_recovery_config (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  enabled boolean not null default false,
  idle_minutes integer not null default 60,
  steps jsonb not null,
  max_per30_days integer not null default 3,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_recovery_config_tenant_id_key unique (tenant_id)
);
select core_tenant_table('checkout_recovery_config');

-- Who wants no more recovery mails; the address is not readable.
create table checkout_recovery_optout (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  email_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint checkout_recovery_optout_email_hash_key unique (tenant_id, email_hash)
);
select core_tenant_table('checkout_recovery_optout');
