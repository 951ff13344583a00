import {
  type Ctx,
  f,
  invalidParameter,
  List,
  type ListQuery,
  type RawBuilder,
  type Shape,
  splitValues,
  sql,
} from '@storeloom/plugin-sdk';
import type { MetafieldFilter } from '@storeloom/plugin-workspace/contract';
import { metafieldDescription, takeMetafields } from './metafield-filter.ts';

const extra = {
  /** Currency of the displayed prices. Default: the shop's currency. */
  currency: f.text({ max: 3, pattern: /^[A-Z]{3}$/ }).optional(),
} satisfies Shape;

export interface ShelfQuery extends ListQuery<typeof extra> {
  /** `option[Color]=Red`, `option[Size][in]=S,M`: one variant must match all of them. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** `metafield[namespace.key]=value`. `metafieldConditions` checks and adds them, because definitions are data of the shop. */
  readonly metafields: readonly MetafieldFilter[];
  /** Request parameters without paging. */
  readonly params: URLSearchParams;
}

const optionKey = /^option\[([^[\]]{1,60})\](?:\[(in)\])?$/;
const maxOptions = 10;

/** SQL condition: active rows by id or slug. */
const idOrSlug = (alias: string, value: unknown): RawBuilder<unknown> => {
  const values = [value].flat();
  const column = (name: string): RawBuilder<unknown> => sql.raw(`${alias}.${name}`);
  return sql`(${column('slug')} = any(${values}::text[]) or ${column('id')}::text = any(${values}::text[])) and ${column('active')}`;
};

/** FROM item: categories by id or slug. Slugs are unique only within a parent, so a slug matches all categories with it. */
const namedCategories = (value: unknown): RawBuilder<unknown> =>
  sql`catalog_category x where x.tenant_id = core_current_tenant() and ${idOrSlug('x', value)}`;

/** JIT compilation and parallel workers take longer to start than a page takes to read. */
const forOnePage = sql`set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`;
/**
 * Sent with a statement whose parameters hardly affect the best plan: forces a generic plan, because planning costs more than execution.
 * For a limit parameter, a generic plan assumes a tenth of the rows. The settings end with the pipelined batch, or with the open
 * transaction.
 */
