import { stock as stockService } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { repriceBundles } from '../bundle/price.ts';
import { placeProducts } from '../category/placement.ts';
import { priceAt, recordPrices } from '../pricing/price-history.ts';
import { queued } from '../queued.ts';
import { cardOf } from './card.ts';

/**
 * Updates the data derived from products and variants; every write calls it in its transaction. Updates price history, bundle prices, the
 * columns for sorting and filtering, category placements and stock flags, and enqueues a job for each future start or end of a price or
 * publication.
 */
export async function settle(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  if (productIds.length === 0) return;
  const bundles = await bundlesOf(ctx, productIds);
  const all = [...new Set([...productIds, ...bundles])];
  await repriceBundles(ctx, all);
  await recordPrices(ctx, all);
  await refreshListing(ctx, all);
  await placeProducts(ctx, all);
  await refreshStock(ctx, all);
  await scheduleChanges(ctx, productIds);
  ctx.dropCache('catalog');
}

/** Bundles that contain a variant of the products. */
async function bundlesOf(ctx: Ctx, productIds: readonly string[]): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select distinct c.product_id as id from catalog_variant v
    join catalog_bundle_component c on c.tenant_id = v.tenant_id and c.variant_id = v.id
    where v.tenant_id = ${ctx.tenant.id} and v.product_id = any(${[...productIds]}::uuid[])`);
  return rows.map(({ id }) => id);
}

/**
 * Updates `listed`, price range, sort title, search text, facet values and card, but not `version` or `updatedAt`. Products with dated prices store no
 * card: their price changes at an exact instant, and the job runs later.
 */
async function refreshListing(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  const at = ctx.clock.now();
  await ctx.db.run(sql`
    update catalog_product p set listed = x.listed, price_min_amount = x.low, price_min_currency = x.currency,
      price_max_amount = x.high, price_max_currency = x.currency, title_sort = x.title, search_text = x.words, card = x.card,
      variant_ids = x.variant_ids, facet_values = x.facet_values
    from (
      select p.id, v.currency, coalesce(v.low, v.lowest) as low, coalesce(v.high, v.highest) as high,
        p.status = 'active' and p.published_at is not null and v.low is not null and (p.type <> 'bundle' or b.complete) as listed,
        left(core_unaccent(coalesce(p.title ->> ${ctx.tenant.defaultLocale}, '')), 1000) as title,
        left(core_unaccent(concat_ws(' ', p.slug, (select string_agg(t.value, ' ' order by t.key) from jsonb_each_text(p.title) t), v.codes)), 100000) as words,
        case when not v.dated then v.card end as card, case when not v.dated then v.ids end as variant_ids,
        jsonb_build_object('tags', (select coalesce(jsonb_agg(distinct g.tag), '[]') from jsonb_array_elements_text(p.tags) g (tag)),
          'options', coalesce(o.options, '{}'))::text as facet_values
      from catalog_product p
      left join lateral (
        select min(v.price_currency) as currency,
          min(v.amount) filter (where v.active) as low, max(v.amount) filter (where v.active) as high,
          min(v.amount) as lowest, max(v.amount) as highest,
          string_agg(concat_ws(' ', v.sku, v.barcode), ' ' order by v.position, v.id) as codes,
          bool_or(v.dated) as dated, json_agg(${cardOf} order by v.position, v.id) filter (where v.active) as card,
          array_agg(v.id order by v.position, v.id) filter (where v.active) as ids
        from (select v.*, ${priceAt(at)} as amount from catalog_variant v
              where v.tenant_id = p.tenant_id and v.product_id = p.id and v.deleted_at is null) v
      ) v on true
      left join lateral (
        select jsonb_object_agg(o.name, o.vals) as options from (
          select e.key as name, jsonb_agg(distinct e.value) as vals
          from catalog_variant v cross join lateral jsonb_each_text(v.option_values) e
          where v.tenant_id = p.tenant_id and v.product_id = p.id and v.active and v.deleted_at is null group by e.key) o
      ) o on true
      left join lateral (
        select coalesce(bool_and(cv.active and cv.deleted_at is null and cp.status = 'active'), false) as complete
        from catalog_bundle_component c
        join catalog_variant cv on cv.tenant_id = c.tenant_id and cv.id = c.variant_id
        join catalog_product cp on cp.tenant_id = cv.tenant_id and cp.id = cv.product_id
        where c.tenant_id = p.tenant_id and c.product_id = p.id
      ) b on p.type = 'bundle'
      where p.tenant_id = ${ctx.tenant.id} and p.id = any(${[...productIds]}::uuid[])
    ) x
    where p.tenant_id = ${ctx.tenant.id} and p.id = x.id
      and (p.listed, p.price_min_amount, p.price_max_amount, p.price_min_currency, p.title_sort, p.search_text, p.card::text, p.variant_ids,
          p.facet_values)
        is distinct from (x.listed, x.low, x.high, x.currency, x.title, x.words, x.card::text, x.variant_ids, x.facet_values)`);
}

interface StockFlag {
  id: string;
  inStock: boolean;
}

/** Stored flags that differ from the present availability. A product is available if an active variant is. */
async function wrongFlags(ctx: Ctx, productIds: readonly string[]): Promise<{ products: StockFlag[]; variants: StockFlag[] }> {
  if (productIds.length === 0) return { products: [], variants: [] };
  const rows = await ctx.db.rows<{ id: string; inStock: boolean; variantId: string | null; variantInStock: boolean | null }>(sql`
    select p.id, p.in_stock as "inStock", v.id as "variantId", v.in_stock as "variantInStock" from catalog_product p
    left join catalog_variant v on v.tenant_id = p.tenant_id and v.product_id = p.id and v.active and v.deleted_at is null
    where p.tenant_id = ${ctx.tenant.id} and p.id = any(${[...productIds]}::uuid[])`);
  const variantIds = rows.flatMap(({ variantId }) => variantId ?? []);
  const views = await ctx.use(stockService)?.availability(variantIds);
  const isAvailable = (id: string | null): boolean => id !== null && views?.get(id)?.availability !== 'out_of_stock';
  const available = new Set(rows.filter(({ variantId }) => isAvailable(variantId)).map(({ id }) => id));
  const products = new Map(rows.map(({ id, inStock }) => [id, inStock]));
  return {
    products: [...products].flatMap(([id, inStock]) => (inStock === available.has(id) ? [] : [{ id, inStock: !inStock }])),
    variants: rows.flatMap(({ variantId: id, variantInStock: inStock }) =>
      id === null || inStock === isAvailable(id) ? [] : [{ id, inStock: !inStock }],
    ),
  };
}

/**
 * Updates the availability of variants and products for the `inStock` filter. Returns products with a change. Flags change under the lock
 * of the product by an availability that is read under it, so that an older one doesn't overwrite a newer one.
 */
export async function refreshStock(ctx: Ctx, productIds: readonly string[]): Promise<string[]> {
  const seen = await wrongFlags(ctx, productIds);
  if (seen.products.length + seen.variants.length === 0) return [];
  const ids = (flags: readonly StockFlag[]): string[] => flags.map(({ id }) => id);
  const locked = await ctx.db.rows<{ id: string }>(sql`
    select p.id from catalog_product p where p.tenant_id = ${ctx.tenant.id} and (p.id = any(${ids(seen.products)}::uuid[]) or p.id in (
      select v.product_id from catalog_variant v where v.tenant_id = ${ctx.tenant.id} and v.id = any(${ids(seen.variants)}::uuid[])))
    order by p.id for no key update`);
  const { products, variants } = await wrongFlags(
    ctx,
    locked.map(({ id }) => id),
  );
  const flags = (list: readonly StockFlag[]): boolean[] => list.map(({ inStock }) => inStock);
  const owners =
    variants.length === 0
      ? []
      : await ctx.db.rows<{ id: string }>(sql`
          update catalog_variant v set in_stock = x.flag
          from unnest(${ids(variants)}::uuid[], ${flags(variants)}::boolean[]) as x (id, flag)
          where v.tenant_id = ${ctx.tenant.id} and v.id = x.id returning v.product_id as id`);
  if (products.length > 0)
    await ctx.db.run(sql`
      update catalog_product p set in_stock = x.flag
      from unnest(${ids(products)}::uuid[], ${flags(products)}::boolean[]) as x (id, flag)
      where p.tenant_id = ${ctx.tenant.id} and p.id = x.id`);
  return [...new Set([...ids(products), ...owners.map(({ id }) => id)])];
}

/** Enqueues a job for each future instant at which a product is published, or a dated price or volume price starts or ends. */
export async function scheduleChanges(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  const now = ctx.clock.now();
  const rows = await ctx.db.rows<{ id: string; at: string }>(sql`
    select distinct x.id, x.at from (
      select p.id, p.published_at as at from catalog_product p where p.tenant_id = ${ctx.tenant.id} and p.id = any(${[...productIds]}::uuid[])
      union all
      select v.product_id, unnest(array[x.starts_at, x.ends_at]) from catalog_variant v
      join catalog_variant_price x on x.tenant_id = v.tenant_id and x.variant_id = v.id
      where v.tenant_id = ${ctx.tenant.id} and v.product_id = any(${[...productIds]}::uuid[]) and v.deleted_at is null
      union all
      select q.product_id, unnest(array[q.starts_at, q.ends_at]) from catalog_volume_price q
      where q.tenant_id = ${ctx.tenant.id} and q.product_id = any(${[...productIds]}::uuid[])
    ) x where x.at > ${now}::timestamptz order by x.at limit 2000`);
  for (const { id, at } of rows) await ctx.enqueue(queued.changeDue, { productId: id }, { startAfter: at, key: `${id} ${at}` });
}
