create table payments_payment_method (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  code text not null,
  name jsonb not null,
  provider text not null check (provider in ('payment-a', 'payment-b', 'payment-c', 'cod', 'bank_transfer', 'manual', 'gift_card', 'on_account')),
  -- Secrets inside are sealed.
  config jsonb not null,
  enabled boolean not null,
  position integer not null,
  min_total_amount bigint,
  min_total_currency char(3),
  max_total_amount bigint,
  max_total_currency char(3),
  countries jsonb not null,
  currencies jsonb not null,
  customer_group_ids jsonb not null,
  fee jsonb,
  capture text not null check (capture in ('auto', 'manual')),
  instructions jsonb,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index payments_payment_method_code_key on payments_payment_method (tenant_id, lower(code)) where deleted_at is null;
create index payments_payment_method_position_idx on payments_payment_method (tenant_id, position);
select core_tenant_table('payments_payment_method');

create table payments_payment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  -- What is paid: `orders.order`, or a thing of another plugin.
  for_type text not null,
  for_id uuid not null,
  method_id uuid not null,
  method_code text not null,
  provider text not null,
  provider_ref text,
  status text not null check (status in ('created', 'requires_action', 'authorized', 'captured', 'partially_captured', 'voided', 'failed', 'expired', 'cancelled')),
  amount_amount bigint not null check (amount_amount > 0),
  amount_currency char(3) not null,
  -- What the provider was asked for. `amount` may become lower by an order edit.
  intent_amount bigint not null check (intent_amount > 0),
  authorized_amount bigint not null check (authorized_amount >= 0),
  captured_amount bigint not null check (captured_amount >= 0),
  refunded_amount bigint not null check (refunded_amount >= 0 and refunded_amount <= captured_amount),
  capture text not null check (capture in ('auto', 'manual')),
  expires_at timestamptz,
  error text,
  client_secret text,
  redirect_url text,
  return_url text,
  email text,
  description text not null,
  locale text not null,
  customer_id uuid,
  save_instrument boolean not null,
  instrument_id uuid,
  released text check (released in ('refund', 'keep')),
  given_back boolean not null,
  voiding boolean not null,
  reference text,
  claimed_at timestamptz,
  -- When the provider was last asked, answered or not.
  checked_at timestamptz,
  -- When the repair job last looked whether its money has a place.
  placed_checked_at timestamptz,
  authorized_at timestamptz,
  captured_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint payments_payment_provider_provider_ref_key unique (tenant_id, provider, provider_ref),
  foreign key (tenant_id, method_id) references payments_payment_method (tenant_id, id)
);
-- One payment at a time waits for the buyer of a thing.
create unique index payments_payment_waiting_key on payments_payment (tenant_id, for_type, for_id) where status in ('created', 'requires_action');
create index payments_payment_for_idx on payments_payment (tenant_id, for_type, for_id, id);
create index payments_payment_method_idx on payments_payment (tenant_id, method_id);
create index payments_payment_customer_idx on payments_payment (tenant_id, customer_id);
create index payments_payment_email_idx on payments_payment (tenant_id, email);
create index payments_payment_open_idx on payments_payment (tenant_id, created_at) where status in ('created', 'requires_action', 'authorized', 'partially_captured') or voiding;
create index payments_payment_captured_idx on payments_payment (tenant_id, captured_at);
select core_tenant_table('payments_payment');

create table payments_refund (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  payment_id uuid not null,
  amount_amount bigint not null check (amount_amount > 0),
  amount_currency char(3) not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  reason text not null,
  method text not null check (method in ('original', 'store_credit', 'gift_card', 'manual')),
  -- Natural key of the wish: a repeated one finds its refund.
  key text not null,
  group_id uuid,
  provider_ref text,
  requested_by text,
  error text,
  attempts integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint payments_refund_key_key unique (tenant_id, key),
  foreign key (tenant_id, payment_id) references payments_payment (tenant_id, id)
);
create index payments_refund_payment_idx on payments_refund (tenant_id, payment_id, id);
create index payments_refund_pending_idx on payments_refund (tenant_id, created_at) where status = 'pending';
select core_tenant_table('payments_refund');

-- Shares of a payment that are taken as goods ship.
create table payments_capture (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  payment_id uuid not null,
  fulfillment_id uuid not null,
  lines jsonb not null,
  -- Null: the rest, known when it is taken.
  amount bigint check (amount >= 0),
  final boolean not null,
  status text not null check (status in ('pending', 'succeeded', 'deferred', 'failed', 'cancelled')),
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint payments_capture_payment_id_fulfillment_id_key unique (tenant_id, payment_id, fulfillment_id),
  foreign key (tenant_id, payment_id) references payments_payment (tenant_id, id)
);
create index payments_capture_pending_idx on payments_capture (tenant_id, created_at) where status = 'pending';
select core_tenant_table('payments_capture');

create table payments_instrument (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  customer_id uuid not null,
  method_id uuid not null,
  provider text not null,
  token text not null,
  -- Digest of the token: the same card is kept once.
  token_hash text not null,
  brand text not null,
  last4 text not null,
  expiry text,
  used_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint payments_instrument_customer_id_token_hash_key unique (tenant_id, customer_id, token_hash),
  foreign key (tenant_id, method_id) references payments_payment_method (tenant_id, id)
);
select core_tenant_table('payments_instrument');

-- Notifications about money that this shop knows nothing of.
create table payments_dead_letter (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  provider text not null,
  event_id text not null,
  event_type text not null,
  provider_ref text,
  reason text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint payments_dead_letter_provider_event_id_key unique (tenant_id, provider, event_id)
);
select core_tenant_table('payments_dead_letter', true);
