import { drivers, seedDemo } from '@storeloom/cli';
import { type Kernel, type Prepared, prepare, readConfig, readInstallation } from '@storeloom/core';
import type pg from 'pg';

export const host = 'bench.localhost';
/** Sizes of a third of the products. */
const sizes = ['M', 'L'];

/** Words of the product names in order of frequency: the first is far more frequent than the last. */
export const names = {
  nouns:
    'shirt jacket lamp bowl blanket table bag chair mug scarf towel vase rug dress coat shelf candle plate kettle apron cushion basket clock mirror ladle tray stool bench curtain frame teapot pan knife board belt wallet glove hat sandal boot'.split(
      ' ',
    ),
  materials:
    'linen cotton wool oak clay copper slate birch leather silk bamboo glass steel brass walnut hemp cork felt marble rattan'.split(
      ' ',
    ),
  colours:
    'navy white black grey green red blue ochre sand olive rust cream teal plum coral mint amber indigo ivory charcoal'.split(
      ' ',
    ),
  looks: 'handmade quilted striped plain folding ribbed glazed woven washed printed brushed rounded tall slim wide soft'.split(
    ' ',
  ),
};
const syllables = 'bra no vel ta rin mo sel da ku lor fen ga his pir zo mar len tu vor shi'.split(' ');
/** A name of three syllables, shared by a few dozen products. */
export const series = (n: number): string =>
  [n, n / syllables.length, n / syllables.length ** 2].map((part) => syllables[Math.floor(part) % syllables.length]).join('');
export const seriesCount = syllables.length ** 3;

export interface RowRulesShop {
  prepared: Prepared;
  kernel: Kernel;
  tenantId: string;
}

/** The repository's installation with three tenants; the first one is measured. `kernel` has one connection. */
export async function openShop(): Promise<RowRulesShop> {
  const demo = ['bench', 'other', 'third'].map((slug) => ({
    slug,
    name: slug,
    host: `${slug}.localhost`,
    locales: ['ro', 'en'],
    currency: 'RON',
    timezone: 'Europe/Bucharest',
    seeds: [],
  }));
  const installation = { ...(await readInstallation(process.cwd())), demo };
  const prepared = await prepare(readConfig(), installation, {
    ownerUrl: process.env.DATABASE_URL as string,
    logLevel: 'error',
    drivers,
  });
  const report = await prepared.migrate();
  if (report.exitCode !== 0) throw new Error(JSON.stringify(report.failed));
  const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false, pool: 2 });
  await seedDemo(kernel, installation, prepared.dataDir, () => undefined);
  const tenants = await tenantsOf(kernel);
  return { prepared, kernel, tenantId: tenants.get('bench') as string };
}

export async function tenantsOf(kernel: Kernel): Promise<Map<string, string>> {
  const { rows } = await kernel.database.withPlatform((tx) =>
    tx.execute({ text: 'select id, slug from core_tenant', values: [] }),
  );
  return new Map((rows as { id: string; slug: string }[]).map(({ id, slug }) => [slug, id]));
}

/**
 * Inserts products of a tenant with the plugins' data: variants, stock, category placements, cards, search documents. Runs as a
 * superuser, without row-level security. A third has two sizes; each has a word of its series, two common words, and an SKU per
 * variant.
 */
