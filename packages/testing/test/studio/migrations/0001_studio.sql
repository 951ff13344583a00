create table studio_artist (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  note text,
  profile jsonb,
  title jsonb,
  tags jsonb not null,
  born date,
  opens time,
  joined timestamptz,
  active boolean not null,
  rate numeric(12, 2) not null,
  works integer not null,
  fee_amount bigint,
  fee_currency char(3),
  due_amount bigint not null,
  due_currency char(3) not null,
  api_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint studio_artist_name_key unique (tenant_id, name)
);
select core_tenant_table('studio_artist');

create table studio_piece (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  artist_id uuid not null,
  title text not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, artist_id) references studio_artist (tenant_id, id)
);
select core_tenant_table('studio_piece');

create table studio_sketch (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  title text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, id)
);
select core_tenant_table('studio_sketch');

create table studio_payment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  cents integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select core_tenant_table('studio_payment');
