-- What a process remembers of a tenant (status, hosts, plan, niche, switches, overrides, settings) holds while this revision is the same.
-- Each request reads it with its first statement, so that a change is felt by the next one wherever it is served. It changes in the
-- transaction of the write, whoever writes, and is never one that was there before.
alter table core_configuration add column tenant_revision uuid;
-- Revisions are no secret of a tenant's: the owner, whose functions below write them, needs no maintenance for it.
do $$ begin
  execute format('create policy revision on core_configuration to %I using (true) with check (true)', current_user);
end $$;

-- With the owner's rights: a tenant's own writes reach one row of theirs, the operator's none.
create function core_tenants_changed(ids uuid[]) returns void language sql security definer
  set search_path = public, pg_temp as $$
  insert into core_configuration as c (tenant_id, revision, writer, tenant_revision)
    select id, gen_random_uuid(), pg_current_xact_id(), gen_random_uuid() from unnest(ids) id where id is not null order by id
    on conflict (tenant_id) do update set tenant_revision = excluded.tenant_revision
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

create trigger tenant_changed after insert or update on core_tenant for each row execute function core_tenant_changed();
create trigger tenant_changed after update on core_plan for each row execute function core_tenant_changed();
create trigger tenant_changed after update on core_niche_package for each row execute function core_tenant_changed();
create trigger tenant_changed after insert or update or delete on core_host for each row execute function core_tenant_changed();
create trigger tenant_changed after insert or update or delete on core_override for each row execute function core_tenant_changed();
create trigger tenant_changed after insert or update or delete on core_switch for each row execute function core_tenant_changed();
create trigger tenant_changed after insert or update or delete on core_setting for each row execute function core_tenant_changed();
