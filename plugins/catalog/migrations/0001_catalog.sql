create table catalog_brand (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name text not null,
  slug text not null,
  logo text,
  website text,
  description jsonb,
  active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint catalog_brand_slug_key unique (tenant_id, slug)
);
select core_tenant_table('catalog_brand');

create table catalog_category (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  name jsonb not null,
  slug text not null,
  parent_id uuid,
  position integer not null,
  description jsonb,
  image text,
  active boolean not null,
  seo jsonb,
  metadata jsonb,
  path jsonb not null,
  depth integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  -- Unique below one parent, the root being one.
  constraint catalog_category_slug_key unique nulls not distinct (tenant_id, parent_id, slug),
  foreign key (tenant_id, parent_id) references catalog_category (tenant_id, id)
);
create index catalog_category_slug_idx on catalog_category (tenant_id, slug);
select core_tenant_table('catalog_category');

create table catalog_product (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  title jsonb not null,
  slug text not null,
  description jsonb,
  short_description jsonb,
  status text not null check (status in ('draft', 'active', 'archived')),
  type text not null check (type in ('physical', 'digital', 'service', 'bundle', 'gift_card')),
  brand_id uuid,
  vendor_id uuid,
  tax_category_id uuid,
  options jsonb not null,
  images jsonb not null,
  tags jsonb not null,
  featured boolean not null,
  returnable boolean not null,
  min_age integer,
  seo jsonb,
  weight_g integer,
  hs_code text,
  country_of_origin text,
  published_at timestamptz,
  position integer not null,
  metadata jsonb,
  bundle_pricing text not null check (bundle_pricing in ('fixed', 'sum', 'sum_minus_percent')),
  bundle_percent_bp integer,
  listed boolean not null,
  in_stock boolean not null,
  price_min_amount bigint,
  price_min_currency char(3),
  price_max_amount bigint,
  price_max_currency char(3),
  rating_hundredths integer not null,
  rating_count integer not null,
  popularity integer not null,
  title_sort text not null,
  search_text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  -- Archived ones included: their addresses stay theirs.
  constraint catalog_product_slug_key unique (tenant_id, slug),
  foreign key (tenant_id, brand_id) references catalog_brand (tenant_id, id),
  check (bundle_pricing <> 'sum_minus_percent' or bundle_percent_bp is not null),
  check (not listed or (published_at is not null and price_min_amount is not null))
);
-- Storefront lists: one index a sort, over what shoppers see. Each ends in the key that a cursor ends in.
create index catalog_product_position_idx on catalog_product (tenant_id, position, id) where listed;
create index catalog_product_price_idx on catalog_product (tenant_id, price_min_amount, id) where listed;
create index catalog_product_newest_idx on catalog_product (tenant_id, created_at, id) where listed;
create index catalog_product_title_idx on catalog_product (tenant_id, title_sort, id) where listed;
create index catalog_product_popularity_idx on catalog_product (tenant_id, popularity, id) where listed;
create index catalog_product_rating_idx on catalog_product (tenant_id, rating_hundredths, id) where listed;
create index catalog_product_published_idx on catalog_product (tenant_id, published_at) where listed;
create index catalog_product_featured_idx on catalog_product (tenant_id, position, id) where listed and featured;
-- The list of staff, newest first.
create index catalog_product_created_idx on catalog_product (tenant_id, created_at, id);
create index catalog_product_updated_idx on catalog_product (tenant_id, updated_at, id);
create index catalog_product_brand_idx on catalog_product (tenant_id, brand_id) where brand_id is not null;
create index catalog_product_vendor_idx on catalog_product (tenant_id, vendor_id) where vendor_id is not null;
create index catalog_product_search_idx on catalog_product using gist (tenant_id, search_text gist_trgm_ops);
select core_tenant_table('catalog_product');

-- Text operators aren't leakproof, so no index serves them under row-level security; the platform role's policy folds away.
create function catalog_product_search(pattern text, most integer) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public
  as $$ select p.id from public.catalog_product p
        where p.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid and p.search_text like public.core_unaccent(pattern)
        limit least(greatest(most, 0), 10000) $$;
alter function catalog_product_search(text, integer) owner to storeloom_platform;
revoke all on function catalog_product_search(text, integer) from public;
grant execute on function catalog_product_search(text, integer) to storeloom_app;

create table catalog_product_category (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  product_id uuid not null,
  category_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint catalog_product_category_key unique (tenant_id, product_id, category_id),
  foreign key (tenant_id, product_id) references catalog_product (tenant_id, id) on delete cascade,
  foreign key (tenant_id, category_id) references catalog_category (tenant_id, id) on delete cascade
);
create index catalog_product_category_category_idx on catalog_product_category (tenant_id, category_id, product_id);
select core_tenant_table('catalog_product_category');

-- Listed products in each of their categories and all above, kept by listing.ts: the storefront filters and counts by it without a join.
create table catalog_placement (
  tenant_id uuid not null references core_tenant (id),
  category_id uuid not null,
  product_id uuid not null,
  position integer not null,
  primary key (tenant_id, category_id, product_id),
  foreign key (tenant_id, category_id) references catalog_category (tenant_id, id) on delete cascade,
  foreign key (tenant_id, product_id) references catalog_product (tenant_id, id) on delete cascade
);
create index catalog_placement_position_idx on catalog_placement (tenant_id, category_id, position, product_id);
create index catalog_placement_product_idx on catalog_placement (tenant_id, product_id);
select core_tenant_table('catalog_placement');

