create table shipping_zone (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  -- ISO 3166-1 alpha-2.
  countries jsonb not null,
  regions jsonb not null,
  postal_code_patterns jsonb not null,
  priority integer not null default 0,
  rest_of_world boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index shipping_zone_created_idx on shipping_zone (tenant_id, created_at desc, id desc);
select core_tenant_table('shipping_zone');

create table shipping_method (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  code text not null,
  name jsonb not null,
  type text not null check (type in ('flat', 'per_item', 'weight', 'price', 'carrier', 'pickup')),
  zone_ids jsonb not null,
  carrier text check (carrier in ('carrier-a', 'carrier-b', 'carrier-c')),
  service_code text,
  tax_category_id uuid,
  handling_days integer check (handling_days >= 0),
  eta_min_days integer check (eta_min_days >= 0),
  eta_max_days integer check (eta_max_days >= eta_min_days),
  enabled boolean not null default true,
  position integer not null default 0,
  price_amount bigint check (price_amount >= 0),
  price_currency char(3),
  free_over_amount bigint check (free_over_amount >= 0),
  free_over_currency char(3),
  cod_fee_amount bigint check (cod_fee_amount >= 0),
  cod_fee_currency char(3),
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index shipping_method_code_key on shipping_method (tenant_id, lower(code)) where deleted_at is null;
create index shipping_method_position_idx on shipping_method (tenant_id, position, id);
select core_tenant_table('shipping_method');

create table shipping_rate (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  zone_id uuid not null,
  method_id uuid not null,
  -- Grams, items or minor units by the method's type; half-open, no upper end when empty.
  min bigint not null check (min >= 0),
  max bigint check (max > min),
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  free_over_amount bigint check (free_over_amount >= 0),
  free_over_currency char(3),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, zone_id) references shipping_zone (tenant_id, id) on delete cascade,
  foreign key (tenant_id, method_id) references shipping_method (tenant_id, id),
  -- One price for a measure, in each currency.
  constraint shipping_rate_range_excl exclude using gist (
    tenant_id with =, zone_id with =, method_id with =, price_currency with =, int8range(min, max, '[)') with &&
  )
);
create index shipping_rate_zone_idx on shipping_rate (tenant_id, zone_id, method_id, min, id);
create index shipping_rate_method_idx on shipping_rate (tenant_id, method_id);
select core_tenant_table('shipping_rate');

-- The tenant's account at a carrier. Secrets are sealed.
create table shipping_carrier (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  provider text not null check (provider in ('carrier-a', 'carrier-b', 'carrier-c')),
  enabled boolean not null,
  credentials jsonb not null,
  sender jsonb,
  services jsonb not null,
  webhook_secret text,
  -- Of the secret before, until callers have the new one.
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz,
  mode text not null check (mode in ('test', 'live')),
  verification text not null check (verification in ('secret', 'basic', 'hmac', 'ip_list')),
  allowed_ips jsonb not null,
  healthy boolean,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint shipping_carrier_provider_key unique (tenant_id, provider)
);
select core_tenant_table('shipping_carrier');

create table shipping_awb (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  -- Empty where the parcel was gone before its AWB came: such a one is cancelled.
  fulfillment_id uuid,
  provider text not null check (provider in ('carrier-a', 'carrier-b', 'carrier-c')),
  awb_number text not null,
  service_code text,
  status text not null check (status in ('created', 'label_printed', 'picked_up', 'in_transit', 'out_for_delivery', 'delivered', 'failed_attempt', 'returned', 'cancelled')),
  parcels jsonb not null,
  cod_amount bigint,
  cod_currency char(3),
  declared_value_amount bigint,
  declared_value_currency char(3),
  pickup_point_id text,
  price_amount bigint,
  price_currency char(3),
  tracked_at timestamptz,
  -- When it was last asked for, answered or not.
  track_tried_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint shipping_awb_provider_awb_number_key unique (tenant_id, provider, awb_number)
);
create unique index shipping_awb_fulfillment_id_key on shipping_awb (tenant_id, fulfillment_id) where status <> 'cancelled';
create index shipping_awb_order_idx on shipping_awb (tenant_id, order_id, id);
create index shipping_awb_number_idx on shipping_awb (tenant_id, awb_number);
create index shipping_awb_open_idx on shipping_awb (tenant_id, provider, track_tried_at) where status not in ('delivered', 'returned', 'cancelled');
select core_tenant_table('shipping_awb');

-- An AWB that was asked for and has no answer yet. Its id is the carrier's idempotency key.
create table shipping_awb_request (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  -- Empty: a parcel of all that is left, made when the AWB is there.
  fulfillment_id uuid,
  lines jsonb not null,
  provider text not null check (provider in ('carrier-a', 'carrier-b', 'carrier-c')),
  body jsonb not null,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index shipping_awb_request_parcel_key on shipping_awb_request (tenant_id, order_id, coalesce(fulfillment_id, order_id));
select core_tenant_table('shipping_awb_request');

create table shipping_awb_event (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  awb_id uuid not null,
  code text not null,
  status text not null,
  at timestamptz not null,
  location text,
  description text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, awb_id) references shipping_awb (tenant_id, id),
  constraint shipping_awb_event_awb_id_at_code_key unique (tenant_id, awb_id, at, code)
);
select core_tenant_table('shipping_awb_event', true);

-- What carriers told about AWBs that the shop doesn't know.
create table shipping_unknown_event (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  provider text not null check (provider in ('carrier-a', 'carrier-b', 'carrier-c')),
  awb_number text not null,
  code text not null,
  status text not null,
  at timestamptz not null,
  location text,
  description text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint shipping_unknown_event_provider_awb_number_at_code_key unique (tenant_id, provider, awb_number, at, code)
);
create index shipping_unknown_event_created_idx on shipping_unknown_event (tenant_id, created_at desc, id desc);
select core_tenant_table('shipping_unknown_event', true);
