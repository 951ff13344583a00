-- Names and phone given by a registration over an existing record. They replace those of the record once the address is confirmed.
create table customers_registration (
  tenant_id uuid not null references core_tenant (id),
  customer_id uuid not null,
  first_name text,
  last_name text,
  phone text,
  created_at timestamptz not null,
  primary key (tenant_id, customer_id),
  foreign key (tenant_id, customer_id) references customers_customer (tenant_id, id) on delete cascade
);
select core_tenant_table('customers_registration');