-- How many products each shelf holds, as changes to be added up: a product's write adds a row and waits for nobody.
create table catalog_shelf_count (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null default gen_random_uuid(),
  category_id uuid not null,
  delta integer not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, category_id) references catalog_category (tenant_id, id) on delete cascade
);
create index catalog_shelf_count_category_idx on catalog_shelf_count (tenant_id, category_id);
select core_tenant_table('catalog_shelf_count');

create table catalog_variant (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  product_id uuid not null,
  sku text not null,
  barcode text,
  option_values jsonb not null,
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  compare_at_price_amount bigint check (compare_at_price_amount >= 0),
  compare_at_price_currency char(3),
  cost_amount bigint check (cost_amount >= 0),
  cost_currency char(3),
  min_price_amount bigint check (min_price_amount >= 0),
  min_price_currency char(3),
  weight_g integer,
  dims_mm jsonb,
  track_inventory boolean not null,
  allow_backorder boolean not null,
  backorder_limit integer,
  min_per_order integer,
  max_per_order integer,
  step integer,
  position integer not null,
  active boolean not null,
  digital_files jsonb not null,
  metadata jsonb,
  sku_key text not null,
  option_key text not null,
  dated boolean not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, product_id) references catalog_product (tenant_id, id) on delete cascade,
  -- Checked at the end of a product's write, so that two variants may change places. A removed one has its id for a key.
  constraint catalog_variant_option_values_key unique (tenant_id, product_id, option_key) deferrable initially immediate
);
create unique index catalog_variant_sku_key on catalog_variant (tenant_id, sku_key) where deleted_at is null;
create unique index catalog_variant_barcode_key on catalog_variant (tenant_id, barcode) where deleted_at is null;
create index catalog_variant_product_idx on catalog_variant (tenant_id, product_id, position, id) where deleted_at is null;
select core_tenant_table('catalog_variant');

create table catalog_variant_price (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  variant_id uuid not null,
  price_amount bigint not null check (price_amount >= 0),
  price_currency char(3) not null,
  price_list_code text,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (starts_at < ends_at),
  foreign key (tenant_id, variant_id) references catalog_variant (tenant_id, id) on delete cascade
);
create index catalog_variant_price_variant_idx on catalog_variant_price (tenant_id, variant_id);
select core_tenant_table('catalog_variant_price');

-- No foreign key: what was asked for when is proof, also of variants that are gone.
create table catalog_price_history (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  variant_id uuid not null,
  price_list_code text,
  price_amount bigint not null,
  price_currency char(3) not null,
  compare_at_price_amount bigint,
  compare_at_price_currency char(3),
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index catalog_price_history_variant_idx on catalog_price_history (tenant_id, variant_id, created_at);
select core_tenant_table('catalog_price_history', true);

create table catalog_bundle_component (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  product_id uuid not null,
  variant_id uuid not null,
  quantity integer not null check (quantity >= 1),
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint catalog_bundle_component_variant_id_key unique (tenant_id, product_id, variant_id),
  foreign key (tenant_id, product_id) references catalog_product (tenant_id, id) on delete cascade,
  foreign key (tenant_id, variant_id) references catalog_variant (tenant_id, id)
);
create index catalog_bundle_component_variant_idx on catalog_bundle_component (tenant_id, variant_id);
select core_tenant_table('catalog_bundle_component');

create table catalog_volume_price (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  min_quantity integer not null check (min_quantity >= 2),
  price_amount bigint check (price_amount >= 0),
  price_currency char(3),
  percent_bp integer check (percent_bp between 0 and 10000),
  fixed_off_amount bigint check (fixed_off_amount >= 0),
  fixed_off_currency char(3),
  mode text not null check (mode in ('all_units', 'graduated')),
  aggregate text not null check (aggregate in ('variant', 'product')),
  customer_group_id uuid,
  starts_at timestamptz,
  ends_at timestamptz,
  allow_increasing boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  check (num_nonnulls(price_amount, percent_bp, fixed_off_amount) = 1),
  check (starts_at < ends_at),
  foreign key (tenant_id, product_id) references catalog_product (tenant_id, id) on delete cascade,
  foreign key (tenant_id, variant_id) references catalog_variant (tenant_id, id) on delete cascade
);
create unique index catalog_volume_price_min_quantity_key on catalog_volume_price
  (tenant_id, product_id, variant_id, min_quantity, coalesce(price_currency, fixed_off_currency), customer_group_id) nulls not distinct;
create index catalog_volume_price_variant_idx on catalog_volume_price (tenant_id, variant_id) where variant_id is not null;
select core_tenant_table('catalog_volume_price');

create table catalog_wishlist_item (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  customer_id uuid not null,
  variant_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint catalog_wishlist_item_variant_id_key unique (tenant_id, customer_id, variant_id),
  foreign key (tenant_id, variant_id) references catalog_variant (tenant_id, id) on delete cascade
);
create index catalog_wishlist_item_variant_idx on catalog_wishlist_item (tenant_id, variant_id);
select core_tenant_table('catalog_wishlist_item');
