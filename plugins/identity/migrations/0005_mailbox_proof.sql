-- `join`: the token in the response to an invitation, which the inviter knows: it joins an account that is signed in. `invite`: the token of
-- the e-mail, which proves the mailbox and may set the first password.
alter table identity_token drop constraint identity_token_purpose_check;
alter table identity_token add constraint identity_token_purpose_check check (purpose in ('reset', 'verify', 'invite', 'join'));

-- Sets the password of an account whose owner proves the mailbox for the first time. Everything that was set before (password, second factor,
-- devices) can be another person's and is removed; sessions end with the session version. False if the owner has proven it before.
create function identity_account_first_proof(wanted uuid, hash text, at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update public.identity_account a set password_hash = hash, email_verified_at = at, session_version = a.session_version + 1,
      totp_secret = null, totp_step = null, totp_enabled_at = null, totp_pending = null, totp_pending_at = null,
      second_factor_tries = 0, second_factor_since = null, updated_at = at, version = a.version + 1
    where a.id = wanted and (a.password_hash is null or a.email_verified_at is null or not exists (
      select from public.identity_user u
      where u.account_id = a.id and u.deleted_at is null and u.joined_at is not null and u.status = 'active'));
  if not found then
    return false;
  end if;
  delete from public.identity_recovery_code where account_id = wanted;
  delete from public.identity_trusted_device where account_id = wanted;
  return true;
end $$;
alter function identity_account_first_proof(uuid, text, timestamptz) owner to storeloom_platform;
set local role storeloom_platform;
revoke all on function identity_account_first_proof(uuid, text, timestamptz) from public;
grant execute on function identity_account_first_proof(uuid, text, timestamptz) to storeloom_app;
reset role;
