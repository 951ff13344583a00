create table booking_service (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  description text,
  duration_min integer not null check (duration_min between 1 and 1440),
  buffer_before_min integer not null check (buffer_before_min >= 0),
  buffer_after_min integer not null check (buffer_after_min >= 0),
  -- Null: the duration.
  slot_interval_min integer check (slot_interval_min > 0),
  slot_align text not null check (slot_align in ('window', 'clock')),
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  capacity integer not null check (capacity >= 1),
  min_notice_min integer not null check (min_notice_min >= 0),
  max_advance_days integer check (max_advance_days >= 1),
  cancel_cutoff_min integer not null check (cancel_cutoff_min >= 0),
  requires_confirmation boolean not null,
  deposit_amount bigint check (deposit_amount >= 0),
  deposit_currency char(3),
  category text,
  color text,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index booking_service_created_idx on booking_service (tenant_id, created_at, id);
select core_tenant_table('booking_service');
select core_configuration_table('booking_service');

create table booking_staff (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  email text,
  phone text,
  user_id uuid,
  turnover_min integer not null check (turnover_min >= 0),
  timezone text not null,
  -- Ids of the services they offer.
  service_ids jsonb not null,
  -- {mon..sun: [{start, end}]}, both
  weekly_hours jsonb not null,
  breaks jsonb not null,
  -- [{date, closed, intervals}]
  overrides jsonb not null,
  -- [{from, to}]
  time_off jsonb not null,
  priority integer not null,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index booking_staff_created_idx on booking_staff (tenant_id, created_at, id);
select core_tenant_table('booking_staff');
select core_configuration_table('booking_staff');

-- What blocks a member of staff: one service at one time, alone or as a group. It is gone once its last seat is free.
create table booking_session (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  staff_id uuid not null,
  service_id uuid not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  -- With buffers and turnover.
  blocked_from timestamptz not null,
  blocked_until timestamptz not null,
  seats integer not null check (seats >= 1),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, staff_id) references booking_staff (tenant_id, id),
  foreign key (tenant_id, service_id) references booking_service (tenant_id, id)
);
select core_exclusion('booking_session', 'staff_id', 'blocked_from', 'blocked_until');
create unique index booking_session_start_key on booking_session (tenant_id, staff_id, starts_at);
select core_tenant_table('booking_session');

create table booking_appointment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  service_id uuid not null,
  staff_id uuid,
  -- {name, email, phone}
  customer jsonb,
  customer_id uuid,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- {start, end}
  blocked jsonb not null,
  seats integer not null check (seats >= 1),
  price_amount bigint not null,
  price_currency char(3) not null,
  deposit_amount bigint,
  deposit_currency char(3),
  deposit_paid boolean not null,
  timezone text,
  notes text,
  source text not null,
  reference text not null,
  basket_id uuid,
  hold_expires_at timestamptz,
  reschedule_count integer not null,
  -- Of the customer's mails.
  locale text not null,
  status text not null check (status in ('pending', 'confirmed', 'declined', 'expired', 'cancelled', 'checked_in', 'completed', 'no_show')),
  manage_token_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, staff_id) references booking_staff (tenant_id, id),
  foreign key (tenant_id, service_id) references booking_service (tenant_id, id),
  check (ends_at > starts_at)
);
create unique index booking_appointment_reference_key on booking_appointment (tenant_id, lower(reference));
create index booking_appointment_created_idx on booking_appointment (tenant_id, created_at, id);
create index booking_appointment_starts_idx on booking_appointment (tenant_id, starts_at, id);
create index booking_appointment_staff_idx on booking_appointment (tenant_id, staff_id, starts_at);
create index booking_appointment_service_idx on booking_appointment (tenant_id, service_id, starts_at);
create index booking_appointment_held_idx on booking_appointment (tenant_id, hold_expires_at) where status = 'pending';
create index booking_appointment_basket_idx on booking_appointment (tenant_id, basket_id) where basket_id is not null;
create index booking_appointment_manage_idx on booking_appointment (tenant_id, manage_token_hash);
create index booking_appointment_customer_idx on booking_appointment (tenant_id, customer_id) where customer_id is not null;
create index booking_appointment_email_idx on booking_appointment (tenant_id, (customer ->> 'email'));
create index booking_appointment_phone_idx on booking_appointment (tenant_id, (customer ->> 'phone'));
select core_tenant_table('booking_appointment');
