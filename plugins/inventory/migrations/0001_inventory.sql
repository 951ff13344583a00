create table inventory_warehouse (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  code text not null,
  address jsonb,
  active boolean not null,
  priority integer not null,
  pickup_enabled boolean not null,
  countries jsonb,
  is_default boolean not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (active or not is_default)
);
create unique index inventory_warehouse_code_key on inventory_warehouse (tenant_id, lower(code)) where deleted_at is null;
create unique index inventory_warehouse_is_default_key on inventory_warehouse (tenant_id) where is_default and deleted_at is null;
create index inventory_warehouse_priority_idx on inventory_warehouse (tenant_id, priority, id);
select core_tenant_table('inventory_warehouse');

-- Room on the page for the next version of a row: a sale changes no indexed column, so no index is touched.
create table inventory_level (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  variant_id uuid not null,
  warehouse_id uuid not null,
  on_hand integer not null check (on_hand >= 0),
  -- Units of active reservations; `backordered` of them wait for a receipt.
  reserved integer not null check (reserved >= 0),
  backordered integer not null check (backordered >= 0),
  incoming integer not null check (incoming >= 0),
  safety_stock integer not null check (safety_stock >= 0),
  reorder_point integer check (reorder_point >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint inventory_level_variant_id_warehouse_id_key unique (tenant_id, variant_id, warehouse_id),
  foreign key (tenant_id, warehouse_id) references inventory_warehouse (tenant_id, id),
  check (backordered <= reserved),
  check (reserved - backordered <= on_hand)
) with (fillfactor = 70);
create index inventory_level_warehouse_idx on inventory_level (tenant_id, warehouse_id);
create index inventory_level_created_idx on inventory_level (tenant_id, created_at, id);
select core_tenant_table('inventory_level');

create table inventory_movement (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  level_id uuid not null,
  variant_id uuid not null,
  warehouse_id uuid not null,
  delta integer not null check (delta <> 0),
  reason text not null check (reason in ('received', 'damage', 'count', 'correction', 'return', 'sale', 'restock')),
  before integer not null check (before >= 0),
  after integer not null check (after >= 0),
  actor_type text not null,
  actor_id text,
  reference text,
  note text,
  -- What made it (a fulfilment, a refund): moves a level once.
  source text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  check (after = before + delta)
);
create unique index inventory_movement_source_key on inventory_movement (tenant_id, level_id, source) where source is not null;
create index inventory_movement_variant_idx on inventory_movement (tenant_id, variant_id, created_at, id);
select core_tenant_table('inventory_movement', true);

create table inventory_reservation (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  order_line_id uuid not null,
  level_id uuid not null,
  variant_id uuid not null,
  warehouse_id uuid not null,
  quantity integer not null check (quantity > 0),
  backordered integer not null check (backordered between 0 and quantity),
  -- Units that left and are on the shelf again.
  restocked integer not null check (restocked between 0 and quantity),
  state text not null check (state in ('active', 'committed', 'released', 'expired')),
  country text,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, level_id) references inventory_level (tenant_id, id),
  check (state = 'active' or backordered = 0),
  check (state = 'committed' or restocked = 0)
);
create index inventory_reservation_order_idx on inventory_reservation (tenant_id, order_id);
create index inventory_reservation_waiting_idx on inventory_reservation (tenant_id, variant_id, created_at, id) where backordered > 0;
create index inventory_reservation_expiry_idx on inventory_reservation (tenant_id, expires_at) where state = 'active' and expires_at is not null;
select core_tenant_table('inventory_reservation');

create table inventory_back_in_stock (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  variant_id uuid not null,
  email text not null,
  locale text not null,
  -- Components of a bundle, whose stock decides; empty for anything else.
  parts jsonb not null,
  -- Not told of the present stock yet.
  due boolean not null,
  told_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint inventory_back_in_stock_variant_id_email_key unique (tenant_id, variant_id, email)
);
create index inventory_back_in_stock_bundle_idx on inventory_back_in_stock (tenant_id, variant_id) where parts <> '[]';
create index inventory_back_in_stock_email_idx on inventory_back_in_stock (tenant_id, email);
select core_tenant_table('inventory_back_in_stock');
