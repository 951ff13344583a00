-- Searched text is folded wherever it is written.
create function orders_fold_search_text() returns trigger language plpgsql as $$
begin
  new.search_text := public.core_unaccent(new.search_text);
  return new;
end $$;
create trigger fold_search_text before insert or update of search_text on orders_order
  for each row execute function orders_fold_search_text();
