create table events_event (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  title text not null,
  slug text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  timezone text not null,
  -- {name, address, onlineUrl}
  venue jsonb not null,
  -- Null: no limit.
  capacity integer check (capacity >= 0),
  doors_at timestamptz,
  sales_start timestamptz,
  sales_end timestamptz,
  reentry boolean not null,
  description text,
  cover text,
  status text not null check (status in ('draft', 'published', 'postponed', 'cancelled', 'completed')),
  -- Raised whenever the appointment changes or ends: SEQUENCE of its calendar entry.
  calendar_sequence integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  deleted_at timestamptz,
  primary key (tenant_id, id),
  check (ends_at > starts_at)
);
create unique index events_event_slug_key on events_event (tenant_id, lower(slug)) where deleted_at is null;
create index events_event_created_idx on events_event (tenant_id, created_at, id);
create index events_event_starts_idx on events_event (tenant_id, starts_at, id);
select core_tenant_table('events_event');

create table events_speaker (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  event_id uuid not null,
  name text not null,
  title text,
  bio text,
  photo text,
  "order" integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events_event (tenant_id, id)
);
create index events_speaker_event_idx on events_speaker (tenant_id, event_id, "order", id);
select core_tenant_table('events_speaker');

create table events_sponsor (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  event_id uuid not null,
  name text not null,
  tier text,
  logo text,
  url text,
  amount_amount bigint,
  amount_currency char(3),
  "order" integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events_event (tenant_id, id)
);
create index events_sponsor_event_idx on events_sponsor (tenant_id, event_id, "order", id);
select core_tenant_table('events_sponsor');

create table events_ticket_type (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  event_id uuid not null,
  name text not null,
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  -- Null: no limit.
  quantity integer check (quantity >= 0),
  sales_start timestamptz,
  sales_end timestamptz,
  min_per_order integer not null,
  max_per_order integer not null,
  valid_from timestamptz,
  valid_until timestamptz,
  hidden boolean not null,
  "order" integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events_event (tenant_id, id)
);
create unique index events_ticket_type_name_key on events_ticket_type (tenant_id, event_id, lower(name));
create index events_ticket_type_event_idx on events_ticket_type (tenant_id, event_id, "order", id);
select core_tenant_table('events_ticket_type');

create table events_purchase (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  event_id uuid not null,
  order_ref text not null,
  status text not null check (status in ('reserved', 'paid', 'expired', 'cancelled', 'refunded')),
  buyer_name text not null,
  buyer_email text not null,
  buyer_phone text,
  customer_id uuid,
  locale text not null,
  coupon text,
  discount_amount bigint not null,
  discount_currency char(3) not null,
  tax_amount bigint not null,
  tax_currency char(3) not null,
  total_amount bigint not null,
  total_currency char(3) not null,
  refunded_amount bigint not null,
  refunded_currency char(3) not null,
  hold_expires_at timestamptz,
  -- The buyer was sent to pay.
  payment_started boolean not null,
  -- Money came after the hold, and the places were gone.
  refund_due boolean not null,
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events_event (tenant_id, id)
);
create unique index events_purchase_ref_key on events_purchase (tenant_id, order_ref);
create index events_purchase_held_idx on events_purchase (tenant_id, hold_expires_at) where status = 'reserved';
create index events_purchase_event_idx on events_purchase (tenant_id, event_id, status);
create index events_purchase_buyer_idx on events_purchase (tenant_id, buyer_email);
create index events_purchase_paid_idx on events_purchase (tenant_id, paid_at) where paid_at is not null;
select core_tenant_table('events_purchase');

create table events_ticket (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  event_id uuid not null,
  ticket_type_id uuid not null,
  purchase_id uuid not null,
  code text not null,
  status text not null check (status in ('reserved', 'valid', 'checked_in', 'expired', 'cancelled', 'refunded', 'transferred')),
  attendee_name text,
  attendee_email text,
  price_amount bigint not null,
  price_currency char(3) not null,
  checked_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events_event (tenant_id, id),
  foreign key (tenant_id, ticket_type_id) references events_ticket_type (tenant_id, id),
  foreign key (tenant_id, purchase_id) references events_purchase (tenant_id, id)
);
create unique index events_ticket_code_key on events_ticket (tenant_id, code);
create index events_ticket_event_idx on events_ticket (tenant_id, event_id, created_at, id);
create index events_ticket_purchase_idx on events_ticket (tenant_id, purchase_id);
-- What takes a place: counted whenever somebody buys.
create index events_ticket_taken_idx on events_ticket (tenant_id, event_id, ticket_type_id, status, purchase_id)
  where status in ('reserved', 'valid', 'checked_in');
create index events_ticket_attendee_idx on events_ticket (tenant_id, attendee_email);
select core_tenant_table('events_ticket');

-- Every scan, the refused ones too.
create table events_check_in (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  ticket_id uuid not null,
  type text not null check (type in ('entry', 'exit')),
  at timestamptz not null,
  nonce text not null,
  gate text,
  device_id text,
  -- `ok`, or the code of the refusal.
  result text not null,
  forced boolean not null,
  by_user uuid,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, ticket_id) references events_ticket (tenant_id, id)
);
create unique index events_check_in_nonce_key on events_check_in (tenant_id, ticket_id, nonce) where result = 'ok';
create index events_check_in_ticket_idx on events_check_in (tenant_id, ticket_id, created_at, id);
select core_tenant_table('events_check_in');
