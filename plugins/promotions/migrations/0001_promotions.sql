create table promotions_promotion (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  code text,
  stage text not null check (stage in ('catalog', 'cart')),
  type text not null check (type in ('percentage', 'fixed_amount', 'fixed_price', 'free_shipping', 'buy_x_get_y', 'gift_item', 'tiered')),
  target text not null check (target in ('order', 'items', 'shipping')),
  value jsonb not null,
  basis text check (basis in ('amount', 'quantity')),
  allocation text not null check (allocation in ('each', 'across')),
  conditions jsonb not null,
  excluded_product_ids jsonb not null,
  exclude_sale_items boolean not null,
  buy jsonb,
  "get" jsonb,
  max_applications_per_order integer check (max_applications_per_order > 0),
  max_units integer check (max_units > 0),
  max_discount_amount bigint check (max_discount_amount > 0),
  max_discount_currency char(3),
  usage_limit integer check (usage_limit > 0),
  usage_limit_per_customer integer check (usage_limit_per_customer > 0),
  budget_amount bigint check (budget_amount > 0),
  budget_currency char(3),
  starts_at timestamptz,
  ends_at timestamptz,
  priority integer not null,
  exclusive boolean not null,
  combine_with jsonb not null,
  stop_further boolean not null,
  enabled boolean not null,
  archived boolean not null,
  reusable_after_cancel boolean not null,
  show_to_public boolean not null,
  metadata jsonb,
  -- Asks for a code: its own, or single-use ones. False: applies by itself.
  coded boolean not null,
  -- When it was last switched on. Never: a draft.
  enabled_at timestamptz,
  -- Its row is updated by every order that uses it. Others are only locked against changes, so that orders don't wait for each other.
  limited boolean not null generated always as
    (usage_limit is not null or usage_limit_per_customer is not null or budget_amount is not null) stored,
  -- What the limits are compared with; kept while it is limited, counted afresh when it becomes so.
  used_count integer not null default 0 check (used_count >= 0),
  used_amount bigint not null default 0 check (used_amount >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (starts_at < ends_at)
);
create index promotions_promotion_created_idx on promotions_promotion (tenant_id, created_at, id);
create index promotions_promotion_automatic_idx on promotions_promotion (tenant_id) where enabled and not archived and not coded;
select core_tenant_table('promotions_promotion');

-- One name space for shared codes and single-use ones.
create table promotions_code (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  promotion_id uuid not null,
  code text not null,
  -- In capitals, without outer blanks.
  code_key text not null,
  shared boolean not null,
  -- Given out one by one, not listed with the promotion.
  issued boolean not null,
  customer_id uuid,
  used_at timestamptz,
  archived boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, promotion_id) references promotions_promotion (tenant_id, id) on delete cascade
);
create unique index promotions_code_code_key on promotions_code (tenant_id, code_key) where not archived;
create index promotions_code_promotion_idx on promotions_code (tenant_id, promotion_id);
create index promotions_code_customer_idx on promotions_code (tenant_id, customer_id) where customer_id is not null;
select core_tenant_table('promotions_code');

create table promotions_usage (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  promotion_id uuid not null,
  order_id uuid,
  -- A sale outside checkout.
  reference text,
  customer_id uuid,
  email_hash text,
  code_id uuid,
  code text,
  discount_amount bigint not null check (discount_amount >= 0),
  discount_currency char(3) not null,
  -- The same in the shop's currency, at the order's rate.
  base_discount_amount bigint not null check (base_discount_amount >= 0),
  base_discount_currency char(3) not null,
  reverted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, promotion_id) references promotions_promotion (tenant_id, id),
  check ((order_id is null) <> (reference is null)),
  constraint promotions_usage_order_id_key unique (tenant_id, promotion_id, order_id),
  constraint promotions_usage_reference_key unique (tenant_id, promotion_id, reference)
);
create index promotions_usage_order_idx on promotions_usage (tenant_id, order_id);
create index promotions_usage_live_idx on promotions_usage (tenant_id, promotion_id)
  include (discount_amount, discount_currency, base_discount_amount) where reverted_at is null;
create index promotions_usage_customer_idx on promotions_usage (tenant_id, customer_id, promotion_id) where customer_id is not null;
create index promotions_usage_email_idx on promotions_usage (tenant_id, email_hash, promotion_id) where email_hash is not null;
select core_tenant_table('promotions_usage');

-- Changes with every write to a promotion: processes keep the automatic ones in memory under it. No row: the shop has none.
create table promotions_revision (
  tenant_id uuid not null references core_tenant (id),
  revision uuid not null,
  primary key (tenant_id)
);
select core_tenant_table('promotions_revision');
