create table payments_payment (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  order_id uuid not null,
  provider text not null,
  status text not null,
  amount bigint not null,
  currency char(3) not null,
  authorized bigint not null default 0,
  captured bigint not null default 0,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select core_tenant_table('payments_payment');
create table payments_refund (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  payment_id uuid not null,
  order_id uuid not null,
  status text not null,
  amount bigint not null check (amount > 0),
  currency char(3) not null,
  reason text not null,
  method text not null,
  group_id uuid,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
select core_tenant_table('payments_refund');
