import type { Availability, StockLevel, StockView } from '@storeloom/plugin-inventory/contract';
import {
  type Ctx,
  f,
  type LocalText,
  type MoneyValue,
  type RawBuilder,
  type Shape,
  shapeSchema,
  sql,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import type { StockRule } from './contract.ts';
import { stockService } from './neighbours.ts';
import { type HistoryEntry, lowestPrice30d } from './omnibus.ts';
import { priceAt } from './price-history.ts';
import type { ProductType } from './product.ts';
import { isoText } from './sellable.ts';
import { textOf, textOrNull } from './texts.ts';
import type { ShownPrice, Viewer } from './viewer.ts';

/** What a card needs of a variant. */
export interface CardVariant {
  id: string;
  price: number;
  compareAt: number | null;
  currency: string;
  sku: string;
  track: boolean;
  backorder: boolean;
  backorderLimit: number | null;
  /** Its stock, where inventory is on and it has any. */
  level: StockLevel | null;
  /** General prices so far, oldest first; only of what is reduced. */
  history: HistoryEntry[] | null;
}
export interface CardRow {
  id: string;
  slug: string;
  title: LocalText;
  image: { url: string; alt: LocalText | null } | null;
  brand: { id: string; name: string; slug: string } | null;
  rating: number;
  ratingCount: number;
  type: ProductType;
  variants: CardVariant[];
}

/** General prices of variant `v` so far, oldest first, as JSON: at most the last 200 changes. */
export const historyOf = sql`(select json_agg(json_build_object('price', h.price_amount, 'compareAt', h.compare_at_price_amount,
    'from', ${isoText('h.created_at')}) order by h.created_at, h.id)
  from (select * from catalog_price_history h where h.tenant_id = v.tenant_id and h.variant_id = v.id and h.price_list_code is null
        and h.price_currency = v.price_currency order by h.created_at desc, h.id desc limit 200) h)`;

export const brandOf = sql`(select json_build_object('id', b.id, 'name', b.name, 'slug', b.slug) from catalog_brand b
  where b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active)`;

/** What inventory has to know of the stock of variant `v`. */
export const levelOf = (ctx: Ctx) => ctx.use(stockService)?.levelOf(sql`v.id`) ?? sql`null`;

/** Members of a card's variant with their SQL. */
const variantColumns = (ctx: Ctx, everyHistory: boolean): { [K in keyof CardVariant]: RawBuilder<unknown> } => ({
  id: sql`v.id`,
  price: sql`v.amount`,
  compareAt: sql`v.compare_at_price_amount`,
  currency: sql`v.price_currency`,
  sku: sql`v.sku`,
  track: sql`v.track_inventory`,
  backorder: sql`v.allow_backorder`,
  backorderLimit: sql`v.backorder_limit`,
  level: levelOf(ctx),
  history: sql`case when v.compare_at_price_amount > v.amount or ${everyHistory}::boolean then ${historyOf} end`,
});

/**
 * Select list of cards over product `t`. Price history comes with what staff reduced, or with all (promotions may reduce any).
 * Sub-selects, not joins: where PostgreSQL has to sort first, it works them out for the rows of the page only. Variants come as arrays:
 * the names of members would be most of the work and of the bytes.
 */
const cardSelect = (ctx: Ctx, columns: readonly RawBuilder<unknown>[]) => sql`t.id, t.slug, t.title, t.type,
  t.images -> 0 as image, ${brandOf} as brand, t.rating_hundredths as rating, t.rating_count as "ratingCount",
  (select coalesce(json_agg(json_build_array(${sql.join(columns)}) order by v.position, v.id), '[]')
   from (select v.*, ${priceAt(ctx.clock.now())} as amount from catalog_variant v
         where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null offset 0) v) as variants`;

type RawCard = Omit<CardRow, 'variants'> & { variants: unknown[][] };
/** The select list, and how its rows are read. */
export function cards(ctx: Ctx, everyHistory: boolean): { select: RawBuilder<unknown>; read(rows: RawCard[]): CardRow[] } {
  const columns = variantColumns(ctx, everyHistory);
  const names = Object.keys(columns);
  const variant = (values: unknown[]): CardVariant => {
    const members: Record<string, unknown> = {};
    names.forEach((name, i) => {
      members[name] = values[i];
    });
    return members as unknown as CardVariant;
  };
  return {
    select: cardSelect(ctx, Object.values(columns)),
    read: (rows) => rows.map((row) => ({ ...row, variants: row.variants.map(variant) })),
  };
}

/** A price as it stands on a page. */
export interface PriceView {
  price: MoneyValue;
  compareAtPrice: MoneyValue | null;
  lowestPrice30d: MoneyValue | null;
}

/** `compareAtPrice` only where it is above the price: the one staff set, else what a promotion lowered. The lowest price goes with it. */
export function priceView(variant: CardVariant, shown: ShownPrice | undefined, currency: string): PriceView {
  // General prices are in their own currency.
  const money = (amount: number): MoneyValue => ({ amount, currency: shown ? currency : variant.currency });
  const price = shown?.unitPrice ?? variant.price;
  const list = shown?.listPrice ?? price;
  // An amount in the shop's currency says nothing beside a price in another.
  const own = !shown || variant.currency === currency ? variant.compareAt : null;
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

const order: readonly Availability[] = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'];

/** What a page knows of its variants' stock rules already. Bundles have components, which inventory asks for. */
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

export const levelsOf = (variants: readonly CardVariant[]): Map<string, StockLevel | null> =>
  new Map(variants.map(({ id, level }) => [id, level]));

/** The best of several; without inventory everything is available. */
export function bestAvailability(ids: readonly string[], stock: ReadonlyMap<string, StockView> | undefined): Availability {
  if (!stock) return 'in_stock';
  return order.find((value) => ids.some((id) => stock.get(id)?.availability === value)) ?? 'out_of_stock';
}

/** Cards of product rows. At most one call to pricing and one to inventory, whatever the number of rows. */
export async function cardViews(ctx: Ctx, rows: readonly CardRow[], viewer: Viewer): Promise<Record<string, unknown>[]> {
  const variants = rows.flatMap((row) => row.variants);
  const stock = await ctx.use(stockService)?.availability(
    variants.map(({ id }) => id),
    rows.flatMap((row) => stockRulesOf(row.type, row.variants)),
    levelsOf(variants),
  );
  const shown = viewer.general ? [] : await viewer.prices(variants.map(({ id }) => ({ variantId: id, quantity: 1 })));
  const prices = new Map(variants.map((variant, i) => [variant.id, priceView(variant, shown[i], viewer.currency)]));
  return rows.map((row) => cardView(ctx, row, prices, stock));
}

function cardView(
  ctx: Ctx,
  row: CardRow,
  prices: ReadonlyMap<string, PriceView>,
  stock: ReadonlyMap<string, StockView> | undefined,
): Record<string, unknown> {
  const own = row.variants.map(({ id }) => prices.get(id)!);
  const amounts = own.map(({ price }) => price.amount);
  const low = Math.min(...amounts);
  const cheapest = own.find(({ price }) => price.amount === low)!;
  return {
    id: row.id,
    slug: row.slug,
    title: textOf(row.title, ctx),
    image: row.image && { url: row.image.url, alt: textOrNull(row.image.alt, ctx) },
    brand: row.brand,
    ...cheapest,
    priceRange: { min: cheapest.price, max: { ...cheapest.price, amount: Math.max(...amounts) } },
    availability: bestAvailability(
      row.variants.map(({ id }) => id),
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

export const priceAnswer = {
  price: f.money(),
  compareAtPrice: f.money().optional(),
  lowestPrice30d: f.money().optional(),
} satisfies Shape;
export const availabilityAnswer = f.oneOf(order);
export const brandAnswer = f.object({ id: f.id(), name: f.text(), slug: f.slug() });
export const imageAnswer = f.object({ url: f.text({ max: 2000 }), alt: f.text({ max: 500 }).optional() });
export const cardShape = {
  id: f.id(),
  slug: f.slug(),
  title: f.text({ max: 300 }),
  image: imageAnswer.optional(),
  brand: brandAnswer.optional(),
  ...priceAnswer,
  priceRange: f.object({ min: f.money(), max: f.money() }),
  availability: availabilityAnswer,
} satisfies Shape;
export const rating = z.strictObject({ average: z.number().nullable(), count: z.int() });
export const answerOf = (shape: Shape, more: z.ZodRawShape): z.ZodObject =>
  (shapeSchema(shape, 'answer') as unknown as z.ZodObject).extend(more);
export const cardAnswer = answerOf(cardShape, { rating });
