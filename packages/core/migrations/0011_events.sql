-- Delivery of events. The outbox row says what happened; one delivery row says that a plugin must hear of it, once and in order.

-- The counter outlives the events that are deleted after their term, so that a sequence never starts again.
create table core_event_counter (
  tenant_id uuid not null references core_tenant (id),
  aggregate uuid not null,
  last bigint not null,
  primary key (tenant_id, aggregate)
);
select core_tenant_table('core_event_counter');

create table core_event_delivery (
  tenant_id uuid not null references core_tenant (id),
  event_id uuid not null,
  plugin text not null,
  aggregate uuid not null,
  sequence bigint not null,
  attempts integer not null default 0,
  retry_at timestamptz,
  -- Written by the transaction of the handler: what it did stays exactly once.
  handled_at timestamptz,
  -- Given up after the last attempt; later events of the aggregate go on.
  failed_at timestamptz,
  error text,
  created_at timestamptz not null,
  primary key (tenant_id, event_id, plugin),
  foreign key (tenant_id, event_id) references core_event (tenant_id, id) on delete cascade
);
create index core_event_delivery_waiting_idx on core_event_delivery (tenant_id, plugin, aggregate, sequence)
  where handled_at is null and failed_at is null;
create index core_event_delivery_age_idx on core_event_delivery (created_at) where handled_at is null and failed_at is null;
select core_tenant_table('core_event_delivery');

-- Replaced by the delivery row.
drop table core_event_handled;

create index core_mail_created_idx on core_mail (created_at);
create index core_inbound_created_idx on core_inbound (created_at);
