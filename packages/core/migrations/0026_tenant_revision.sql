-- What a process remembers of a tenant (status, hosts, plan, niche, switches, overrides, settings) holds while this revision is the same.
-- Each request reads it with its first statement, so that a change is felt by the next one wherever it is served. It changes in the
-- transaction of the write, whoever writes, and is never one that was there before.
-- A table of its own, written at the commit: whoever changes a tenant beside an open transaction of it never waits for that one.
create table core_tenant_revision (
  tenant_id uuid primary key,
  revision uuid not null
);
select core_tenant_table('core_tenant_revision');
-- Revisions are no secret of a tenant's: the owner, whose functions below write them, needs no maintenance for it.
do $$ begin
  execute format('create policy revision on core_tenant_revision to %I using (true) with check (true)', current_user);
end $$;

-- With the owner's rights: a tenant's own writes reach one row of theirs, the operator's none.
create function core_tenants_changed(ids uuid[]) returns void language sql security definer
  set search_path = public, pg_temp as $$
  insert into core_tenant_revision (tenant_id, revision)
    select id, gen_random_uuid() from unnest(ids) id where id is not null order by id
    on conflict (tenant_id) do update set revision = excluded.revision
$$;
revoke all on function core_tenants_changed(uuid[]) from public;

create function core_tenant_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_table_name
    when 'core_tenant' then perform core_tenants_changed(array[new.id]);
    when 'core_plan' then perform core_tenants_changed((select array_agg(id) from core_tenant where plan_id = new.id));
    when 'core_niche_package' then perform core_tenants_changed((select array_agg(id) from core_tenant where niche_package_id = new.id));
    when 'core_host' then
      perform core_tenants_changed(array(select distinct id from unnest(array[old.tenant_id, new.tenant_id]) id));
    else perform core_tenants_changed(array[coalesce(new.tenant_id, old.tenant_id)]);
  end case;
  return null;
end $$;
revoke all on function core_tenant_changed() from public;

create constraint trigger tenant_changed after insert or update on core_tenant deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after update on core_plan deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after update on core_niche_package deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after insert or update or delete on core_host deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after insert or update or delete on core_override deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after insert or update or delete on core_switch deferrable initially deferred for each row execute function core_tenant_changed();
create constraint trigger tenant_changed after insert or update or delete on core_setting deferrable initially deferred for each row execute function core_tenant_changed();
