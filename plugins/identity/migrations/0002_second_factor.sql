-- The second factor belongs to the account: one for the installation. In a tenant's scope accounts can't be read, so what concerns them
-- goes through the functions below; there they answer only for accounts that have a user in the tenant.

alter table identity_account
  -- Sealed. Null while the second factor is off.
  add column totp_secret text,
  -- The last time step whose code was taken: only later ones are.
  add column totp_step bigint,
  add column totp_enabled_at timestamptz,
  -- Sealed; shown, not yet confirmed by a code.
  add column totp_pending text,
  add column totp_pending_at timestamptz,
  -- Codes tried since `second_factor_since`; a right one starts again.
  add column second_factor_tries integer not null default 0,
  add column second_factor_since timestamptz;

create table identity_recovery_code (
  id uuid primary key,
  account_id uuid not null references identity_account (id) on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  created_at timestamptz not null,
  constraint identity_recovery_code_hash_key unique (account_id, code_hash)
);

-- Devices that need no code for a while.
create table identity_trusted_device (
  id uuid primary key,
  account_id uuid not null references identity_account (id) on delete cascade,
  token_hash text not null,
  agent_hash text not null,
  -- Of the account: a new password, or signing out everywhere, ends the trust.
  session_version integer not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint identity_trusted_device_hash_key unique (token_hash)
);
create index identity_trusted_device_account_idx on identity_trusted_device (account_id);

grant select, insert, update, delete on identity_recovery_code, identity_trusted_device to storeloom_platform;

-- identity_user.two_factor is read by nobody any more; the next major drops it.

