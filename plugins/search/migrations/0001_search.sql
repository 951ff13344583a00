-- One document a visible product. Texts are folded (no case, no diacritics) by the plugin before they come here.
create table search_document (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  product_id uuid not null,
  codes text[] not null default '{}',
  names text[] not null default '{}',
  words tsvector not null,
  popularity bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint search_document_product_id_key unique (tenant_id, product_id)
);
create index search_document_words_idx on search_document using gin (words);
create index search_document_codes_idx on search_document using gin (codes);
create index search_document_popularity_idx on search_document (tenant_id, popularity desc, product_id);
select core_tenant_table('search_document');

-- Words of the documents, to find what a misspelt one meant.
create table search_word (
  tenant_id uuid not null references core_tenant (id),
  word text not null,
  documents integer not null,
  primary key (tenant_id, word)
);
create index search_word_trigram_idx on search_word using gin (word gin_trgm_ops);
select core_tenant_table('search_word');

create table search_query (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  query text not null,
  results integer not null,
  mode text not null,
  session_hash text not null,
  clicked_product_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index search_query_created_idx on search_query (tenant_id, created_at);
create index search_query_session_idx on search_query (tenant_id, session_hash, created_at desc);
select core_tenant_table('search_query');

-- What was looked at and bought: by session for what was seen last, by pair for what is bought together.
create table search_signal (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  session_hash text not null,
  event text not null check (event in ('view', 'click', 'add', 'purchase')),
  product_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index search_signal_session_idx on search_signal (tenant_id, session_hash, created_at desc);
create index search_signal_created_idx on search_signal (tenant_id, created_at);
select core_tenant_table('search_signal', true);

create table search_pair (
  tenant_id uuid not null references core_tenant (id),
  product_id uuid not null,
  other_id uuid not null,
  orders integer not null,
  primary key (tenant_id, product_id, other_id)
);
select core_tenant_table('search_pair');

create table search_counted_order (
  tenant_id uuid not null references core_tenant (id),
  order_id uuid not null,
  primary key (tenant_id, order_id)
);
select core_tenant_table('search_counted_order');

-- Text operators are not leakproof, so no index is used under row-level security. These functions belong to the platform role, whose policy
-- folds away, and name the tenant themselves.
create function search_matches(query tsquery, most integer) returns table (product_id uuid, rank real)
  language sql stable security definer set search_path = pg_catalog, public as $$
  select d.product_id, ts_rank(d.words, query) from public.search_document d
  where d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid and d.words @@ query
  order by 2 desc, d.popularity desc, d.product_id limit least(most, 5000) $$;
create function search_near_words(wanted text, distance integer, most integer) returns table (word text, documents integer, edits integer)
  language sql stable security definer set search_path = pg_catalog, public as $$
  select w.word, w.documents, levenshtein_less_equal(w.word, wanted, distance) as edits from public.search_word w
  where w.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid and w.word operator(public.%) wanted and length(w.word) < 60
    and levenshtein_less_equal(w.word, wanted, distance) <= distance
  order by 3, 2 desc, 1 limit least(most, 50) $$;
alter function search_matches(tsquery, integer) owner to storeloom_platform;
alter function search_near_words(text, integer, integer) owner to storeloom_platform;
revoke all on function search_matches(tsquery, integer), search_near_words(text, integer, integer) from public;
grant execute on function search_matches(tsquery, integer), search_near_words(text, integer, integer) to storeloom_app;
