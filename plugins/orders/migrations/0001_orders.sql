-- Orders, their lines, price revisions, fulfilments, refunds, documents and notes.

create table orders_order (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  number text not null,
  cart_id uuid,
  draft_id uuid,
  status text not null check (status in ('pending', 'confirmed', 'processing', 'shipped', 'delivered', 'completed', 'on_hold', 'cancelled')),
  previous_status text check (previous_status in ('pending', 'confirmed', 'processing')),
  hold_reason text,
  cancel_reason text,
  payment_status text not null check (payment_status in ('unpaid', 'authorized', 'partially_paid', 'paid', 'overpaid', 'partially_refunded', 'refunded', 'voided')),
  fulfillment_status text not null check (fulfillment_status in ('not_required', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'partially_shipped', 'shipped', 'partially_delivered', 'delivered', 'partially_returned', 'returned')),
  channel text not null check (channel in ('web', 'pos', 'marketplace', 'draft', 'b2b', 'subscription')),
  channel_ref text,
  customer_id uuid,
  email text not null,
  phone text,
  locale text not null,
  currency char(3) not null,
  price_mode text not null check (price_mode in ('gross', 'net')),
  billing_address jsonb not null,
  shipping_address jsonb,
  country text not null,
  revision integer not null,
  total_amount bigint not null check (total_amount >= 0),
  total_currency char(3) not null,
  amount_due_amount bigint not null check (amount_due_amount >= 0),
  amount_due_currency char(3) not null,
  captured_amount bigint not null check (captured_amount >= 0),
  captured_currency char(3) not null,
  -- P9, last line of defence: never more back than came in.
  refunded_amount bigint not null check (refunded_amount >= 0),
  refunded_currency char(3) not null,
  tendered_amount bigint not null check (tendered_amount >= 0),
  tendered_currency char(3) not null,
  payment_method text,
  paid_later boolean not null,
  notes text,
  po_number text,
  ip text,
  user_agent text,
  utm jsonb,
  metadata jsonb,
  token_hash text not null,
  token_expires_at timestamptz not null,
  search_text text not null,
  placed_at timestamptz not null,
  paid_at timestamptz,
  shipped_at timestamptz,
  delivered_at timestamptz,
  completed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint orders_order_number_key unique (tenant_id, number),
  constraint orders_order_refunded_check check (refunded_amount <= captured_amount + tendered_amount),
  check ((status = 'on_hold') = (previous_status is not null)),
  check (currency = total_currency and currency = amount_due_currency and currency = captured_currency and currency = refunded_currency and currency = tendered_currency)
);
-- One live order a cart, one a draft: key or no key.
create unique index orders_order_cart_id_key on orders_order (tenant_id, cart_id) where cart_id is not null and status <> 'cancelled';
create unique index orders_order_draft_id_key on orders_order (tenant_id, draft_id) where draft_id is not null and status <> 'cancelled';
create index orders_order_placed_idx on orders_order (tenant_id, placed_at, id);
create index orders_order_total_idx on orders_order (tenant_id, total_amount, id);
create index orders_order_status_idx on orders_order (tenant_id, status, placed_at, id);
create index orders_order_payment_idx on orders_order (tenant_id, payment_status, placed_at, id);
create index orders_order_fulfillment_idx on orders_order (tenant_id, fulfillment_status, placed_at, id);
create index orders_order_customer_idx on orders_order (tenant_id, customer_id, placed_at, id) where customer_id is not null;
create index orders_order_email_idx on orders_order (tenant_id, email, placed_at, id);
create index orders_order_delivered_idx on orders_order (tenant_id, delivered_at) where status = 'delivered';
create index orders_order_search_idx on orders_order using gist (tenant_id, search_text gist_trgm_ops);
select core_tenant_table('orders_order');

-- Text operators aren't leakproof, so no index serves them under row-level security; the platform role's policy folds away.
create function orders_order_search(pattern text, most integer) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public
  as $$ select o.id from public.orders_order o
        where o.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid and o.search_text like public.core_unaccent(pattern)
        limit least(greatest(most, 0), 10000) $$;
alter function orders_order_search(text, integer) owner to storeloom_platform;
revoke all on function orders_order_search(text, integer) from public;
grant execute on function orders_order_search(text, integer) to storeloom_app;

create table orders_line (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  position integer not null,
  kind text not null,
  variant_id uuid,
  product_id uuid,
  sku text,
  title text not null,
  image text,
  ships boolean not null,
  weight_g integer not null check (weight_g >= 0),
  tax_category_id uuid,
  children jsonb,
  data jsonb,
  options jsonb,
  custom jsonb,
  facts jsonb,
  quantity integer not null check (quantity >= 0),
  quantity_fulfilled integer not null default 0 check (quantity_fulfilled >= 0),
  quantity_shipped integer not null default 0 check (quantity_shipped >= 0),
  quantity_delivered integer not null default 0 check (quantity_delivered >= 0),
  quantity_returned integer not null default 0 check (quantity_returned >= 0),
  quantity_cancelled integer not null default 0 check (quantity_cancelled >= 0),
  quantity_refunded integer not null default 0 check (quantity_refunded >= 0),
  quantity_restocked integer not null default 0 check (quantity_restocked >= 0),
  removed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id),
  check (quantity_fulfilled + quantity_cancelled <= quantity),
  check (quantity_shipped <= quantity_fulfilled),
  check (quantity_delivered <= quantity_shipped),
  check (quantity_returned <= quantity_shipped),
  check (quantity_restocked <= quantity_shipped),
  check (quantity_refunded <= quantity)
);
create index orders_line_order_idx on orders_line (tenant_id, order_id, position);
create index orders_line_variant_idx on orders_line (tenant_id, variant_id) where variant_id is not null;
create index orders_line_product_idx on orders_line (tenant_id, product_id) where product_id is not null;
select core_tenant_table('orders_line');

