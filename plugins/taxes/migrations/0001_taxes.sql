-- Categories, dated rates, checks of VAT numbers, and what the one-stop shop needs.

create table taxes_category (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  code text not null,
  name text not null,
  is_default boolean not null,
  kind text not null check (kind in ('goods', 'electronic_service', 'service')),
  unece_code text check (unece_code in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index taxes_category_code_key on taxes_category (tenant_id, lower(code));
create unique index taxes_category_is_default_key on taxes_category (tenant_id) where is_default;
select core_tenant_table('taxes_category');

create table taxes_rate (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  country text not null,
  category_id uuid not null,
  rate_ppm integer not null check (rate_ppm between 0 and 1000000),
  name text,
  region text,
  postal_code text,
  priority integer not null check (priority >= 0),
  compound boolean not null,
  valid_from date not null,
  valid_to date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, category_id) references taxes_category (tenant_id, id),
  check (valid_to >= valid_from),
  -- On one day one rate holds for a place, category and priority.
  constraint taxes_rate_validity_excl exclude using gist (
    tenant_id with =, country with =, (coalesce(region, '')) with =, (coalesce(postal_code, '')) with =,
    category_id with =, priority with =, daterange(valid_from, valid_to, '[]') with &&
  )
);
create index taxes_rate_country_idx on taxes_rate (tenant_id, country, valid_from, id);
create index taxes_rate_category_idx on taxes_rate (tenant_id, category_id);
select core_tenant_table('taxes_rate');

create table taxes_rate_use (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  rate_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, rate_id) references taxes_rate (tenant_id, id),
  constraint taxes_rate_use_rate_id_key unique (tenant_id, rate_id)
);
select core_tenant_table('taxes_rate_use', true);

-- The last answer of the register for a number.
create table taxes_vat_check (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  number text not null,
  country text not null,
  status text not null check (status in ('valid', 'invalid')),
  name text,
  consultation_number text,
  checked_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint taxes_vat_check_number_key unique (tenant_id, number)
);
create index taxes_vat_check_checked_idx on taxes_vat_check (tenant_id, checked_at);
select core_tenant_table('taxes_vat_check');

-- Cross-border sales to consumers in a calendar year, without tax, in EUR. Placing locks the row: two orders can't both stay below the limit.
create table taxes_oss_year (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  year integer not null,
  net_amount bigint not null,
  net_currency char(3) not null check (net_currency = 'EUR'),
  exceeded_at timestamptz,
  exceeded_by uuid,
  opted_in_since date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint taxes_oss_year_year_key unique (tenant_id, year),
  check ((exceeded_at is null) = (exceeded_by is null))
);
select core_tenant_table('taxes_oss_year');

-- What cross-border orders to consumers were taxed with, and every correction of it. Never changed but for the amount in EUR, which may
-- have to wait for an exchange rate.
create table taxes_oss_entry (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  kind text not null check (kind in ('sale', 'refund', 'cancel', 'edit')),
  refund_id uuid,
  part text not null,
  quarter text not null,
  sale_quarter text not null,
  sale_year integer not null,
  country text not null,
  supply_type text not null check (supply_type in ('goods', 'services', 'other')),
  treatment text not null check (treatment in ('origin', 'destination')),
  rate_ppm integer not null,
  base_amount bigint not null,
  base_currency char(3) not null,
  tax_amount bigint not null,
  tax_currency char(3) not null,
  eur_amount bigint,
  eur_currency char(3) check (eur_currency = 'EUR'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index taxes_oss_entry_order_idx on taxes_oss_entry (tenant_id, order_id);
create index taxes_oss_entry_quarter_idx on taxes_oss_entry (tenant_id, quarter, sale_quarter);
create index taxes_oss_entry_waiting_idx on taxes_oss_entry (tenant_id, id) where eur_amount is null;
select core_tenant_table('taxes_oss_entry');
