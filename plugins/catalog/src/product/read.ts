import { stock } from '@storeloom/commerce';
import {
  type Ctx,
  f,
  idFilter,
  List,
  type ListQuery,
  likePattern,
  type MoneyValue,
  notFound,
  type Page,
  responseShape,
  type Shape,
  selectField,
  shapeSchema,
  sql,
} from '@storeloom/plugin-sdk';
import type { MetafieldFilter } from '@storeloom/plugin-workspace/contract';
import { z } from 'zod';
import { metafieldCondition, metafieldDescription, takeMetafields } from '../browsing/metafield-filter.ts';
import { type VariantPriceRow, type VariantRow, variantFields, variantPriceFields } from '../variant/variant.ts';
import { variantsOf } from '../variant/write.ts';
import { type ProductRow, product, productFields, productStatus, productTypes } from './product.ts';

const listed = Object.keys(productFields).filter((name) => name !== 'description');
const select = (names: readonly string[]) =>
  sql`t.id, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
    ${sql.raw(names.map((name) => `${selectField(name, (product.fields as Shape)[name]!)} as "${name}"`).join(', '))},
    t.rating_hundredths as rating, t.rating_count as "ratingCount",
    t.price_min_amount as low, t.price_max_amount as high, t.price_min_currency as currency,
    (select coalesce(json_agg(pc.category_id order by pc.id), '[]') from catalog_product_category pc
     where pc.tenant_id = t.tenant_id and pc.product_id = t.id) as "categoryIds"`;

interface Raw extends Omit<ProductRow, 'rating'> {
  rating: number;
  low: number | null;
  high: number | null;
  currency: string;
  categoryIds: string[];
}

function viewOf({ rating, low, high, currency, ...row }: Raw): Record<string, unknown> {
  const money = (amount: number): MoneyValue => ({ amount, currency });
  return {
    ...row,
    ratingAvg: row.ratingCount === 0 ? null : rating / 100,
    priceRange: low === null || high === null ? null : { min: money(low), max: money(high) },
  };
}

/** SQL condition: products in the categories or their descendants. */
const inCategory = (match: ReturnType<typeof sql>) => sql`t.id in (
  select pc.product_id from catalog_category x
  join catalog_category c on c.tenant_id = x.tenant_id and c.path @> jsonb_build_array(x.id::text)
  join catalog_product_category pc on pc.tenant_id = c.tenant_id and pc.category_id = c.id
  where x.tenant_id = core_current_tenant() and ${match})`;

/** A price range meets the bound. Whole product ranges are compared, not single variants. */
export const inPriceRange = (operator: string, amount: unknown) =>
  operator.startsWith('g')
    ? sql`t.price_max_amount ${sql.raw(operator === 'gt' ? '>' : '>=')} ${amount}`
    : sql`t.price_min_amount ${sql.raw(operator === 'lt' ? '<' : '<=')} ${amount}`;

const inStock = f.bool();
interface ProductListQuery extends ListQuery<Record<never, never>> {
  readonly metafields: readonly MetafieldFilter[];
}

class ProductList extends List {
  override readonly describes = { metafield: f.json().describe(metafieldDescription) };
  override parse(params: URLSearchParams): ProductListQuery {
    const { rest, metafields } = takeMetafields(params);
    return { ...super.parse(rest), metafields };
  }
}

export const productList = new ProductList({
  filters: {
    id: idFilter(),
    status: { field: f.oneOf(productStatus) },
    type: { field: f.oneOf(productTypes) },
    brandId: { field: f.id() },
    vendorId: { field: f.id() },
    categoryId: {
      field: f.id(),
      operators: ['eq', 'in'],
      where: (_, value) => inCategory(sql`x.id = any(${[value].flat()}::uuid[])`),
    },
    slug: { field: f.slug(), operators: ['eq', 'in'] },
    tag: { field: f.text({ max: 60 }), operators: ['eq'], where: (_, value) => sql`t.tags @> ${JSON.stringify([value])}::jsonb` },
    featured: { field: f.bool(), operators: ['eq'] },
    // `stockCondition` adds the condition, because it depends on the enabled plugins.
    inStock: { field: inStock, operators: ['eq'], where: () => sql`true` },
    price: { field: f.money(), operators: ['gt', 'gte', 'lt', 'lte'], where: inPriceRange },
    createdAt: { field: f.instant() },
    updatedAt: { field: f.instant() },
  },
  sorts: {
    title: { column: 't.title_sort', type: 'text' },
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    updatedAt: { column: 't.updated_at', type: 'timestamptz' },
    price: { column: 'coalesce(t.price_min_amount, 0)', type: 'int8' },
    position: { column: 't.position', type: 'int8' },
  },
  defaultSort: '-createdAt',
  search: (q) => sql`t.id in (select catalog_product_search(${likePattern(q)}, 10000))`,
});

