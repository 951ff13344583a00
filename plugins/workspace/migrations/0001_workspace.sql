-- What a member of the staff is told. Each has an own row.
create table workspace_notification (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  user_id uuid not null,
  type text not null,
  title jsonb not null,
  body jsonb not null,
  link text,
  read_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index workspace_notification_user_idx on workspace_notification (tenant_id, user_id, created_at desc, id);
create index workspace_notification_unread_idx on workspace_notification (tenant_id, user_id) where read_at is null;
create index workspace_notification_created_idx on workspace_notification (tenant_id, created_at);
select core_tenant_table('workspace_notification');