export const planOnce = sql`select set_config('plan_cache_mode', 'force_generic_plan', true), ${forOnePage}`;
/** The same without the settings of a page, for a statement that may read the whole shop. */
export const genericPlan = sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`;
/** Sent with a statement whose parameters affect the plan. */
export const onePage = sql`select ${forOnePage}`;

/** Filters and sorts of the storefront's product lists. */
class Shelf extends List<typeof extra> {
  override readonly describes = {
    option: f
      .json()
      .describe(
        '`option[Size]=M`, or several with `option[Size][in]=S,M` (a comma in a value is written `\\,`): one variant must have them all.',
      ),
    metafield: f.json().describe(metafieldDescription),
  };
  override parse(params: URLSearchParams): ShelfQuery {
    const { rest: plain, metafields } = takeMetafields(params);
    const rest = new URLSearchParams();
    const options = new Map<string, readonly string[]>();
    for (const [key, value] of plain) {
      const match = optionKey.exec(key);
      if (!match) {
        rest.append(key, value);
        continue;
      }
      const name = match[1]!;
      if (options.has(name)) throw invalidParameter(key, 'is duplicated');
      if (options.size >= maxOptions) throw invalidParameter(key, `is one too many: at most ${maxOptions} options`);
      const values = match[2] ? splitValues(value) : [value];
      if (values.length > 100 || values.some((one) => one === '' || one.length > 120))
        throw invalidParameter(key, 'has a value that is not accepted');
      options.set(name, values);
    }
    const sent = new URLSearchParams(params);
    for (const name of ['cursor', 'limit', 'total']) sent.delete(name);
    return { ...super.parse(rest), options, metafields, params: sent };
  }
}

export const shelf = new Shelf({
  filters: {
    category: {
      field: f.text({ max: 120 }),
      operators: ['eq', 'in'],
      where: (_, value) =>
        sql`t.id in (select pl.product_id from catalog_placement pl where pl.tenant_id = core_current_tenant() and pl.category_id in (select x.id from ${namedCategories(value)}))`,
    },
    brand: {
      field: f.text({ max: 120 }),
      operators: ['eq', 'in'],
      where: (_, value) =>
        sql`t.brand_id in (select x.id from catalog_brand x where x.tenant_id = core_current_tenant() and ${idOrSlug('x', value)})`,
    },
    // `variantCondition` or `pricedProducts` adds the condition, because it depends on the viewer.
    price: { field: f.money(), operators: ['gt', 'gte', 'lt', 'lte'], where: () => sql`true` },
    tag: {
      field: f.text({ max: 60 }),
      operators: ['eq', 'in'],
      where: (_, value) =>
        sql`(${sql.join(
          [value].flat().map((tag) => sql`t.tags @> ${JSON.stringify([tag])}::jsonb`),
          sql` or `,
        )})`,
    },
    // `variantCondition` or `pricedProducts` adds the condition, because it depends on the enabled plugins.
    inStock: { field: f.bool(), operators: ['eq'], where: () => sql`true` },
    vendor: { field: f.id(), operators: ['eq', 'in'], column: 't.vendor_id' },
    featured: { field: f.bool(), operators: ['eq'] },
  },
  sorts: {
    position: { column: 't.position', type: 'int8' },
    price: { column: 't.price_min_amount', type: 'int8' },
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    title: { column: 't.title_sort', type: 'text' },
    popularity: { column: 't.popularity', type: 'int8' },
    rating: { column: 't.rating_hundredths', type: 'int8' },
  },
  defaultSort: 'position',
  extra,
});

/** True if several categories have the slug in the category filter. */
export async function namesSeveral(ctx: Ctx, query: ShelfQuery): Promise<boolean> {
  const row = await ctx.db.first<{ yes: boolean }>(
    sql`select count(*) > 1 as yes from ${namedCategories(query.filters.get('category')?.get('eq'))}`,
  );
  return row?.yes ?? false;
}

export interface ShelfSource {
  query: ShelfQuery;
  from: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  /** Joined with the prices of products. */
  priced?: boolean;
}

/** All products, with the conditions of the query. */
export const productSource = (query: ShelfQuery): ShelfSource => ({ query, from: sql`catalog_product t`, where: sql`true` });

/**
 * Products of one category in position order, read from the placement index, so that the cost doesn't depend on the size of the shop.
 * Undefined for other lists. Returns no rows if several categories share the slug; use `productSource` then.
 */
export function shelfSource(ctx: Ctx, query: ShelfQuery): ShelfSource | undefined {
  const asked = query.filters.get('category');
  const inOrder = query.keys.every(({ name }) => name === 'position' || name === 'id');
  if (!asked?.has('eq') || asked.size > 1 || !inOrder) return undefined;
  const rest = new URLSearchParams([...query.params].filter(([name]) => !name.startsWith('category')));
  const columns: Record<string, string> = { position: 'pl.position', id: 'pl.product_id' };
  const keys = query.keys.map((key) => ({ ...key, sort: { ...key.sort, column: columns[key.name]! } }));
  return {
    query: { ...query, keys, conditions: shelf.parse(rest).conditions },
    from: sql`catalog_placement pl join catalog_product t on t.tenant_id = pl.tenant_id and t.id = pl.product_id`,
    where: sql`pl.tenant_id = ${ctx.tenant.id} and pl.category_id = (select (array_agg(x.id))[1] from ${namedCategories(asked.get('eq'))} having count(*) = 1)`,
  };
}

/** Products with the prices that the viewer sees, which the sort key `price` compares. */
export function pricedSource(
  { query, from, where }: ShelfSource,
  { ids, amounts }: { ids: string[]; amounts: number[] },
): ShelfSource {
  const keys = query.keys.map((key) => (key.name === 'price' ? { ...key, sort: { ...key.sort, column: 'shown.amount' } } : key));
  const shown = sql`unnest(${ids}::uuid[], ${amounts}::bigint[]) as shown (id, amount)`;
  return { query: { ...query, keys }, from: sql`${from} join ${shown} on shown.id = t.id`, where, priced: true };
}

/** Sorts titles in the caller's locale. The stored sort column contains the default locale. */
export function localSort(ctx: Ctx, query: ShelfQuery): ShelfQuery {
  const { locale, tenant } = ctx;
  if (locale === tenant.defaultLocale || !/^[A-Za-z0-9-]+$/.test(`${locale}${tenant.defaultLocale}`)) return query;
  const column = `core_unaccent(coalesce(t.title ->> '${locale}', t.title ->> '${tenant.defaultLocale}', ''))`;
  const keys = query.keys.map((key) => (key.name === 'title' ? { ...key, sort: { ...key.sort, column } } : key));
  return { ...query, keys };
}
