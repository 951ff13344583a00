-- The next order number: unique, gaps allowed, and nobody waits for it. Each placement tries the numbers after the last known one and takes
-- the first that no order has and that nobody else holds; it holds its own, by its text, until it is committed or rolled back. Formats that
-- write a number alike hold the same text. `before`, `after` and `width` say how a number is written; the counter only says where to begin.
create function orders_next_number(name text, before text, after text, width integer) returns bigint language plpgsql volatile as $$
declare
  tenant constant uuid := public.core_current_tenant();
  around constant integer := length(before) + length(after);
  written text;
  taken integer := 0;
  candidate bigint := coalesce((select n.value from public.orders_number n where n.tenant_id = tenant and n.series = name), 0);
begin
  loop
    candidate := candidate + 1;
    written := before || lpad(candidate::text, greatest(width, length(candidate::text)), '0') || after;
    continue when not pg_try_advisory_xact_lock(hashtextextended(format('orders.number %s %s', tenant, written), 0));
    -- Looked at after it is held: whoever held it before has committed by now, or never will.
    exit when not exists (select from public.orders_order o where o.tenant_id = tenant and o.number = written);
    taken := taken + 1;
    -- More than the counter can lag behind: another format has given them, and the greatest of them is worth looking for.
    if taken = 50 then
      select greatest(candidate, max(case when m.middle ~ '^[0-9]{1,15}$' then m.middle::bigint end)) into candidate
        from public.orders_order o cross join lateral (select substr(o.number, length(before) + 1, length(o.number) - around) as middle) m
        where o.tenant_id = tenant and length(o.number) > around and starts_with(o.number, before) and right(o.number, length(after)) = after;
    end if;
  end loop;
  -- One at a time writes the counter, the others leave it: then it lags behind by those that are being placed at this moment.
  if pg_try_advisory_xact_lock(hashtextextended(format('orders.series %s %s', tenant, name), 0)) then
    insert into public.orders_number as n (tenant_id, series, value) values (tenant, name, candidate)
      on conflict (tenant_id, series) do update set value = excluded.value where n.value < excluded.value;
  end if;
  return candidate;
end $$;
