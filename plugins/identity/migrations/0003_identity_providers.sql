-- Customers who sign in through an identity provider: who they are there. A customer may have no password at all.

alter table identity_credential alter column password_hash drop not null;

create table identity_external_identity (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  provider text not null check (provider in ('idp-a', 'idp-b')),
  -- As the provider's tokens say: one subject of one issuer is one customer.
  issuer text not null,
  subject text not null,
  customer_id uuid not null,
  last_used_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint identity_external_identity_subject_key unique (tenant_id, issuer, subject)
);
create index identity_external_identity_customer_idx on identity_external_identity (tenant_id, customer_id);
select core_tenant_table('identity_external_identity');
