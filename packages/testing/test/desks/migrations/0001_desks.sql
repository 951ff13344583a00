create table desks_desk (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  note text,
  cost_amount bigint,
  cost_currency char(3),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select core_tenant_table('desks_desk');

create table desks_booking (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  desk_id uuid not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  hold_expires_at timestamptz,
  status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, desk_id) references desks_desk (tenant_id, id)
);
select core_tenant_table('desks_booking');
select core_exclusion('desks_booking', 'desk_id', 'starts_at', 'ends_at', 'status in (''pending'', ''confirmed'')');

select core_nights('desks_night', 'desk_id', 'desks_desk', 'booking_id', 'desks_booking');
select core_counter('desks_seats', 'room uuid', 'day date');

create table desks_waiter (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  desk_id uuid not null,
  position integer not null,
  places integer not null,
  status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select core_tenant_table('desks_waiter');

create table desks_visit (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  desk_id uuid not null,
  reference text not null,
  email text not null,
  day date not null,
  place jsonb not null,
  status text not null,
  manage_token_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, desk_id) references desks_desk (tenant_id, id)
);
create index desks_visit_manage_token_idx on desks_visit (tenant_id, manage_token_hash);
select core_tenant_table('desks_visit');
