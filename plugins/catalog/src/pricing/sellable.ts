import type { StockRule, VariantView } from '@storeloom/commerce';
import { type Ctx, type LocalText, type MoneyValue, sql } from '@storeloom/plugin-sdk';
import type { BundlePricing } from '../bundle/math.ts';
import { optionTitle, type ProductOption } from '../product/options.ts';
import type { ProductStatus, ProductType } from '../product/product.ts';
import type { Tier } from './tiers.ts';
import { generalPrice, type PriceSource, type VariantPrice } from './unit-price.ts';

/** A variant with its product, prices, tiers, categories and bundle components. */
export interface Sellable {
  id: string;
  productId: string;
  sku: string;
  barcode: string | null;
  optionValues: Record<string, string>;
  options: ProductOption[];
  title: LocalText;
  slug: string;
  image: string | null;
  active: boolean;
  status: ProductStatus;
  type: ProductType;
  listed: boolean;
  publishedAt: string | null;
  vendorId: string | null;
  brandId: string | null;
  taxCategoryId: string | null;
  returnable: boolean;
  minAge: number | null;
  tags: string[];
  compareAt: number | null;
  minPrice: number | null;
  trackInventory: boolean;
  allowBackorder: boolean;
  backorderLimit: number | null;
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
  weightG: number;
  digitalFiles: { uploadKey: string; name: string; version: string | null }[];
  /** Categories of the product and all their ancestors. */
  categoryIds: string[];
  bundlePricing: BundlePricing;
  bundlePercentBp: number | null;
  components: { variantId: string; quantity: number }[];
  source: PriceSource;
}

interface SellableRow extends Omit<Sellable, 'source'> {
  amount: number;
  currency: string;
  prices: VariantPrice[];
  tiers: Tier[];
}

/** SQL expression: a timestamp as ISO 8601 text with milliseconds, the format of instants outside the database. */
export const isoText = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** SQL expression: price-list, foreign-currency and dated prices of variant `v`, as JSON. */
const pricesOf = sql`(select coalesce(json_agg(json_build_object('amount', x.price_amount, 'currency', x.price_currency,
    'priceListCode', x.price_list_code, 'startsAt', ${isoText('x.starts_at')}, 'endsAt', ${isoText('x.ends_at')})), '[]')
  from catalog_variant_price x where x.tenant_id = v.tenant_id and x.variant_id = v.id)`;

const moneyJson = (name: string) =>
  sql.raw(
    `case when q.${name}_amount is not null then json_build_object('amount', q.${name}_amount, 'currency', q.${name}_currency) end`,
  );
/** SQL expression: volume prices `q` of a product that match the condition `which`, as JSON. */
export const tiersOf = (
  which: ReturnType<typeof sql>,
  product: 'p' | 't' = 'p',
) => sql`(select coalesce(json_agg(json_build_object('id', q.id, 'variantId', q.variant_id,
    'minQuantity', q.min_quantity, 'price', ${moneyJson('price')}, 'percentBp', q.percent_bp, 'fixedOff', ${moneyJson('fixed_off')},
    'mode', q.mode, 'aggregate', q.aggregate, 'customerGroupId', q.customer_group_id, 'startsAt', ${isoText('q.starts_at')},
    'endsAt', ${isoText('q.ends_at')}, 'allowIncreasing', q.allow_increasing)), '[]')
  from catalog_volume_price q where q.tenant_id = ${sql.raw(product)}.tenant_id and q.product_id = ${sql.raw(product)}.id and ${which})`;

