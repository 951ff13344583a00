import type { Facet, Facets } from '@storeloom/commerce';
import { type Ctx, type LocalText, type RawBuilder, splitValues, sql } from '@storeloom/plugin-sdk';
import { textOf } from '../texts.ts';
import { metafieldConditions, metafieldFacets, metafieldPrefix } from './metafield-filter.ts';
import { genericPlan, type ShelfQuery, shelf } from './shelf-query.ts';
import {
  availableSql,
  generalVariantPrices,
  isVariantInStock,
  priceBounds,
  shownPrices,
  type VariantPrices,
  variantCondition,
  variantMatches,
  wantedStock,
} from './variant-filter.ts';
import { type Viewer, viewerOf } from './viewer.ts';
import { hiddenAmong, isShown } from './visible.ts';

const yes = sql`true`;

/** SQL condition of each active filter on products, by facet. The counts of a facet exclude its own filter. */
async function conditionsOf(ctx: Ctx, query: ShelfQuery): Promise<Map<string, RawBuilder<unknown>>> {
  const conditions = new Map<string, RawBuilder<unknown>>();
  for (const [name, operators] of query.filters) {
    if (name === 'price' || name === 'inStock') continue;
    const filter = shelf.options.filters?.[name];
    const parts = [...operators].map(([operator, value]) => {
      if (filter?.where) return filter.where(operator, value);
      const column = sql.raw(filter?.column ?? `t.${name}`);
      return Array.isArray(value) ? sql`${column} = any(${value})` : sql`${column} = ${value}`;
    });
    conditions.set(name, sql`(${sql.join(parts, sql` and `)})`);
  }
  for (const { name, condition } of await metafieldConditions(ctx, query.metafields, true)) {
    const facet = `${metafieldPrefix}${name}`;
    const known = conditions.get(facet);
    conditions.set(facet, known ? sql`${known} and ${condition}` : condition);
  }
  return conditions;
}

/**
 * The viewer's prices as the CTE `shown_price`, of all variants that a count may need. Without a price filter only the range needs
 * them.
 */
