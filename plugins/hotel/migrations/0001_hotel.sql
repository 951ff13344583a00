create table hotel_room (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  number text not null,
  room_type text not null,
  floor text,
  max_adults integer not null check (max_adults >= 1),
  max_children integer not null check (max_children >= 0),
  beds text,
  -- The shared room that this bed stands in.
  parent_room_id uuid,
  base_rate_amount bigint not null check (base_rate_amount >= 0),
  base_rate_currency char(3) not null,
  amenities jsonb not null,
  status text not null check (status in ('available', 'out_of_order', 'out_of_service')),
  -- Civil dates, `[from, to)`; empty: as long as the status stands.
  out_from date,
  out_to date,
  housekeeping text not null check (housekeeping in ('clean', 'dirty', 'in_progress', 'inspected')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, parent_room_id) references hotel_room (tenant_id, id)
);
create unique index hotel_room_number_key on hotel_room (tenant_id, lower(number));
create index hotel_room_created_idx on hotel_room (tenant_id, created_at, id);
create index hotel_room_type_idx on hotel_room (tenant_id, room_type, id);
create index hotel_room_parent_idx on hotel_room (tenant_id, parent_room_id) where parent_room_id is not null;
select core_tenant_table('hotel_room');

create table hotel_guest (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  first_name text not null,
  last_name text not null,
  email text,
  phone text,
  nationality text,
  birth_date date,
  id_doc_type text,
  -- Sealed.
  id_doc_number text,
  -- HMAC of the document, to find a double without reading it.
  id_doc_index text,
  address jsonb,
  vip boolean not null,
  consent boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index hotel_guest_email_key on hotel_guest (tenant_id, lower(email));
create unique index hotel_guest_id_doc_index_key on hotel_guest (tenant_id, id_doc_index);
create index hotel_guest_created_idx on hotel_guest (tenant_id, created_at, id);
select core_tenant_table('hotel_guest');

create table hotel_reservation (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  reference text not null,
  status text not null check (status in ('pending', 'confirmed', 'expired', 'cancelled', 'checked_in', 'checked_out', 'no_show')),
  room_id uuid,
  room_type text,
  guest_id uuid,
  check_in date not null,
  check_out date not null,
  adults integer not null check (adults >= 1),
  children integer not null check (children >= 0),
  -- [{date, rate}], a snapshot.
  nightly_rates jsonb not null,
  total_amount bigint not null,
  total_currency char(3) not null,
  deposit_amount bigint,
  deposit_currency char(3),
  -- What a cancelled or missed stay costs instead of the total.
  fee_amount bigint,
  fee_currency char(3),
  source text not null,
  guest_ids jsonb not null,
  policy jsonb not null,
  notes text,
  hold_expires_at timestamptz,
  cancel_reason text,
  cancelled_at timestamptz,
  actual_check_in_at timestamptz,
  actual_check_out_at timestamptz,
  -- The order of the shop that bought it, and its line.
  order_id uuid,
  order_line_id uuid,
  locale text not null,
  calendar_sequence integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (check_out > check_in),
  check (room_type is not null and guest_id is not null),
  foreign key (tenant_id, room_id) references hotel_room (tenant_id, id),
  foreign key (tenant_id, guest_id) references hotel_guest (tenant_id, id)
);
create unique index hotel_reservation_reference_key on hotel_reservation (tenant_id, reference);
-- Nobody sleeps in a room that somebody else is in.
create unique index hotel_reservation_in_house_key on hotel_reservation (tenant_id, room_id) where status = 'checked_in';
create index hotel_reservation_created_idx on hotel_reservation (tenant_id, created_at, id);
create index hotel_reservation_stay_idx on hotel_reservation (tenant_id, check_in, check_out);
create index hotel_reservation_held_idx on hotel_reservation (hold_expires_at) where status = 'pending';
create index hotel_reservation_guest_idx on hotel_reservation (tenant_id, guest_id);
create index hotel_reservation_party_idx on hotel_reservation using gin (guest_ids);
create index hotel_reservation_order_idx on hotel_reservation (tenant_id, order_id) where order_id is not null;
select core_tenant_table('hotel_reservation');

create table hotel_folio_entry (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  reservation_id uuid not null,
  kind text not null check (kind in ('charge', 'payment', 'refund')),
  label text not null,
  amount_amount bigint not null check (amount_amount > 0),
  amount_currency char(3) not null,
  -- Parts per million.
  vat_rate integer,
  ref text,
  by_user uuid,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, reservation_id) references hotel_reservation (tenant_id, id)
);
create index hotel_folio_entry_reservation_idx on hotel_folio_entry (tenant_id, reservation_id, created_at, id);
select core_tenant_table('hotel_folio_entry');

create table hotel_housekeeping_task (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  room_id uuid not null,
  type text not null check (type in ('departure', 'stayover', 'deep', 'inspection', 'maintenance')),
  status text not null check (status in ('pending', 'in_progress', 'done', 'inspected', 'skipped', 'cancelled')),
  priority integer not null,
  assignee_id uuid,
  due_date date,
  notes text,
  started_at timestamptz,
  done_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, room_id) references hotel_room (tenant_id, id)
);
-- One open departure task a room.
create unique index hotel_housekeeping_task_departure_key on hotel_housekeeping_task (tenant_id, room_id)
  where type = 'departure' and status in ('pending', 'in_progress');
create index hotel_housekeeping_task_created_idx on hotel_housekeeping_task (tenant_id, created_at, id);
create index hotel_housekeeping_task_room_idx on hotel_housekeeping_task (tenant_id, room_id);
select core_tenant_table('hotel_housekeeping_task');

select core_nights('hotel_room_night', 'room_id', 'hotel_room', 'reservation_id', 'hotel_reservation');
select core_counter('hotel_type_night', 'room_type text', 'night date');