/** Loads variants by id, each at most once per storefront request. Omits unknown and deleted variants. */
export async function loadSellables(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Sellable>> {
  const known = requestSellables(ctx);
  if (!known) return querySellables(ctx, ids);
  const missing = ids.filter((id) => !known.has(id));
  const running = querySellables(ctx, missing);
  for (const id of missing) known.set(id, running);
  await running;
  const found = new Map<string, Sellable>();
  for (const id of ids) {
    const item = (await known.get(id))?.get(id);
    if (item) found.set(id, item);
  }
  return found;
}
const requestSellables = (ctx: Ctx) => ctx.once('sellables', () => new Map<string, Promise<ReadonlyMap<string, Sellable>>>());

/** Stock rules of variants. A storefront request prices the same variants, so it loads them whole in one query. */
export async function loadStockRules(ctx: Ctx, ids: readonly string[]): Promise<StockRule[]> {
  if (ids.length === 0) return [];
  if (requestSellables(ctx)) return [...(await loadSellables(ctx, [...new Set(ids)])).values()].map(stockRuleOf);
  return ctx.db.rows<StockRule>(sql`
    select v.id as "variantId", v.sku, p.type as "productType", v.track_inventory as "trackInventory", v.allow_backorder as "allowBackorder",
      v.backorder_limit as "backorderLimit",
      case when p.type = 'bundle' then (select coalesce(json_agg(json_build_object('variantId', b.variant_id, 'quantity', b.quantity) order by b.position, b.id), '[]')
        from catalog_bundle_component b where b.tenant_id = p.tenant_id and b.product_id = p.id) end as components
    from catalog_variant v join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.id = any(${[...new Set(ids)]}::uuid[]) and v.deleted_at is null`);
}
function stockRuleOf({ id, sku, type, trackInventory, allowBackorder, backorderLimit, components }: Sellable): StockRule {
  return {
    variantId: id,
    sku,
    productType: type,
    trackInventory,
    allowBackorder,
    backorderLimit,
    components: type === 'bundle' ? components : null,
  };
}

async function querySellables(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Sellable>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<SellableRow>(sql`
    select v.id, v.product_id as "productId", v.sku, v.barcode, v.option_values as "optionValues", p.options, p.title, p.slug,
      coalesce(v.image, p.images -> 0 ->> 'url') as image, v.active, p.status, p.type, p.listed, p.published_at as "publishedAt", p.vendor_id as "vendorId",
      p.brand_id as "brandId", p.tax_category_id as "taxCategoryId", p.returnable, p.min_age as "minAge", p.tags,
      v.price_amount as amount, v.price_currency as currency, v.compare_at_price_amount as "compareAt", v.min_price_amount as "minPrice",
      v.track_inventory as "trackInventory", v.allow_backorder as "allowBackorder", v.backorder_limit as "backorderLimit",
      v.min_per_order as "minPerOrder", v.max_per_order as "maxPerOrder", v.step, coalesce(v.weight_g, p.weight_g, 0) as "weightG",
      v.digital_files as "digitalFiles", p.bundle_pricing as "bundlePricing", p.bundle_percent_bp as "bundlePercentBp",
      (select coalesce(json_agg(distinct a.id), '[]') from catalog_product_category pc
       join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
       cross join lateral jsonb_array_elements_text(c.path) a (id)
       where pc.tenant_id = p.tenant_id and pc.product_id = p.id) as "categoryIds",
      ${pricesOf} as prices, ${tiersOf(sql`(q.variant_id is null or q.variant_id = v.id)`)} as tiers,
      (select coalesce(json_agg(json_build_object('variantId', b.variant_id, 'quantity', b.quantity) order by b.position, b.id), '[]')
       from catalog_bundle_component b where b.tenant_id = p.tenant_id and b.product_id = p.id) as components
    from catalog_variant v join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.id = any(${[...ids]}::uuid[]) and v.deleted_at is null`);
  return new Map(
    rows.map(({ amount, currency, prices, tiers, ...row }) => [
      row.id,
      { ...row, source: { variantId: row.id, productId: row.productId, base: { amount, currency }, prices, tiers } },
    ]),
  );
}

/** Loads variants by id, and the components of bundles among them. */
export async function loadWithComponents(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Sellable>> {
  const found = await loadSellables(ctx, ids);
  const parts = [...found.values()].flatMap(({ components }) => components.map(({ variantId }) => variantId));
  const missing = [...new Set(parts)].filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  return new Map([...found, ...(await loadSellables(ctx, missing))]);
}

/** True if the variant is active and its product listed and published. Doesn't consider products hidden by `catalog:visible`. */
export function isSellable({ active, listed, publishedAt }: Sellable, at: string): boolean {
  return active && listed && publishedAt !== null && publishedAt <= at;
}

/** Product title followed by the option values, in every locale. */
export function fullTitle({ title, options, optionValues }: Sellable): LocalText {
  const values = optionTitle(options, optionValues);
  return values === ''
    ? title
    : Object.fromEntries(Object.entries(title).map(([locale, text]) => [locale, `${text} – ${values}`]));
}

export function variantViewOf(item: Sellable, at: string): VariantView {
  const { currency } = item.source.base;
  const money = (amount: number | null): MoneyValue | null => (amount === null ? null : { amount, currency });
  const price = generalPrice(item.source, { at, currency, convert: ({ amount }) => amount });
  return {
    id: item.id,
    productId: item.productId,
    sku: item.sku,
    barcode: item.barcode,
    title: fullTitle(item),
    optionValues: item.optionValues,
    price: { amount: price, currency },
    compareAtPrice: item.compareAt !== null && item.compareAt > price ? money(item.compareAt) : null,
    active: item.active,
    productStatus: item.status,
    productType: item.type,
    trackInventory: item.trackInventory,
    allowBackorder: item.allowBackorder,
    backorderLimit: item.backorderLimit,
    minPerOrder: item.minPerOrder,
    maxPerOrder: item.maxPerOrder,
    step: item.step,
    weightG: item.weightG,
    taxCategoryId: item.taxCategoryId,
    categoryIds: item.categoryIds,
    brandId: item.brandId,
    returnable: item.returnable,
    minAge: item.minAge,
    components: item.type === 'bundle' ? item.components : null,
    slug: item.slug,
    image: item.image,
    vendorId: item.vendorId,
    minPrice: money(item.minPrice),
    digitalFiles: item.digitalFiles,
    sellable: isSellable(item, at),
  };
}