async function viewerPrices(
  ctx: Ctx,
  query: ShelfQuery,
  viewer: Viewer,
  among: RawBuilder<unknown>,
): Promise<{ cte: RawBuilder<unknown>; prices: VariantPrices }> {
  if (viewer.general) return { cte: sql``, prices: generalVariantPrices(ctx) };
  const { condition } = variantMatches(query, generalVariantPrices(ctx), 'price');
  const match = priceBounds(query).length === 0 ? condition : yes;
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select v.id from catalog_product t
    join catalog_variant v on v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null
    where ${among} and ${match}`);
  const amounts = await shownPrices(
    viewer,
    rows.map(({ id }) => id),
  );
  return {
    cte: sql`shown_price as materialized (select * from unnest(${[...amounts.keys()]}::uuid[], ${[...amounts.values()]}::bigint[]) as x (id, amount)), `,
    prices: { amount: sql`s.amount`, join: sql`join shown_price s on s.id = v.id`, general: false },
  };
}

const maxOptions = 30;

interface Counted {
  facet: string;
  value: string;
  label: LocalText | null;
  count: number;
  /** Ids that a filter accepts instead of the value. */
  ids: string[] | null;
}

/**
 * Facet values with counts over the visible products, or over `ids` among them. A count is the size of the result with that value as the
 * only filter of its facet. The conditions are those of the list, so counts and totals agree. Facets without an active filter share one
 * scan.
 */
export async function facetsOf(ctx: Ctx, query: ShelfQuery, ids: readonly string[] | null): Promise<Facets> {
  const tenant = sql`${ctx.tenant.id}`;
  const conditions = await conditionsOf(ctx, query);
  const among = ids === null ? yes : sql`t.id = any(${[...ids]}::uuid[])`;
  const noOptions = query.options.size === 0 && query.metafields.length === 0;
  const wholeShop = ids === null && noOptions && [...query.filters.keys()].every((name) => name === 'category');
  // Without filters, planning costs more than the better plan saves.
  const setPlan = () => (query.conditions.length === 0 && noOptions ? ctx.db.rows(genericPlan) : undefined);
  const [, hidden, shared, viewer] = await Promise.all([
    setPlan(),
    hiddenProducts(ctx, among),
    wholeShop ? sharedSlugs(ctx) : [],
    viewerOf(ctx, query.extra.currency),
  ]);
  const shown = sql`${isShown(ctx)} and ${among}${hidden.length > 0 ? sql` and t.id <> all(${hidden}::uuid[])` : sql``}`;
  /** SQL condition: products that match all filters on products except that of the facet. */
  const products = (facet: string | null): RawBuilder<unknown> =>
    sql.join([shown, ...[...conditions].filter(([name]) => name !== facet).map(([, condition]) => condition)], sql` and `);
  const { cte, prices } = await viewerPrices(ctx, query, viewer, priceBounds(query).length > 0 ? shown : products(null));
  /** SQL condition: products that match all filters except that of the facet. */
  const passing = (facet: string | null): RawBuilder<unknown> =>
    sql`${products(facet)} and ${variantCondition(ctx, query, prices, facet)}`;
  const wanted = wantedStock(query);
  // One variant must have the value and match the other filters.
  const otherOptions = variantMatches(query, prices);
  // Without another filter on variants the stored values of the product suffice.
  const storedOptions = otherOptions.count === 0 && wanted === undefined;
  /** Groups products with equal facet values into one row. The number of groups is small even in a large shop. */
  const kinds = (
    facet: string | null,
  ): RawBuilder<unknown> => sql`(select t.brand_id, ${availableSql(ctx, query, prices)} as in_stock, t.rating_hundredths / 100 as rating,
      t.rating_count > 0 as rated, t.facet_values, count(*) as n, min(t.price_min_amount) as low, max(t.price_max_amount) as high
    from catalog_product t where ${passing(facet)} group by 1, 2, 3, 4, 5)`;
  const source = (filter: string): RawBuilder<unknown> => (query.filters.has(filter) ? kinds(filter) : sql`counted`);
  const placed = (slugs: RawBuilder<unknown>): RawBuilder<unknown> => inCategories(tenant, passing('category'), slugs);
  const categories = sql.join(
    [
      wholeShop ? onShelves(ctx, hidden, shared) : placed(yes),
      ...(shared.length > 0 ? [placed(sql`c.slug = any(${shared}::text[])`)] : []),
    ],
    sql` union all `,
  );
  const variants = (facet: string | null, join: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`catalog_product t join catalog_variant v on v.tenant_id = ${tenant} and v.product_id = t.id and v.active and v.deleted_at is null ${join}
      where ${products(facet)}`;
  // Unavailable: none of the variants with the value is available.
  const stockOfValue = wanted === undefined ? sql`` : sql` having bool_or(${isVariantInStock(ctx)}) = ${wanted}`;
  const chosen = [...query.options.keys()];
  const chosenOption = (name: string): RawBuilder<unknown> => {
    const { condition, join } = variantMatches(query, prices, `option:${name}`);
    return sql`union all select ${`option:${name}`}::text, x.value, null, count(*), null from (
      select t.id, v.option_values ->> ${name} as value from ${variants(null, join)} and v.option_values ? ${name} and ${condition}
      group by 1, 2${stockOfValue}) x group by x.value`;
  };
  const ofRange = variantMatches(query, prices, 'price');
  const storedRange = prices.general && ofRange.count === 0 && wanted === undefined;
  const range = storedRange
    ? sql`select min(t.low) as low, max(t.high) as high from ${source('price')} t`
    : sql`select min(${prices.amount}) as low, max(${prices.amount}) as high from ${variants(null, prices.join)} and ${ofRange.condition}
        and ${variantCondition(ctx, query, prices, 'price')}${wanted === true ? sql` and ${isVariantInStock(ctx)}` : sql``}`;
  const counts = sql`
    with ${cte}counted as materialized ${kinds(null)}, shelves as (
      select slug, (array_agg(name order by depth, id))[1] as label, array_agg(id::text) as ids from catalog_category where tenant_id = ${tenant} and active group by slug
    )
    select 'category' as facet, s.slug as value, s.label, n.count, s.ids from shelves s join (${categories}) n on n.slug = s.slug
    union all select 'brand', b.slug, jsonb_build_object('', b.name), sum(t.n)::int8, array[b.id::text] from ${source('brand')} t join catalog_brand b on b.tenant_id = ${tenant} and b.id = t.brand_id and b.active group by b.id, b.slug, b.name
    union all select 'tag', tag, null, sum(t.n)::int8, null from ${source('tag')} t cross join lateral jsonb_array_elements_text(t.facet_values::jsonb -> 'tags') x (tag) group by tag
    union all select 'availability', case when t.in_stock then 'in_stock' else 'out_of_stock' end, null, sum(t.n)::int8, null from ${source('inStock')} t group by 2
    union all select 'rating', t.rating::text, null, sum(t.n)::int8, null from counted t where t.rated group by 2
    union all select 'price', concat_ws(' ', x.low, x.high), null, 0, null from (${range}) x
    union all ${
      storedOptions
        ? sql`select 'option:' || o.key, x.value, null, sum(t.n)::int8, null from counted t
      cross join lateral jsonb_each(t.facet_values::jsonb -> 'options') o cross join lateral jsonb_array_elements_text(o.value) x (value) group by o.key, x.value`
        : sql`select 'option:' || x.key, x.value, null, count(*), null from (
      select t.id, e.key, e.value from ${variants(null, sql`${otherOptions.join} cross join lateral jsonb_each_text(v.option_values) e`)} and ${otherOptions.condition} and e.key <> all(${chosen}::text[])
      group by 1, 2, 3${stockOfValue}) x group by x.key, x.value`
    }
    ${sql.join(chosen.map(chosenOption), sql` `)} ${await metafieldFacets(ctx, query.metafields, passing)}`;
  const [, rows] = await Promise.all([setPlan(), ctx.db.rows<Counted>(counts)]);
  const [low, high] =
    rows
      .find(({ facet }) => facet === 'price')
      ?.value.split(' ')
      .filter(Boolean) ?? [];
  const options = [...new Set(rows.map(({ facet }) => facet).filter(isOption))].sort().slice(0, maxOptions);
  const price = (amount: string) => ({ amount: Number(amount), currency: viewer.currency });
  return {
    facets: grouped(ctx, query, [
      ...rows.filter(({ facet }) => facet !== 'price' && !isOption(facet)),
      ...options.flatMap((option) => rows.filter(({ facet }) => facet === option)),
    ]),
    price: low === undefined || high === undefined ? null : { min: price(low), max: price(high) },
  };
}

const isOption = (facet: string): boolean => facet.startsWith('option:');

/** Counts products by category slug. A product in two categories with the same slug counts once, because the list shows it once. */
const inCategories = (
  tenant: RawBuilder<unknown>,
  passing: RawBuilder<unknown>,
  slugs: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`select c.slug, count(distinct t.id)::int8 as count from catalog_product t
    join catalog_placement pl on pl.tenant_id = ${tenant} and pl.product_id = t.id join catalog_category c on c.tenant_id = ${tenant} and c.id = pl.category_id and c.active
    where ${passing} and ${slugs} group by c.slug`;

/**
 * Counts all visible products by category slug from the stored counts, minus scheduled and hidden products. The stored counts can't detect
 * a product in two categories, so slugs shared by several categories need `inCategories`.
 */
function onShelves(ctx: Ctx, hidden: readonly string[], shared: readonly string[]): RawBuilder<unknown> {
  const tenant = sql`${ctx.tenant.id}`;
  return sql`select c.slug, sum(x.n)::int8 as count from (
      select category_id, delta as n from catalog_shelf_count where tenant_id = ${tenant}
      union all select pl.category_id, -1 from catalog_product t join catalog_placement pl on pl.tenant_id = t.tenant_id and pl.product_id = t.id
        where t.tenant_id = ${tenant} and t.listed and t.published_at > ${ctx.clock.now()}::timestamptz
      union all select pl.category_id, -1 from catalog_placement pl where pl.tenant_id = ${tenant} and pl.product_id = any(${[...hidden]}::uuid[])
    ) x join catalog_category c on c.tenant_id = ${tenant} and c.id = x.category_id and c.active and c.slug <> all(${[...shared]}::text[])
    group by c.slug having sum(x.n) > 0`;
}

/** Slugs that several categories share. */
async function sharedSlugs(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.rows<{ slug: string }>(
    sql`select slug from catalog_category where tenant_id = ${ctx.tenant.id} and active group by slug having count(*) > 1`,
  );
  return rows.map(({ slug }) => slug);
}

async function hiddenProducts(ctx: Ctx, among: RawBuilder<unknown>): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select t.id from catalog_product t where ${isShown(ctx)} and ${among} and t.vendor_id is not null`,
  );
  return [
    ...(await hiddenAmong(
      ctx,
      rows.map(({ id }) => id),
    )),
  ];
}

