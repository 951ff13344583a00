import { type Ctx, type LocalText, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import type { Facet, Facets } from './contract.ts';
import { stockCondition } from './product-read.ts';
import { type ShelfQuery, shelf } from './shelf-query.ts';
import { textOf } from './texts.ts';
import { hiddenAmong, isShown } from './visible.ts';

const yes = sql`true`;

/** The condition of each filter that was asked for, by facet: a facet's own is left out of its counts. */
function conditionsOf(ctx: Ctx, query: ShelfQuery): Map<string, RawBuilder<unknown>> {
  const conditions = new Map<string, RawBuilder<unknown>>();
  for (const [name, operators] of query.filters) {
    const filter = shelf.options.filters?.[name];
    const parts = [...operators].map(([operator, value]) => {
      if (name === 'inStock') return stockCondition(ctx, query);
      if (filter?.where) return filter.where(operator, value);
      const column = sql.raw(filter?.column ?? `t.${name}`);
      return Array.isArray(value) ? sql`${column} = any(${value})` : sql`${column} = ${value}`;
    });
    conditions.set(name, sql`(${sql.join(parts, sql` and `)})`);
  }
  return conditions;
}

/** One active variant of `t` has the option values asked for, those of one option left out. */
function variantMatches(
  options: ReadonlyMap<string, readonly string[]>,
  without: string | null,
  alias: string,
): RawBuilder<unknown> {
  const parts = [...options]
    .filter(([name]) => name !== without)
    .map(([name, values]) => sql`${sql.ref(`${alias}.option_values`)} ->> ${name} = any(${[...values]}::text[])`);
  return parts.length === 0 ? yes : sql.join(parts, sql` and `);
}

/**
 * Values with counts over the shown products (of `ids`, where given): a count is the size of the result if that value were added, its own
 * facet left out. The same conditions as the list's, so counts and totals agree.
 */
export async function facetsOf(ctx: Ctx, query: ShelfQuery, ids: readonly string[] | null): Promise<Facets> {
  const conditions = conditionsOf(ctx, query);
  const among = ids === null ? yes : sql`t.id = any(${[...ids]}::uuid[])`;
  const hidden = await hiddenProducts(ctx, among);
  const shown = sql`${isShown(ctx)} and ${among} and t.id <> all(${hidden}::uuid[])`;
  /** Products that pass every filter but the facet's own. */
  const passing = (facet: string): RawBuilder<unknown> => {
    const parts = [...conditions].filter(([name]) => name !== facet).map(([, condition]) => condition);
    if (!facet.startsWith('option:') && query.options.size > 0)
      parts.push(
        sql`exists (select from catalog_variant o where o.tenant_id = t.tenant_id and o.product_id = t.id and o.active and o.deleted_at is null and ${variantMatches(query.options, null, 'o')})`,
      );
    return sql`${shown}${parts.length > 0 ? sql` and ${sql.join(parts, sql` and `)}` : sql``}`;
  };
  const tenant = sql`${ctx.tenant.id}`;
  const rows = await ctx.db.rows<{ facet: string; value: string; label: LocalText | null; count: number }>(sql`
    select 'category' as facet, c.slug as value, c.name as label, count(distinct t.id)::int8 as count from catalog_product t
      join catalog_placement pl on pl.tenant_id = t.tenant_id and pl.product_id = t.id join catalog_category c on c.tenant_id = pl.tenant_id and c.id = pl.category_id and c.active
      where ${passing('category')} group by c.slug, c.name
    union all select 'brand', b.slug, jsonb_build_object('', b.name), count(*) from catalog_product t join catalog_brand b on b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active
      where ${passing('brand')} group by b.slug, b.name
    union all select 'tag', tag, null, count(*) from catalog_product t cross join lateral jsonb_array_elements_text(t.tags) tag where ${passing('tag')} group by tag
    union all select 'availability', case when t.in_stock then 'in_stock' else 'out_of_stock' end, null, count(*) from catalog_product t where ${passing('inStock')} group by 2
    union all select 'rating', (t.rating_hundredths / 100)::text, null, count(*) from catalog_product t where ${passing('rating')} and t.rating_count > 0 group by 2`);
  const names = await ctx.db.rows<{
    name: string;
  }>(sql`select distinct e.key as name from catalog_product t join catalog_variant v on v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null
    cross join lateral jsonb_each_text(v.option_values) e where ${shown} order by 1 limit 30`);
  for (const { name } of names) {
    const values = await ctx.db.rows<{
      value: string;
      count: number;
    }>(sql`select v.option_values ->> ${name} as value, count(distinct t.id)::int8 as count from catalog_product t
      join catalog_variant v on v.tenant_id = ${tenant} and v.product_id = t.id and v.active and v.deleted_at is null and v.option_values ? ${name} and ${variantMatches(query.options, name, 'v')}
      where ${passing(`option:${name}`)} group by 1`);
    rows.push(...values.map(({ value, count }) => ({ facet: `option:${name}`, value, label: null, count })));
  }
  const [range] = await ctx.db.rows<{ min: number | null; max: number | null }>(
    sql`select min(t.price_min_amount) as min, max(t.price_max_amount) as max from catalog_product t where ${passing('price')}`,
  );
  return {
    facets: grouped(ctx, query, rows),
    price:
      range?.min === null || range?.max === null || !range
        ? null
        : {
            min: { amount: range.min, currency: ctx.tenant.currency },
            max: { amount: range.max, currency: ctx.tenant.currency },
          },
  };
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

function grouped(
  ctx: Ctx,
  query: ShelfQuery,
  rows: readonly { facet: string; value: string; label: LocalText | null; count: number }[],
): Facet[] {
  const facets = new Map<string, Facet>();
  for (const { facet, value, label, count } of rows) {
    const option = facet.startsWith('option:') ? facet.slice(7) : undefined;
    let known = facets.get(facet);
    if (!known) {
      known = { code: option === undefined ? facet : `option[${option}]`, label: option ?? facet, type: 'list', values: [] };
      facets.set(facet, known);
    }
    known.values.push({
      value,
      label: label ? (label[''] ?? textOf(label, ctx)) : value,
      count,
      selected: isSelected(query, facet, option, value),
    });
  }
  for (const facet of facets.values()) facet.values.sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
  return [...facets.values()];
}

function isSelected(query: ShelfQuery, facet: string, option: string | undefined, value: string): boolean {
  if (option !== undefined) return query.options.get(option)?.includes(value) ?? false;
  const asked = query.filters.get(facet === 'availability' ? 'inStock' : facet);
  const given = [...(asked?.values() ?? [])].flat();
  return facet === 'availability' ? given.includes(value === 'in_stock') : given.includes(value);
}