/** SQL condition: product `t` is available. Always true without inventory. */
export const isInStock = (ctx: Ctx): ReturnType<typeof sql> => (ctx.use(stock) ? sql`t.in_stock` : sql`true`);

export function stockCondition(ctx: Ctx, query: ListQuery): ReturnType<typeof sql> {
  const wanted = query.filters.get('inStock')?.get('eq') as boolean | undefined;
  return wanted === undefined ? sql`true` : sql`${isInStock(ctx)} = ${wanted}`;
}

/** SQL condition: the filters of the list that depend on the shop's plugins and definitions. */
export async function shopCondition(ctx: Ctx, query: ProductListQuery): Promise<ReturnType<typeof sql>> {
  return sql`${stockCondition(ctx, query)} and ${await metafieldCondition(ctx, query.metafields, false)}`;
}

export async function listProducts(ctx: Ctx, query: ProductListQuery): Promise<Page<Record<string, unknown>>> {
  const condition = await shopCondition(ctx, query);
  return productList.run<Raw, Record<string, unknown>>(
    ctx,
    query,
    {
      select: select(listed),
      from: sql`catalog_product t`,
      where: sql`t.tenant_id = ${ctx.tenant.id} and ${condition}`,
    },
    (rows) => rows.map(viewOf),
  );
}

/** Products with their variants, in the order of the ids. Costs are null without `catalog.cost.read`. */
async function productViews(ctx: Ctx, ids: readonly string[]): Promise<Record<string, unknown>[]> {
  const rows = await ctx.db.rows<Raw>(
    sql`select ${select(Object.keys(productFields))} from catalog_product t where t.tenant_id = ${ctx.tenant.id} and t.id = any(${[...ids]}::uuid[])`,
  );
  const variants = await variantsOf(
    ctx,
    rows.map(({ id }) => id),
  );
  const byId = new Map(
    rows.map((row) => [row.id, { ...viewOf(row), variants: variants.get(row.id)!.map((one) => variantView(ctx, one)) }]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}
export async function productView(ctx: Ctx, id: string): Promise<Record<string, unknown> & { version: number }> {
  const [view] = await productViews(ctx, [id]);
  if (!view) throw notFound();
  return view as Record<string, unknown> & { version: number };
}

function variantView(ctx: Ctx, row: VariantRow & { prices: VariantPriceRow[] }): Record<string, unknown> {
  const { skuKey, optionKey, dated, productId, prices, ...view } = row;
  const hidden = !ctx.can('catalog.cost.read');
  return {
    ...view,
    ...(hidden ? { cost: null, masked: ['cost'] } : {}),
    prices: prices.map(({ id, price, priceListCode, startsAt, endsAt }) => ({ id, price, priceListCode, startsAt, endsAt })),
  };
}

const money = f.object({ min: f.money(), max: f.money() });
const readOnly = { categoryIds: f.list(f.id()), ratingCount: f.int(), priceRange: money.optional() } satisfies Shape;
const number = { ratingAvg: z.number().nullable() };
const extend = (shape: Shape, more: z.ZodRawShape): z.ZodObject => (shapeSchema(shape, 'answer') as z.ZodObject).extend(more);

const { description, ...rowFields } = productFields;
export const productRowAnswer = extend(responseShape({ ...rowFields, ...readOnly }), number);
const { prices, ...plainVariant } = variantFields;
const variantAnswer = extend(
  responseShape({ ...plainVariant, prices: f.list(f.object({ id: f.id(), ...variantPriceFields })) }),
  {
    masked: z.array(z.string()).optional(),
  },
);
export const productAnswer = extend(responseShape({ ...productFields, ...readOnly }), {
  ...number,
  variants: z.array(variantAnswer),
});