function grouped(ctx: Ctx, query: ShelfQuery, rows: readonly Counted[]): Facet[] {
  const facets = new Map<string, Facet>();
  for (const { facet, value, label, count, ids } of rows) {
    const option = isOption(facet) ? facet.slice(7) : undefined;
    const metafield = facet.startsWith(metafieldPrefix) ? facet.slice(metafieldPrefix.length) : undefined;
    let known = facets.get(facet);
    if (!known) {
      known = { code: codeOf(facet), label: option ?? metafield?.split('.')[1] ?? facet, type: 'list', values: [] };
      facets.set(facet, known);
    }
    known.values.push({
      value,
      label: label ? (label[''] ?? textOf(label, ctx)) : value,
      count,
      selected:
        metafield === undefined
          ? isSelected(query, facet, option, [value, ...(ids ?? [])])
          : query.metafields.some(
              ({ name, operator, value: asked }) => name === metafield && names(operator, asked).includes(value),
            ),
    });
  }
  for (const facet of facets.values()) facet.values.sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
  return [...facets.values()];
}

const codeOf = (facet: string): string => facet.replace(/^(option|metafield):(.*)$/s, '$1[$2]');
const names = (operator: string, value: string): string[] =>
  operator === 'in' ? splitValues(value) : operator === 'eq' ? [value] : [];

/** `names` are the filter values that select the facet value. */
function isSelected(query: ShelfQuery, facet: string, option: string | undefined, names: readonly string[]): boolean {
  const asked: readonly unknown[] =
    option === undefined
      ? [...(query.filters.get(facet === 'availability' ? 'inStock' : facet)?.values() ?? [])].flat()
      : (query.options.get(option) ?? []);
  return names.some((name) => asked.includes(facet === 'availability' ? name === 'in_stock' : name));
}
