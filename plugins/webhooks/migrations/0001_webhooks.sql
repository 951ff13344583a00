-- Where a shop's events are sent.
create table webhooks_endpoint (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  url text not null,
  -- Event types, `orders.*`, or `*`.
  events jsonb not null,
  description text,
  active boolean not null,
  -- Sealed.
  secret text not null,
  -- Secrets before it that sign for a while longer: {secret (sealed), until}, newest first.
  previous_secrets jsonb not null default '[]',
  -- Events from before that moment still wait for it.
  off_since timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  succeeded_at timestamptz,
  -- Since when nothing but failure.
  failing_since timestamptz,
  -- The receiver asked for peace until then.
  quiet_until timestamptz,
  -- Who sends to it now. One at a time.
  runner uuid,
  runner_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index webhooks_endpoint_created_idx on webhooks_endpoint (tenant_id, created_at, id);
select core_tenant_table('webhooks_endpoint');

-- One event for one endpoint.
create table webhooks_delivery (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  -- The body, byte for byte the same on every try.
  body text not null,
  request_id text,
  status text not null check (status in ('pending', 'retrying', 'succeeded', 'dead')),
  attempt integer not null default 0,
  -- Place in the schedule; a retry by hand begins anew.
  step integer not null default 0,
  status_code integer,
  duration_ms integer,
  error text,
  response_excerpt text,
  -- Empty where nothing is due: it is over, or its endpoint is off.
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint webhooks_delivery_event_key unique (tenant_id, endpoint_id, event_id),
  foreign key (tenant_id, endpoint_id) references webhooks_endpoint (tenant_id, id) on delete cascade
);
create index webhooks_delivery_due_idx on webhooks_delivery (tenant_id, endpoint_id, next_at, id) where status in ('pending', 'retrying');
create index webhooks_delivery_overdue_idx on webhooks_delivery (next_at) where status in ('pending', 'retrying');
create index webhooks_delivery_log_idx on webhooks_delivery (tenant_id, endpoint_id, created_at, id);
create index webhooks_delivery_age_idx on webhooks_delivery (tenant_id, created_at);
select core_tenant_table('webhooks_delivery');

create table webhooks_attempt (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  status_code integer,
  duration_ms integer not null,
  error text,
  response_excerpt text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, delivery_id) references webhooks_delivery (tenant_id, id) on delete cascade
);
create index webhooks_attempt_delivery_idx on webhooks_attempt (tenant_id, delivery_id, number);
select core_tenant_table('webhooks_attempt');
