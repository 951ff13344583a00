create table currencies_currency (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  code char(3) not null,
  symbol text,
  enabled boolean not null default true,
  rounding_step integer check (rounding_step > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint currencies_currency_code_key unique (tenant_id, code)
);
select core_tenant_table('currencies_currency');

-- Every rate that was ever known. A row without a rate takes the manual one back.
create table currencies_fx_rate (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  base char(3) not null,
  quote char(3) not null,
  rate numeric check (rate > 0),
  source text not null check (source in ('manual', 'bnr', 'ecb')),
  as_of timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  check (base <> quote)
);
create index currencies_fx_rate_pair_idx on currencies_fx_rate (tenant_id, base, quote, as_of desc, id desc);
create unique index currencies_fx_rate_published_key on currencies_fx_rate (tenant_id, source, base, quote, as_of) where source <> 'manual';
select core_tenant_table('currencies_fx_rate', true);

create table currencies_fx_refresh (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  source text not null check (source in ('bnr', 'ecb')),
  status text not null check (status in ('ok', 'unchanged', 'failed')),
  count integer not null default 0,
  error text,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index currencies_fx_refresh_created_idx on currencies_fx_refresh (tenant_id, created_at desc, id desc);
select core_tenant_table('currencies_fx_refresh', true);
