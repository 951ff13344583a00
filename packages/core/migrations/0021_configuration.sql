-- What a shop is set up with (rates, zones, methods, groups, promotions) is read by every sale and hardly ever written. The revision tells a
-- process whether what it remembers of it still holds; it changes in the transaction of the write, and is never one that was there before.
create table core_configuration (
  tenant_id uuid primary key,
  revision uuid not null,
  writer xid8 not null
);
select core_tenant_table('core_configuration');

create function core_configuration_changed() returns trigger language plpgsql as $$
declare
  ignored text[] := array['version', 'updated_at'] || coalesce(tg_argv, '{}');
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - ignored = to_jsonb(old) - ignored then
    return null;
  end if;
  insert into core_configuration as c (tenant_id, revision, writer)
    values (coalesce(new.tenant_id, old.tenant_id), gen_random_uuid(), pg_current_xact_id())
    on conflict (tenant_id) do update set revision = excluded.revision, writer = excluded.writer where c.writer <> excluded.writer;
  return null;
end $$;

-- Marks a plugin's table as configuration. Changes of the ignored columns alone (counters) don't count as such.
create function core_configuration_table(name regclass, variadic ignored text[] default '{}') returns void language plpgsql as $$
begin
  execute format('create trigger configuration after insert or update or delete on %s for each row execute function core_configuration_changed(%s)',
    name, (select coalesce(string_agg(quote_literal(i), ', '), '') from unnest(ignored) i));
end $$;
