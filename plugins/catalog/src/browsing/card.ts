import {
  type Availability,
  availabilities,
  type ProductCard,
  type StockLevel,
  type StockRule,
  type StockView,
  stock as stockService,
} from '@storeloom/commerce';
import { type Ctx, type LocalText, type MoneyValue, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { type HistoryEntry, lowestPrice30d } from '../pricing/omnibus.ts';
import { priceAt } from '../pricing/price-history.ts';
import { isoText } from '../pricing/sellable.ts';
import type { ProductType } from '../product/product.ts';
import { textOf, textOrNull } from '../texts.ts';
import type { ShownPrice, Viewer } from './viewer.ts';

/** Variant data for a product card. */
export interface CardVariant {
  id: string;
  price: number;
  compareAt: number | null;
  currency: string;
  sku: string;
  track: boolean;
  backorder: boolean;
  backorderLimit: number | null;
  /** General price history, oldest first. Loaded only for variants that may be reduced. */
  history: HistoryEntry[] | null;
}
export interface CardRow {
  id: string;
  slug: string;
  title: LocalText;
  type: ProductType;
  image: { url: string; alt: LocalText | null } | null;
  brandId: string | null;
  rating: number;
  ratingCount: number;
  /** Variants in the format of `cardOf`. Null: not stored, because the product has dated prices. */
  card: CardEntry[] | null;
}
/** A card row with brand and stock levels. */
interface WholeCardRow extends CardRow {
  brandName: string | null;
  brandSlug: string | null;
  /** Stock levels of the variants in `card`. Omits variants without stock. */
  levels: [variantId: string, ...level: StockLevel][] | null;
}
type CardEntry = [
  id: string,
  price: number,
  compareAt: number | null,
  currency: string,
  sku: string,
  track: boolean,
  backorder: boolean,
  backorderLimit: number | null,
];

/**
 * SQL expression: card data of variant `v` with general price `v.amount`, as a JSON array. Property names would be most of the bytes.
 * listing.ts stores it in the product row, so that a page of cards reads no variants.
 */
export const cardOf = sql`json_build_array(v.id, v.amount, v.compare_at_price_amount, v.price_currency, v.sku, v.track_inventory,
  v.allow_backorder, v.backorder_limit)`;

/** Select list of a card, from product `t` only: the query is planned for each page, and joins would make planning expensive. */
export const cardSelect = sql`t.id, t.slug, t.title, t.type, t.images -> 0 as image, t.brand_id as "brandId",
  t.rating_hundredths as rating, t.rating_count as "ratingCount", t.card`;

/** Cards with brand and stock, for a statement with a generic plan. `source` is the FROM item that provides `t`. */
export const wholeCards = (ctx: Ctx, source: RawBuilder<unknown>) => ({
  select: sql`${cardSelect}, b.name as "brandName", b.slug as "brandSlug",
    case when t.card is not null then coalesce(${ctx.use(stockService)?.levelsOf(sql`t.variant_ids`) ?? sql`null`}, '[]') end as levels`,
  from: sql`${source} left join catalog_brand b on b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active`,
});

/** SQL expression: general price history of variant `v` as JSON, oldest first, limited to the last 200 changes. */
export const priceHistorySql = sql`(select json_agg(json_build_object('price', h.price_amount, 'compareAt', h.compare_at_price_amount,
    'from', ${isoText('h.created_at')}) order by h.created_at, h.id)
  from (select * from catalog_price_history h where h.tenant_id = v.tenant_id and h.variant_id = v.id and h.price_list_code is null
        and h.price_currency = v.price_currency order by h.created_at desc, h.id desc limit 200) h)`;

export const brandOf = sql`(select json_build_object('id', b.id, 'name', b.name, 'slug', b.slug) from catalog_brand b
  where b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active)`;

/** SQL expression: stock level of variant `v`. Null without inventory. */
export const levelOf = (ctx: Ctx) => ctx.use(stockService)?.levelOf(sql`v.id`) ?? sql`null`;

interface Card {
  row: CardRow & Partial<WholeCardRow>;
  variants: CardVariant[];
}

/** Adds variants to cards, from the product row or else from the variant table. Omits products without active variants. */
async function withVariants(ctx: Ctx, rows: readonly CardRow[]): Promise<Card[]> {
  const missing = rows.filter(({ card }) => card === null).map(({ id }) => id);
  const read =
    missing.length === 0
      ? []
      : await ctx.db.rows<{ id: string; card: CardEntry[] }>(sql`
          select v.product_id as id, json_agg(${cardOf} order by v.position, v.id) as card
          from (select v.*, ${priceAt(ctx.clock.now())} as amount from catalog_variant v
                where v.tenant_id = ${ctx.tenant.id} and v.product_id = any(${missing}::uuid[]) and v.active and v.deleted_at is null) v
          group by v.product_id`);
  const byId = new Map(read.map(({ id, card }) => [id, card]));
  const cards: Card[] = [];
  for (const row of rows) {
    const entries = row.card ?? byId.get(row.id);
    if (entries) cards.push({ row, variants: entries.map(variantOf) });
  }
  return cards;
}
const variantOf = ([id, price, compareAt, currency, sku, track, backorder, backorderLimit]: CardEntry): CardVariant => ({
  id,
  price,
  compareAt,
  currency,
  sku,
  track,
  backorder,
  backorderLimit,
  history: null,
});

type Brand = { id: string; name: string; slug: string };
async function brandsOf(ctx: Ctx, cards: readonly Card[]): Promise<Map<string, Brand>> {
  const ids = [...new Set(cards.flatMap(({ row }) => (row.brandName === undefined && row.brandId) || []))];
  if (ids.length === 0) return new Map();
  const brands = await ctx.db.rows<Brand>(
    sql`select id, name, slug from catalog_brand where tenant_id = ${ctx.tenant.id} and id = any(${ids}::uuid[]) and active`,
  );
  return new Map(brands.map((brand) => [brand.id, brand]));
}

function brandOfCard({ brandId, brandName, brandSlug }: Card['row'], brands: ReadonlyMap<string, Brand>): Brand | null {
  if (brandId === null) return null;
  if (brandName === undefined) return brands.get(brandId) ?? null;
  return brandName === null ? null : { id: brandId, name: brandName, slug: brandSlug! };
}

/** Stock levels contained in the rows. */
function levelsOf(cards: readonly Card[]): Map<string, StockLevel | null> {
  const levels = new Map<string, StockLevel | null>();
  for (const { row, variants } of cards) {
    if (!row.levels) continue;
    for (const { id } of variants) levels.set(id, null);
    for (const [id, available, backordered] of row.levels) levels.set(id, [available, backordered]);
  }
  return levels;
}

/** Loads the price history of reduced variants, or with `all` of every variant, because promotions can reduce any of them. */
export async function addHistory(ctx: Ctx, variants: readonly CardVariant[], all: boolean): Promise<void> {
  const selected = all ? variants : variants.filter(({ price, compareAt }) => compareAt !== null && compareAt > price);
  if (selected.length === 0) return;
  const rows = await ctx.db.rows<{ id: string; history: HistoryEntry[] | null }>(
    sql`select v.id, ${priceHistorySql} as history from catalog_variant v
        where v.tenant_id = ${ctx.tenant.id} and v.id = any(${selected.map(({ id }) => id)}::uuid[])`,
  );
  const byId = new Map(rows.map(({ id, history }) => [id, history]));
  for (const variant of selected) variant.history = byId.get(variant.id) ?? null;
}

/** A price with its reduction, as pages show it. */
export interface PriceView {
  price: MoneyValue;
  compareAtPrice: MoneyValue | null;
  lowestPrice30d: MoneyValue | null;
}

/**
 * `compareAtPrice` is the higher of the variant's compare-at price and the list price before promotions. It and `lowestPrice30d` are null
 * unless it is above the price.
 */
export function priceView(variant: CardVariant, shown: ShownPrice | undefined, currency: string): PriceView {
  // Without `shown` the amount is the general price, in the variant's base currency.
  const money = (amount: number): MoneyValue => ({ amount, currency: shown ? currency : variant.currency });
  const price = shown?.unitPrice ?? variant.price;
  const list = shown?.listPrice ?? price;
  const own = shown ? shown.compareAt : variant.compareAt;
  const compareAt = Math.max(own ?? 0, list);
  const reduced = compareAt > price;
  const lowest =
    reduced && variant.currency === currency
      ? lowestPrice30d(variant.history ?? [], shown?.reducedSince ?? undefined)
      : undefined;
  return {
    price: money(price),
    compareAtPrice: reduced ? money(compareAt) : null,
    lowestPrice30d: lowest === undefined ? null : money(lowest),
  };
}

/** Stock rules of variants that are already loaded. Inventory loads those of bundles, with their components. */
export function stockRulesOf(productType: ProductType, variants: readonly CardVariant[]): StockRule[] {
  if (productType === 'bundle') return [];
  return variants.map(({ id, sku, track, backorder, backorderLimit }) => ({
    variantId: id,
    sku,
    productType,
    trackInventory: track,
    allowBackorder: backorder,
    backorderLimit,
    components: null,
  }));
}

/** Best availability among the variants. Without inventory, all variants are in stock. */
export function bestAvailability(ids: readonly string[], stock: ReadonlyMap<string, StockView> | undefined): Availability {
  if (!stock) return 'in_stock';
  return availabilities.find((value) => ids.some((id) => stock.get(id)?.availability === value)) ?? 'out_of_stock';
}

/**
 * Cards of product rows. Loads the rest by key and concurrently, with at most one call each to pricing and inventory for all rows.
 */
export async function cardViews(ctx: Ctx, rows: readonly CardRow[], viewer: Viewer): Promise<ProductCard[]> {
  const cards = await withVariants(ctx, rows);
  const variants = cards.flatMap((card) => card.variants);
  const [stock, shown, brands] = await Promise.all([
    ctx.use(stockService)?.availability(
      variants.map(({ id }) => id),
      cards.flatMap(({ row, variants: own }) => stockRulesOf(row.type, own)),
      levelsOf(cards),
    ),
    viewer.general ? [] : viewer.prices(variants.map(({ id }) => ({ variantId: id, quantity: 1 }))),
    brandsOf(ctx, cards),
    addHistory(ctx, variants, !viewer.general),
  ]);
  let first = 0;
  return cards.flatMap((card) => {
    const own = shown.slice(first, (first += card.variants.length));
    // A variant became unavailable after the rows were read.
    if (own.includes(undefined)) return [];
    return [cardView(ctx, card, own as ShownPrice[], viewer.currency, brands, stock)];
  });
}

function cardView(
  ctx: Ctx,
  card: Card,
  shown: readonly ShownPrice[],
  currency: string,
  brands: ReadonlyMap<string, Brand>,
  stock: ReadonlyMap<string, StockView> | undefined,
): ProductCard {
  const { row, variants } = card;
  const amounts = variants.map(({ price }, i) => shown[i]?.unitPrice ?? price);
  const low = amounts.indexOf(Math.min(...amounts));
  const cheapest = priceView(variants[low]!, shown[low], currency);
  return {
    id: row.id,
    slug: row.slug,
    title: textOf(row.title, ctx),
    image: row.image && { url: row.image.url, alt: textOrNull(row.image.alt, ctx) },
    brand: brandOfCard(row, brands),
    ...cheapest,
    priceRange: { min: cheapest.price, max: { ...cheapest.price, amount: Math.max(...amounts) } },
    availability: bestAvailability(
      variants.map(({ id }) => id),
      stock,
    ),
    rating: ratingView(row),
  };
}

export function ratingView({ rating, ratingCount }: { rating: number; ratingCount: number }): {
  average: number | null;
  count: number;
} {
  return { average: ratingCount === 0 ? null : rating / 100, count: ratingCount };
}