create table orders_revision (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  revision integer not null,
  -- Text: a trace replays byte for byte, and jsonb would sort its members.
  sheet text not null,
  pricing jsonb not null,
  reason text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint orders_revision_key unique (tenant_id, order_id, revision),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
select core_tenant_table('orders_revision', true);

create table orders_fulfillment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  status text not null check (status in ('pending', 'packed', 'shipped', 'delivered', 'failed_delivery', 'returned_to_sender', 'cancelled')),
  warehouse_id uuid,
  awb_number text,
  tracking_number text,
  carrier text,
  packed_at timestamptz,
  shipped_at timestamptz,
  delivered_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
create index orders_fulfillment_order_idx on orders_fulfillment (tenant_id, order_id);
create index orders_fulfillment_open_idx on orders_fulfillment (tenant_id, warehouse_id) where status in ('pending', 'packed');
select core_tenant_table('orders_fulfillment');

create table orders_fulfillment_line (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  fulfillment_id uuid not null,
  order_id uuid not null,
  line_id uuid not null,
  quantity integer not null check (quantity > 0),
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint orders_fulfillment_line_key unique (tenant_id, fulfillment_id, line_id),
  foreign key (tenant_id, fulfillment_id) references orders_fulfillment (tenant_id, id),
  foreign key (tenant_id, line_id) references orders_line (tenant_id, id)
);
create index orders_fulfillment_line_order_idx on orders_fulfillment_line (tenant_id, order_id);
select core_tenant_table('orders_fulfillment_line', true);

create table orders_refund (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  amount_amount bigint not null check (amount_amount > 0),
  amount_currency char(3) not null,
  tax_amount bigint not null,
  tax_currency char(3) not null,
  method text not null check (method in ('original', 'store_credit', 'gift_card', 'manual')),
  payment_id uuid,
  allocations jsonb not null,
  preview jsonb not null,
  lines jsonb not null,
  reason text not null,
  by text,
  settled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
create index orders_refund_order_idx on orders_refund (tenant_id, order_id, created_at);
select core_tenant_table('orders_refund');

create table orders_invoice (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  kind text not null check (kind in ('invoice', 'credit_note', 'proforma')),
  series text not null,
  sequence integer not null check (sequence > 0),
  number text not null,
  original_invoice_id uuid,
  refund_id uuid,
  issued_at timestamptz not null,
  due_at timestamptz,
  total_amount bigint not null check (total_amount >= 0),
  total_currency char(3) not null,
  document jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint orders_invoice_sequence_key unique (tenant_id, series, sequence),
  constraint orders_invoice_number_key unique (tenant_id, number),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id),
  foreign key (tenant_id, original_invoice_id) references orders_invoice (tenant_id, id),
  foreign key (tenant_id, refund_id) references orders_refund (tenant_id, id),
  check ((kind = 'credit_note') = (original_invoice_id is not null))
);
create unique index orders_invoice_refund_id_key on orders_invoice (tenant_id, refund_id) where refund_id is not null;
create index orders_invoice_order_idx on orders_invoice (tenant_id, order_id, issued_at);
create index orders_invoice_issued_idx on orders_invoice (tenant_id, issued_at, id);
select core_tenant_table('orders_invoice', true);

create table orders_invoice_state (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  invoice_id uuid not null,
  efactura_status text,
  locks boolean not null default false,
  sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint orders_invoice_state_invoice_id_key unique (tenant_id, invoice_id),
  foreign key (tenant_id, invoice_id) references orders_invoice (tenant_id, id)
);
select core_tenant_table('orders_invoice_state');

create table orders_internal_note (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  text text not null,
  by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
create index orders_internal_note_order_idx on orders_internal_note (tenant_id, order_id, created_at);
select core_tenant_table('orders_internal_note');

create table orders_history (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  from_status text,
  to_status text not null,
  actor_type text not null,
  actor_id text,
  reason text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
create index orders_history_order_idx on orders_history (tenant_id, order_id, created_at, id);
select core_tenant_table('orders_history', true);

create table orders_settlement (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  status text not null,
  captured_amount_amount bigint not null,
  captured_amount_currency char(3) not null,
  authorized_amount_amount bigint not null,
  authorized_amount_currency char(3) not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint orders_settlement_key unique (tenant_id, payment_id, status, captured_amount_amount, authorized_amount_amount),
  foreign key (tenant_id, order_id) references orders_order (tenant_id, id)
);
select core_tenant_table('orders_settlement', true);

-- Counters. Order numbers may have gaps; a document's series has none: its row is locked until the issuing transaction ends.
create table orders_number (
  tenant_id uuid not null references core_tenant (id),
  series text not null,
  value bigint not null,
  primary key (tenant_id, series)
);
select core_tenant_table('orders_number');
create table orders_invoice_number (
  tenant_id uuid not null references core_tenant (id),
  series text not null,
  value bigint not null,
  primary key (tenant_id, series)
);
select core_tenant_table('orders_invoice_number');