export async function fill(client: pg.Client, tenantId: string, count: number): Promise<void> {
  const run = (text: string, ...values: unknown[]): Promise<unknown> => client.query(text, [tenantId, ...values]);
  // The generated rows are consistent, so foreign key checks are skipped.
  await client.query('set session_replication_role = replica; set synchronous_commit = off');
  // Row by row these would take most of the time.
  const { rows: slow } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indexrelid = any($1::regclass[])`,
    [
      [
        'catalog_product_search_idx',
        'search_word_trigram_idx',
        'search_document_titles_idx',
        'search_document_tenant_words_idx',
        'search_document_tenant_codes_idx',
      ],
    ],
  );
  for (const { name } of slow) await client.query(`drop index ${name}`);
  await run(
    `insert into catalog_brand (tenant_id, id, name, slug, active, created_at, updated_at)
     select $1, gen_random_uuid(), 'Brand ' || n, 'brand-' || n, true, now(), now() from generate_series(0, 59) n`,
  );
  await run(
    `insert into catalog_category (tenant_id, id, name, slug, parent_id, position, active, path, depth, created_at, updated_at)
     select $1, id, jsonb_build_object('ro', noun, 'en', noun), noun, null, n, true, jsonb_build_array(id), 0, now(), now()
     from (select gen_random_uuid() as id, noun, n from unnest($2::text[]) with ordinality as x (noun, n)) x`,
    names.nouns,
  );
  await run(
    `insert into inventory_warehouse (tenant_id, id, name, code, active, priority, pickup_enabled, is_default, created_at, updated_at)
     values ($1, gen_random_uuid(), 'Bench', 'bench', true, 0, false, true, now(), now())`,
  );
  await client.query('select setseed(0.5)');
  await run(
    `create temporary table goods as
     select n, gen_random_uuid() as id, noun, material, colour, look, series, initcap(material) || ' ' || noun || ' ' || initcap(series) || ', ' || colour as title,
       'p' || n as slug, 1000 + (n * 37) % 90000 as price, now() - n * interval '1 minute' as at,
       case when n % 3 = 0 then $8::text[] else array[''] end as sizes
     from (
       select n, ($2::text[])[1 + floor(cardinality($2::text[]) * random() ^ 2)::int] as noun, ($3::text[])[1 + floor(cardinality($3::text[]) * random() ^ 2)::int] as material,
         ($4::text[])[1 + floor(cardinality($4::text[]) * random() ^ 2)::int] as colour, ($5::text[])[1 + floor(cardinality($5::text[]) * random())::int] as look,
         ($6::text[])[1 + floor(cardinality($6::text[]) * random())::int] as series
       from generate_series(1, $7::int) n, (select $1::uuid) tenant) x`,
    names.nouns,
    names.materials,
    names.colours,
    names.looks,
    Array.from({ length: seriesCount }, (_, n) => series(n)),
    count,
    sizes,
  );
  await run(
    `create temporary table variants as
     select g.id as product_id, gen_random_uuid() as id, n, size, position - 1 as position, 'SL-' || n || case when size = '' then '' else '-' || size end as sku, price, at
     from goods g cross join lateral unnest(sizes) with ordinality as s (size, position), (select $1::uuid) tenant`,
  );
  await client.query('analyze goods; analyze variants');
  await run(
    `insert into catalog_product (tenant_id, id, title, slug, description, status, type, brand_id, options, images, tags, featured, returnable,
       published_at, position, bundle_pricing, listed, in_stock, price_min_amount, price_min_currency, price_max_amount, price_max_currency,
       rating_hundredths, rating_count, popularity, title_sort, search_text, card, variant_ids, created_at, updated_at)
     select $1, g.id, jsonb_build_object('ro', g.title, 'en', g.title), g.slug, jsonb_build_object('ro', '<p>' || look || ' ' || noun || ', ' || material || '.</p>'),
       'active', 'physical', b.id, case when cardinality(sizes) > 1 then jsonb_build_array(jsonb_build_object('name', 'Size', 'values', sizes)) else '[]' end,
       jsonb_build_array(jsonb_build_object('url', '/files/' || g.slug || '.svg', 'alt', null)), jsonb_build_array(look), n % 200 = 0, true,
       g.at, n % 1000, 'fixed', true, n % 11 <> 0, price, 'RON', price, 'RON', 100 * (n % 5), n % 5, 0,
       lower(g.title), lower(g.slug || ' ' || g.title || ' ' || g.title || ' SL-' || n), v.card, v.ids, g.at, g.at
     from goods g
     join (select product_id, json_agg(json_build_array(id, price, null, 'RON', sku, true, false, null) order by position) as card, array_agg(id order by position) as ids
           from variants group by product_id) v on v.product_id = g.id
     join catalog_brand b on b.tenant_id = $1 and b.slug = 'brand-' || n % 60`,
  );
  await run(
    `insert into catalog_variant (tenant_id, id, product_id, sku, option_values, price_amount, price_currency, track_inventory, allow_backorder,
       position, active, digital_files, sku_key, option_key, dated, created_at, updated_at)
     select $1, id, product_id, sku, case when size = '' then '{}' else jsonb_build_object('Size', size) end, price, 'RON', true, false,
       position, true, '[]', lower(sku), size, false, at, at from variants`,
  );
  await run(
    `insert into inventory_level (tenant_id, id, variant_id, warehouse_id, on_hand, reserved, backordered, incoming, safety_stock, created_at, updated_at)
     select $1, gen_random_uuid(), v.id, w.id, case when n % 11 = 0 then 0 else 50 end, 0, 0, 0, 0, now(), now()
     from variants v join inventory_warehouse w on w.tenant_id = $1`,
  );
  await run(
    `insert into catalog_product_category (tenant_id, id, product_id, category_id, created_at, updated_at)
     select $1, gen_random_uuid(), g.id, c.id, now(), now() from goods g join catalog_category c on c.tenant_id = $1 and c.slug = g.noun`,
  );
  await client.query('analyze catalog_product, catalog_category, catalog_product_category');
  await run(
    `insert into catalog_placement (tenant_id, category_id, product_id, position)
     select $1, pc.category_id, pc.product_id, p.position from catalog_product_category pc
     join catalog_product p on p.tenant_id = pc.tenant_id and p.id = pc.product_id where pc.tenant_id = $1`,
  );
  await run(
    `insert into catalog_shelf_count (tenant_id, category_id, delta)
     select tenant_id, category_id, count(*) from catalog_placement where tenant_id = $1 group by 1, 2`,
  );
  await run(
    `insert into search_document (tenant_id, id, product_id, codes, names, words, popularity, created_at, updated_at)
     select $1, gen_random_uuid(), g.id, v.codes, array[lower(g.title)], setweight(to_tsvector('simple', g.title), 'A')
       || setweight(to_tsvector('simple', 'brand ' || n % 60 || ' ' || noun || ' ' || look), 'B')
       || setweight(to_tsvector('simple', array_to_string(sizes, ' ') || ' ' || replace(array_to_string(v.codes, ' '), '-', ' ')), 'C')
       || setweight(to_tsvector('simple', look || ' ' || noun || ' ' || material), 'D'),
       case when n % 20 = 0 then n % 500 else 0 end, now(), now()
     from goods g join (select product_id, array_agg(lower(sku) order by position) as codes from variants group by product_id) v on v.product_id = g.id`,
  );
  await run(
    `insert into search_word (tenant_id, word, documents)
     select $1, w.lexeme, count(*) from search_document d cross join lateral unnest(d.words) w
     where d.tenant_id = $1 and length(w.lexeme) between 3 and 40 group by w.lexeme`,
  );
  for (const { definition } of slow) await client.query(definition);
  await client.query('drop table goods, variants');
}
