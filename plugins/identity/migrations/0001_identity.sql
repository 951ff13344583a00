-- Who may sign in. A staff account and an operator are one for the installation: platform tables, which the app role can't read.
-- Users, roles, sessions and customers' credentials belong to a tenant.

create table identity_account (
  id uuid primary key,
  -- In lower case.
  email text not null,
  name text not null,
  -- Null until the first invitation is accepted.
  password_hash text,
  email_verified_at timestamptz,
  -- Raised to end every session of the account, in all tenants.
  session_version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint identity_account_email_key unique (email)
);

create table identity_operator (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  email_verified_at timestamptz,
  status text not null default 'active' check (status in ('active', 'disabled')),
  session_version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint identity_operator_email_key unique (email)
);

-- The same columns as identity_session and identity_refresh_token, without a tenant: one code serves both.
create table identity_operator_session (
  id uuid primary key,
  audience text not null default 'super-admin' check (audience = 'super-admin'),
  subject_id uuid not null references identity_operator (id) on delete cascade,
  session_version integer not null,
  auth_level integer not null,
  auth_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create index identity_operator_session_subject_idx on identity_operator_session (subject_id);

create table identity_operator_refresh_token (
  id uuid primary key,
  session_id uuid not null references identity_operator_session (id) on delete cascade,
  token_hash text not null,
  expires_at timestamptz not null,
  rotated_at timestamptz,
  successor text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  constraint identity_operator_refresh_token_hash_key unique (token_hash)
);
create index identity_operator_refresh_token_session_idx on identity_operator_refresh_token (session_id);

-- Tokens of mails to accounts and operators: a new password.
create table identity_account_token (
  id uuid primary key,
  account_id uuid references identity_account (id) on delete cascade,
  operator_id uuid references identity_operator (id) on delete cascade,
  token_hash text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  constraint identity_account_token_hash_key unique (token_hash),
  check ((account_id is null) <> (operator_id is null))
);

-- What may happen once an installation. A claim whose work did not end is taken over after a minute.
create table identity_setup (
  key text primary key,
  value jsonb not null default '{}',
  started_at timestamptz not null,
  done_at timestamptz
);

-- Sign-ins that have failed lately, by a keyed hash of audience, tenant and address. A crash may forget them.
create unlogged table identity_throttle (
  key text primary key,
  attempts integer not null,
  last_at timestamptz not null
);

grant select, insert, update, delete on identity_account, identity_operator, identity_operator_session, identity_operator_refresh_token,
  identity_account_token, identity_setup, identity_throttle to storeloom_platform;

-- One user an account and tenant: the subject of its tokens there.
create table identity_user (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  account_id uuid not null references identity_account (id),
  name text not null,
  email text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- Null until the invitation is accepted.
  joined_at timestamptz,
  two_factor boolean not null default false,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index identity_user_email_key on identity_user (tenant_id, email) where deleted_at is null;
create unique index identity_user_account_id_key on identity_user (tenant_id, account_id) where deleted_at is null;
-- Not by tenant: sign-in asks for the tenants of an account.
create index identity_user_account_idx on identity_user (account_id) where deleted_at is null;
select core_tenant_table('identity_user');

create table identity_role (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  permissions jsonb not null default '[]',
  system boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index identity_role_name_key on identity_role (tenant_id, lower(name));
select core_tenant_table('identity_role');

create table identity_user_role (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  user_id uuid not null,
  role_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint identity_user_role_role_id_key unique (tenant_id, user_id, role_id),
  foreign key (tenant_id, user_id) references identity_user (tenant_id, id),
  foreign key (tenant_id, role_id) references identity_role (tenant_id, id)
);
create index identity_user_role_role_idx on identity_user_role (tenant_id, role_id);
select core_tenant_table('identity_user_role');

-- How a customer signs in. Name and address are the customer's own.
create table identity_credential (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  customer_id uuid not null,
  password_hash text not null,
  session_version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint identity_credential_customer_id_key unique (tenant_id, customer_id)
);
select core_tenant_table('identity_credential');

-- Sessions of staff (`admin`) and customers (`storefront`). A session is the family of its refresh tokens.
create table identity_session (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  audience text not null check (audience in ('admin', 'storefront')),
  -- A user or a customer.
  subject_id uuid not null,
  -- Of the account or credential when the session began; a session with an older one is over.
  session_version integer not null,
  auth_level integer not null,
  auth_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index identity_session_subject_idx on identity_session (tenant_id, subject_id);
create index identity_session_expires_idx on identity_session (tenant_id, expires_at);
select core_tenant_table('identity_session');

create table identity_refresh_token (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  session_id uuid not null,
  token_hash text not null,
  expires_at timestamptz not null,
  rotated_at timestamptz,
  -- Sealed, for 30 seconds: racing callers get the same one.
  successor text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint identity_refresh_token_hash_key unique (tenant_id, token_hash),
  foreign key (tenant_id, session_id) references identity_session (tenant_id, id) on delete cascade
);
create index identity_refresh_token_session_idx on identity_refresh_token (tenant_id, session_id);
select core_tenant_table('identity_refresh_token');

-- Tokens of mails: a customer's new password or address, an invitation of staff.
create table identity_token (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  purpose text not null check (purpose in ('reset', 'verify', 'invite')),
  subject_id uuid not null,
  token_hash text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint identity_token_hash_key unique (tenant_id, token_hash)
);
create index identity_token_subject_idx on identity_token (tenant_id, subject_id);
select core_tenant_table('identity_token');

-- Once a tenant: the first customer of a setup.
create table identity_tenant_setup (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  key text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  constraint identity_tenant_setup_key_key unique (tenant_id, key)
);
select core_tenant_table('identity_tenant_setup', true);

-- Sign-in of staff, before a tenant is known: one account, with the tenants it works in.
create function identity_sign_in_account(wanted text)
returns table (id uuid, password_hash text, session_version integer, memberships jsonb)
language sql stable security definer set search_path = pg_catalog, public as $$
  select a.id, a.password_hash, a.session_version, coalesce((
    select jsonb_agg(jsonb_build_object('tenantId', t.id, 'slug', t.slug, 'name', t.name, 'userId', u.id) order by t.name, t.slug)
    from public.identity_user u join public.core_tenant t on t.id = u.tenant_id
    where u.account_id = a.id and u.deleted_at is null and u.joined_at is not null and u.status = 'active' and t.status <> 'terminated'
  ), '[]')
  from public.identity_account a where a.email = wanted
$$;

-- What a bearer token must be checked against: one session with the standing of its subject.
create function identity_session_state(wanted_tenant uuid, wanted uuid)
returns table (audience text, subject_id uuid, account_id uuid, session_version integer, auth_at timestamptz, auth_level integer,
  expires_at timestamptz, live boolean, roles jsonb)
language sql stable security definer set search_path = pg_catalog, public as $$
  select s.audience, s.subject_id, u.account_id, s.session_version, s.auth_at, s.auth_level, s.expires_at,
    s.revoked_at is null and case s.audience
      when 'admin' then coalesce(a.session_version = s.session_version and u.status = 'active' and u.joined_at is not null, false)
      else coalesce(c.session_version = s.session_version, false) end,
    case when s.audience = 'admin' then coalesce((
      select jsonb_agg(jsonb_build_object('name', r.name, 'system', r.system, 'permissions', r.permissions) order by r.id)
      from public.identity_user_role ur
      join public.identity_role r on r.tenant_id = ur.tenant_id and r.id = ur.role_id
      where ur.tenant_id = s.tenant_id and ur.user_id = s.subject_id), '[]') else '[]' end
  from public.identity_session s
  left join public.identity_user u on s.audience = 'admin' and u.tenant_id = s.tenant_id and u.id = s.subject_id and u.deleted_at is null
  left join public.identity_account a on a.id = u.account_id
  left join public.identity_credential c on s.audience = 'storefront' and c.tenant_id = s.tenant_id and c.customer_id = s.subject_id
  where s.tenant_id = wanted_tenant and s.id = wanted
$$;

-- Inviting happens in a tenant's scope, where accounts can't be read: gives the account of an address, made if need be.
create function identity_account_ensure(new_id uuid, wanted text, shown_name text, at timestamptz)
returns table (id uuid, has_password boolean)
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  insert into public.identity_account (id, email, name, created_at, updated_at) values (new_id, wanted, shown_name, at, at)
    on conflict on constraint identity_account_email_key do nothing;
  return query select a.id, a.password_hash is not null from public.identity_account a where a.email = wanted;
end $$;

-- The first password of an account. Refused where it has one and still works somewhere: whoever invites knows the token of the
-- invitation, and must not get at an account by it.
create function identity_account_first_password(wanted uuid, hash text, at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_account a set password_hash = hash, session_version = a.session_version + 1, updated_at = at, version = a.version + 1
    where a.id = wanted and (a.password_hash is null or not exists (
      select from public.identity_user u
      where u.account_id = a.id and u.deleted_at is null and u.joined_at is not null and u.status = 'active'));
  return found;
end $$;

alter function identity_sign_in_account(text) owner to storeloom_platform;
alter function identity_session_state(uuid, uuid) owner to storeloom_platform;
alter function identity_account_ensure(uuid, text, text, timestamptz) owner to storeloom_platform;
alter function identity_account_first_password(uuid, text, timestamptz) owner to storeloom_platform;
revoke all on function identity_sign_in_account(text), identity_session_state(uuid, uuid),
  identity_account_ensure(uuid, text, text, timestamptz), identity_account_first_password(uuid, text, timestamptz) from public;
grant execute on function identity_sign_in_account(text), identity_session_state(uuid, uuid),
  identity_account_ensure(uuid, text, text, timestamptz), identity_account_first_password(uuid, text, timestamptz)
  to storeloom_app, storeloom_platform;
