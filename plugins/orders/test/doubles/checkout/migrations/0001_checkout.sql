-- Prices that changed since the ids were made.
create table checkout_price (
  tenant_id uuid not null references core_tenant (id),
  variant_id uuid not null,
  price bigint not null,
  primary key (tenant_id, variant_id)
);
select core_tenant_table('checkout_price');
create table checkout_cart (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  status text not null,
  primary key (tenant_id, id)
);
select core_tenant_table('checkout_cart');
