-- Words that very many documents have are not ranked in all of them. Looked at are, each up to 1,000: those that have the whole words in
-- their title; where these are fewer, those that have them anywhere, with the last one begun; where these are more, those that have them so
-- in their title, and those among the products that sell best. Planned for the words and the tenant at hand, since a word may be in one
-- document or in all; never by reading the table, which holds other tenants' documents too.
-- With the tenant in each index no document of another one is looked at. Without fastupdate: what waits to be put in its place would be
-- read by every search, and makes the planner shun the index.
create extension if not exists btree_gin;
create index search_document_titles_idx on search_document using gin (tenant_id, ts_filter(words, '{a}')) with (fastupdate = off);
create index search_document_tenant_words_idx on search_document using gin (tenant_id, words) with (fastupdate = off);
create index search_document_tenant_codes_idx on search_document using gin (tenant_id, codes) with (fastupdate = off);
drop index search_document_words_idx, search_document_codes_idx;

set local role storeloom_platform;
create function search_best(whole tsquery, begun tsquery, most integer) returns table (product_id uuid, rank real)
  language plpgsql stable security definer set search_path = pg_catalog, public
  set enable_seqscan = off set random_page_cost = 4 set jit = off set max_parallel_workers_per_gather = 0 as $$
begin
  return query execute $q$
    with titled as materialized (
      select d.product_id, ts_rank(d.words, $2) as rank, d.popularity from public.search_document d
      where d.tenant_id = $3 and ts_filter(d.words, '{a}') @@ $1 limit 1000
    ), anywhere as materialized (
      select d.product_id, ts_rank(d.words, $2) as rank, d.popularity from public.search_document d
      where d.tenant_id = $3 and d.words @@ $2 and (select count(*) from titled) < 1000 limit 1000
    ), begun as materialized (
      select d.product_id, ts_rank(d.words, $2) as rank, d.popularity from public.search_document d
      where d.tenant_id = $3 and ts_filter(d.words, '{a}') @@ $2 and (select count(*) from anywhere) >= 1000 limit 1000
    ), sold as (
      select d.product_id, ts_rank(d.words, $2) as rank, d.popularity from (
        select * from public.search_document s where s.tenant_id = $3 order by s.popularity desc, s.product_id limit 1000) d
      where d.words @@ $2 and greatest((select count(*) from titled), (select count(*) from anywhere)) >= 1000
    )
    select c.product_id, c.rank from (
      select * from titled union select * from begun union select * from anywhere union select * from sold) c
    order by c.rank desc, c.popularity desc, c.product_id limit $4 $q$
    using whole, begun, nullif(current_setting('app.tenant_id', true), '')::uuid, least(most, 1000);
end $$;
-- For processes of the release before.
create or replace function search_matches(query tsquery, most integer) returns table (product_id uuid, rank real)
  language sql stable security definer set search_path = pg_catalog, public as $$ select * from public.search_best(query, query, most) $$;

-- An exact SKU or barcode: array operators are not leakproof either.
create function search_codes(code text, most integer) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public as $$
  with found as materialized (
    select d.product_id from public.search_document d
    where d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid and d.codes @> array[code]
  ) select f.product_id from found f order by f.product_id limit least(most, 50) $$;

revoke all on function search_best(tsquery, tsquery, integer), search_codes(text, integer) from public;
grant execute on function search_best(tsquery, tsquery, integer), search_codes(text, integer) to storeloom_app;
reset role;