create function identity_may_touch(wanted uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public as $$
  select nullif(current_setting('app.tenant_id', true), '') is null or exists (
    select from public.identity_user u where u.account_id = wanted and u.deleted_at is null
      and u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
$$;

create function identity_second_factor(wanted uuid)
returns table (email text, password_hash text, session_version integer, secret text, pending text, pending_at timestamptz, codes_left integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  select a.email, a.password_hash, a.session_version, a.totp_secret, a.totp_pending, a.totp_pending_at,
    (select count(*)::int from public.identity_recovery_code c where c.account_id = a.id and c.used_at is null)
  from public.identity_account a where a.id = wanted and public.identity_may_touch(wanted)
$$;

create function identity_second_factor_on(wanted uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public as $$
  select coalesce((select a.totp_secret is not null from public.identity_account a
    where a.id = wanted and public.identity_may_touch(wanted)), false)
$$;

-- Counts a try before it is looked at. Gives the seconds to wait, 0 when there is one left. Tries beyond the last don't move the window.
create function identity_second_factor_try(wanted uuid, most integer, lasts integer, at timestamptz) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
declare tries integer; since timestamptz;
begin
  update public.identity_account a set
    second_factor_tries = case when a.second_factor_since > at - make_interval(secs => lasts) then least(a.second_factor_tries + 1, most + 1) else 1 end,
    second_factor_since = case when a.second_factor_since > at - make_interval(secs => lasts) then a.second_factor_since else at end
    where a.id = wanted and public.identity_may_touch(wanted)
    returning a.second_factor_tries, a.second_factor_since into tries, since;
  if tries is null or tries <= most then return 0; end if;
  return greatest(1, ceil(extract(epoch from since + make_interval(secs => lasts) - at))::integer);
end $$;

create function identity_totp_begin(wanted uuid, sealed text, at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_account set totp_pending = sealed, totp_pending_at = at
    where id = wanted and totp_secret is null and public.identity_may_touch(wanted);
  return found;
end $$;

-- False when another call was first, or the secret is another by now.
create function identity_totp_enable(wanted uuid, sealed text, step bigint, ids uuid[], hashes text[], at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_account a set totp_secret = sealed, totp_step = step, totp_enabled_at = at, totp_pending = null, totp_pending_at = null,
    second_factor_tries = 0, updated_at = at, version = a.version + 1
    where a.id = wanted and a.totp_secret is null and a.totp_pending = sealed and public.identity_may_touch(wanted);
  if not found then return false; end if;
  delete from public.identity_recovery_code where account_id = wanted;
  delete from public.identity_trusted_device where account_id = wanted;
  insert into public.identity_recovery_code (id, account_id, code_hash, created_at)
    select c.id, wanted, c.hash, at from unnest(ids, hashes) as c(id, hash);
  return true;
end $$;

create function identity_totp_disable(wanted uuid, at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_account a set totp_secret = null, totp_step = null, totp_enabled_at = null, second_factor_tries = 0, updated_at = at, version = a.version + 1
    where a.id = wanted and a.totp_secret is not null and public.identity_may_touch(wanted);
  if not found then return false; end if;
  delete from public.identity_recovery_code where account_id = wanted;
  delete from public.identity_trusted_device where account_id = wanted;
  return true;
end $$;

-- The claim of a code: of two callers with one code the second waits for the row, then finds its step taken.
create function identity_totp_use(wanted uuid, step bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_account a set totp_step = step, second_factor_tries = 0
    where a.id = wanted and a.totp_secret is not null and (a.totp_step is null or a.totp_step < step) and public.identity_may_touch(wanted);
  return found;
end $$;

create function identity_recovery_use(wanted uuid, hash text, at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
begin
  update public.identity_recovery_code set used_at = at
    where account_id = wanted and code_hash = hash and used_at is null and public.identity_may_touch(wanted);
  if not found then return false; end if;
  update public.identity_account set second_factor_tries = 0 where id = wanted;
  return true;
end $$;

create function identity_device_trust(new_id uuid, wanted uuid, hash text, agent text, until timestamptz, at timestamptz) returns void
language sql volatile security definer set search_path = pg_catalog, public as $$
  insert into public.identity_trusted_device (id, account_id, token_hash, agent_hash, session_version, expires_at, created_at)
    select new_id, a.id, hash, agent, a.session_version, until, at from public.identity_account a
    where a.id = wanted and a.totp_secret is not null and public.identity_may_touch(wanted)
$$;

-- One device by its token's hash, while it is trusted.
create function identity_device_trusted(hash text, agent text, at timestamptz) returns table (account_id uuid, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public as $$
  select d.account_id, d.expires_at from public.identity_trusted_device d join public.identity_account a on a.id = d.account_id
  where d.token_hash = hash and d.agent_hash = agent and d.expires_at > at and d.session_version = a.session_version
    and a.totp_secret is not null
$$;

alter function identity_may_touch(uuid) owner to storeloom_platform;
alter function identity_second_factor(uuid) owner to storeloom_platform;
alter function identity_second_factor_on(uuid) owner to storeloom_platform;
alter function identity_second_factor_try(uuid, integer, integer, timestamptz) owner to storeloom_platform;
alter function identity_totp_begin(uuid, text, timestamptz) owner to storeloom_platform;
alter function identity_totp_enable(uuid, text, bigint, uuid[], text[], timestamptz) owner to storeloom_platform;
alter function identity_totp_disable(uuid, timestamptz) owner to storeloom_platform;
alter function identity_totp_use(uuid, bigint) owner to storeloom_platform;
alter function identity_recovery_use(uuid, text, timestamptz) owner to storeloom_platform;
alter function identity_device_trust(uuid, uuid, text, text, timestamptz, timestamptz) owner to storeloom_platform;
alter function identity_device_trusted(text, text, timestamptz) owner to storeloom_platform;
revoke all on function identity_may_touch(uuid), identity_second_factor(uuid), identity_second_factor_on(uuid),
  identity_second_factor_try(uuid, integer, integer, timestamptz), identity_totp_begin(uuid, text, timestamptz),
  identity_totp_enable(uuid, text, bigint, uuid[], text[], timestamptz), identity_totp_disable(uuid, timestamptz),
  identity_totp_use(uuid, bigint), identity_recovery_use(uuid, text, timestamptz),
  identity_device_trust(uuid, uuid, text, text, timestamptz, timestamptz), identity_device_trusted(text, text, timestamptz) from public;
grant execute on function identity_may_touch(uuid), identity_second_factor(uuid), identity_second_factor_on(uuid),
  identity_second_factor_try(uuid, integer, integer, timestamptz), identity_totp_begin(uuid, text, timestamptz),
  identity_totp_enable(uuid, text, bigint, uuid[], text[], timestamptz), identity_totp_disable(uuid, timestamptz),
  identity_totp_use(uuid, bigint), identity_recovery_use(uuid, text, timestamptz),
  identity_device_trust(uuid, uuid, text, text, timestamptz, timestamptz), identity_device_trusted(text, text, timestamptz)
  to storeloom_app, storeloom_platform;
