-- Whether the tenant in whose scope it is asked is the operator's own. The app role reads no platform table.
create function platform_is_operator() returns boolean
language sql stable security definer set search_path = pg_catalog, public as $$
  select coalesce((select t.operator from public.core_tenant t
    where t.id = nullif(current_setting('app.tenant_id', true), '')::uuid), false)
$$;
alter function platform_is_operator() owner to storeloom_platform;
revoke all on function platform_is_operator() from public;
grant execute on function platform_is_operator() to storeloom_app, storeloom_platform;
