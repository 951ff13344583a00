create table restaurant_menu_category (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  sort_order integer not null,
  is_active boolean not null,
  available_days jsonb not null,
  available_from time,
  available_to time,
  reason text,
  -- Another row took its place.
  superseded_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index restaurant_menu_category_name_key on restaurant_menu_category (tenant_id, lower(name)) where superseded_at is null;
create index restaurant_menu_category_sort_idx on restaurant_menu_category (tenant_id, sort_order, id);
select core_tenant_table('restaurant_menu_category');

create table restaurant_menu_item (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  category_id uuid not null,
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  sku text,
  description text,
  allergens jsonb not null,
  dietary jsonb not null,
  station text not null check (station in ('kitchen', 'bar')),
  prep_min integer check (prep_min >= 0),
  modifier_groups jsonb not null,
  tax_category_id uuid,
  -- Null: not counted.
  stock_qty integer check (stock_qty >= 0),
  is_available boolean not null,
  archived boolean not null,
  image text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, category_id) references restaurant_menu_category (tenant_id, id)
);
create index restaurant_menu_item_name_idx on restaurant_menu_item (tenant_id, name, id);
create index restaurant_menu_item_category_idx on restaurant_menu_item (tenant_id, category_id);
select core_tenant_table('restaurant_menu_item');

create table restaurant_table (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  label text not null,
  area text,
  seats_min integer not null check (seats_min >= 1),
  seats integer not null check (seats >= 1),
  extra_seats integer not null check (extra_seats >= 0),
  combinable_with jsonb not null,
  is_reservable boolean not null,
  priority integer not null check (priority >= 0),
  is_active boolean not null,
  -- What is known by hand; who sits there and who comes is asked of checks and reservations.
  occupancy text not null check (occupancy in ('free', 'dirty', 'out_of_service')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index restaurant_table_label_key on restaurant_table (tenant_id, lower(coalesce(area, '')), lower(label));
create index restaurant_table_created_idx on restaurant_table (tenant_id, created_at, id);
select core_tenant_table('restaurant_table');

create table restaurant_reservation (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  phone text,
  email text,
  party_size integer not null check (party_size >= 1),
  starts_at timestamptz not null,
  duration_min integer not null check (duration_min >= 1),
  ends_at timestamptz not null,
  table_ids jsonb not null,
  area text,
  occasion text,
  notes text,
  source text not null check (source in ('web', 'phone', 'walkin')),
  reference text not null,
  status text not null check (status in ('pending', 'confirmed', 'declined', 'expired', 'cancelled', 'seated', 'completed', 'no_show')),
  hold_expires_at timestamptz,
  cancel_reason text,
  -- The interval by which its covers are counted.
  slot_at timestamptz not null,
  seated_at timestamptz,
  completed_at timestamptz,
  locale text not null,
  calendar_sequence integer not null default 0,
  manage_token_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (ends_at > starts_at)
);
create unique index restaurant_reservation_reference_key on restaurant_reservation (tenant_id, reference);
create index restaurant_reservation_start_idx on restaurant_reservation (tenant_id, starts_at, id);
create index restaurant_reservation_tables_idx on restaurant_reservation using gin (table_ids jsonb_path_ops);
create index restaurant_reservation_held_idx on restaurant_reservation (hold_expires_at) where status = 'pending';
create index restaurant_reservation_email_idx on restaurant_reservation (tenant_id, lower(email));
create index restaurant_reservation_phone_idx on restaurant_reservation (tenant_id, phone);
create index restaurant_reservation_manage_idx on restaurant_reservation (tenant_id, manage_token_hash) where manage_token_hash is not null;
select core_tenant_table('restaurant_reservation');

-- A table that a reservation has, for as long as it blocks: the row goes when the table is free again.
create table restaurant_seating (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  reservation_id uuid not null,
  table_id uuid not null,
  blocked_from timestamptz not null,
  blocked_until timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, reservation_id) references restaurant_reservation (tenant_id, id),
  foreign key (tenant_id, table_id) references restaurant_table (tenant_id, id)
);
create index restaurant_seating_reservation_idx on restaurant_seating (tenant_id, reservation_id);
select core_tenant_table('restaurant_seating');
select core_exclusion('restaurant_seating', 'table_id', 'blocked_from', 'blocked_until');
select core_counter('restaurant_cover_slot', 'slot timestamptz');

create table restaurant_order (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  number integer not null,
  table_id uuid not null,
  reservation_id uuid,
  covers integer,
  split boolean not null,
  status text not null check (status in ('open', 'sent', 'ready', 'served', 'billed', 'paid', 'cancelled')),
  discount_bp integer not null check (discount_bp between 0 and 10000),
  service_bp integer not null check (service_bp between 0 and 10000),
  subtotal_amount bigint not null,
  subtotal_currency char(3) not null,
  discount_amount bigint not null,
  discount_currency char(3) not null,
  service_amount bigint not null,
  service_currency char(3) not null,
  tip_amount bigint not null check (tip_amount >= 0),
  tip_currency char(3) not null,
  tax_amount bigint not null,
  tax_currency char(3) not null,
  total_amount bigint not null check (total_amount >= 0),
  total_currency char(3) not null,
  opened_by uuid,
  paid_at timestamptz,
  cancel_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, table_id) references restaurant_table (tenant_id, id),
  foreign key (tenant_id, reservation_id) references restaurant_reservation (tenant_id, id)
);
create unique index restaurant_order_number_key on restaurant_order (tenant_id, number);
-- One check a table, unless it is split.
create unique index restaurant_order_open_key on restaurant_order (tenant_id, table_id) where not split and status not in ('paid', 'cancelled');
create index restaurant_order_created_idx on restaurant_order (tenant_id, created_at, id);
create index restaurant_order_table_idx on restaurant_order (tenant_id, table_id, status);
create index restaurant_order_reservation_idx on restaurant_order (tenant_id, reservation_id) where reservation_id is not null;
create index restaurant_order_paid_idx on restaurant_order (tenant_id, paid_at) where paid_at is not null;
select core_tenant_table('restaurant_order');

create table restaurant_order_item (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  -- Of the check, from 1 on.
  round integer not null,
  position integer not null,
  menu_item_id uuid not null,
  name text not null,
  qty integer not null check (qty >= 1),
  -- [{group, option}]
  modifiers jsonb not null,
  note text,
  course integer,
  station text not null,
  -- Snapshots: a new price or rate never touches them.
  unit_price_amount bigint not null check (unit_price_amount >= 0),
  unit_price_currency char(3) not null,
  tax_category_id uuid,
  -- Whether it took of what is in stock.
  counted boolean not null,
  status text not null check (status in ('queued', 'preparing', 'ready', 'served', 'cancelled')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references restaurant_order (tenant_id, id),
  foreign key (tenant_id, menu_item_id) references restaurant_menu_item (tenant_id, id)
);
create index restaurant_order_item_order_idx on restaurant_order_item (tenant_id, order_id, round, position);
create index restaurant_order_item_menu_item_idx on restaurant_order_item (tenant_id, menu_item_id);
select core_tenant_table('restaurant_order_item');

create table restaurant_payment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  method text not null,
  amount_amount bigint not null check (amount_amount > 0),
  amount_currency char(3) not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references restaurant_order (tenant_id, id)
);
create index restaurant_payment_order_idx on restaurant_payment (tenant_id, order_id);
select core_tenant_table('restaurant_payment');

create table restaurant_number (
  tenant_id uuid not null references core_tenant (id),
  series text not null,
  value bigint not null,
  primary key (tenant_id, series)
);
select core_tenant_table('restaurant_number');
