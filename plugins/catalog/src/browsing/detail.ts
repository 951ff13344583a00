import {
  availabilityField,
  imageField,
  priceFields,
  type StockLevel,
  type StockView,
  stock as stockService,
} from '@storeloom/commerce';
import { type Ctx, f, type LocalText, notFound, Problem, type RowOf, type Shape, sql } from '@storeloom/plugin-sdk';
import { metafieldsService, productPath, redirectsService } from '../integrations.ts';
import { guestBuyer } from '../pricing/buyer.ts';
import { priceAt } from '../pricing/price-history.ts';
import { tiersOf } from '../pricing/sellable.ts';
import type { Tier } from '../pricing/tiers.ts';
import { tierLadder } from '../pricing/unit-price.ts';
import type { ProductOption } from '../product/options.ts';
import type { ProductType } from '../product/product.ts';
import { textOf, textOrNull } from '../texts.ts';
import {
  addHistory,
  bestAvailability,
  brandOf,
  type CardVariant,
  levelOf,
  type PriceView,
  priceView,
  ratingView,
  stockRulesOf,
} from './card.ts';
import { planOnce } from './shelf-query.ts';
import type { ShownPrice, Viewer } from './viewer.ts';
import { hiddenAmong, isShown } from './visible.ts';

interface DetailVariant extends CardVariant {
  image: string | null;
  barcode: string | null;
  optionValues: Record<string, string>;
  weightG: number | null;
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
  /** Stock level. Null without inventory, or without stock. */
  level: StockLevel | null;
}
export interface DetailRow {
  id: string;
  slug: string;
  title: LocalText;
  description: LocalText | null;
  shortDescription: LocalText | null;
  type: ProductType;
  images: { url: string; alt: LocalText | null }[];
  options: ProductOption[];
  tags: string[];
  returnable: boolean;
  minAge: number | null;
  seo: { title: string | null; description: string | null; canonical: string | null } | null;
  countryOfOrigin: string | null;
  vendorId: string | null;
  rating: number;
  ratingCount: number;
  brand: { id: string; name: string; slug: string } | null;
  breadcrumbs: { id: string; name: LocalText; slug: string }[];
  variants: DetailVariant[];
  tiers: Tier[];
  metafields: { namespace: string; key: string; value: unknown }[];
  components: { variantId: string; sku: string; title: LocalText; quantity: number }[];
}

/**
 * Loads a visible product in one query, and bundle components in a second.
 *
 * @throws 404 `not_found`, with `redirect` if the slug has changed
 */
export async function loadDetail(ctx: Ctx, slug: string): Promise<DetailRow> {
  const at = ctx.clock.now();
  const [, row] = await Promise.all([
    ctx.db.rows(planOnce),
    ctx.db.first<Omit<DetailRow, 'components'>>(sql`
    select t.id, t.slug, t.title, t.description, t.short_description as "shortDescription", t.type, t.images, t.options, t.tags, t.returnable,
      t.min_age as "minAge", t.seo, t.country_of_origin as "countryOfOrigin", t.vendor_id as "vendorId",
      t.rating_hundredths as rating, t.rating_count as "ratingCount", ${brandOf} as brand,
      (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'slug', a.slug) order by a.depth), '[]')
       from catalog_category a where a.tenant_id = t.tenant_id and a.id = any(array(select jsonb_array_elements_text(deepest.path)::uuid
       from (select c.path from catalog_product_category pc join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
             where pc.tenant_id = t.tenant_id and pc.product_id = t.id and c.active order by c.depth desc, c.position, c.id limit 1) deepest))) as breadcrumbs,
      (select coalesce(json_agg(json_build_object('id', v.id, 'price', v.amount, 'compareAt', v.compare_at_price_amount, 'currency', v.price_currency,
          'sku', v.sku, 'barcode', v.barcode, 'optionValues', v.option_values, 'image', v.image, 'weightG', coalesce(v.weight_g, t.weight_g),
          'track', v.track_inventory, 'backorder', v.allow_backorder, 'backorderLimit', v.backorder_limit, 'level', ${levelOf(ctx)}, 'minPerOrder', v.min_per_order, 'maxPerOrder', v.max_per_order, 'step', v.step,
          'history', null) order by v.position, v.id), '[]')
       from (select v.*, ${priceAt(at)} as amount from catalog_variant v
             where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null offset 0) v) as variants,
      ${tiersOf(sql`true`, 't')} as tiers,
      ${ctx.use(metafieldsService)?.visibleOf('catalog.product', sql`t.id`) ?? sql`'[]'::json`} as metafields
    from catalog_product t where ${isShown(ctx)} and t.slug = ${slug}`),
  ]);
  if (row && !(await hiddenAmong(ctx, [row.id])).has(row.id))
    return { ...row, components: row.type === 'bundle' ? await componentsOf(ctx, row.id) : [] };
  const redirect = await ctx.use(redirectsService)?.find(productPath(slug));
  throw redirect ? new Problem('not_found', { redirect: { to: redirect.to, code: redirect.code } }) : notFound();
}

function componentsOf(ctx: Ctx, productId: string): Promise<DetailRow['components']> {
  return ctx.db.rows(sql`
    select v.id as "variantId", v.sku, cp.title, b.quantity from catalog_bundle_component b
    join catalog_variant v on v.tenant_id = b.tenant_id and v.id = b.variant_id
    join catalog_product cp on cp.tenant_id = v.tenant_id and cp.id = v.product_id
    where b.tenant_id = ${ctx.tenant.id} and b.product_id = ${productId} order by b.position, b.id`);
}

interface Ladder {
  minQuantity: number;
  price: { amount: number; currency: string };
}

/** Unit price and volume prices of each variant for the viewer. */
async function pricesOf(ctx: Ctx, row: DetailRow, viewer: Viewer): Promise<Map<string, PriceView & { tiers: Ladder[] }>> {
  await addHistory(ctx, row.variants, !viewer.general);
  // General prices are in the variants' base currency.
  const currency = viewer.general ? (row.variants[0]?.currency ?? viewer.currency) : viewer.currency;
  const money = (amount: number) => ({ amount, currency });
  const view = (variant: DetailVariant, shown: ShownPrice | undefined, tiers: { minQuantity: number; price: number }[]) =>
    [
      variant.id,
      {
        ...priceView(variant, shown, viewer.currency),
        tiers: tiers.map(({ minQuantity, price }) => ({ minQuantity, price: money(price) })),
      },
    ] as const;
  if (viewer.general) {
    const buyer = guestBuyer(ctx.clock.now(), currency);
    const source = ({ id, price, currency: own }: DetailVariant) => ({
      variantId: id,
      productId: row.id,
      base: { amount: price, currency: own },
      prices: [],
      tiers: row.tiers,
    });
    return new Map(row.variants.map((variant) => view(variant, undefined, tierLadder(source(variant), buyer))));
  }
  // The viewer sees general tiers and those of their own groups.
  const groups = new Set<string | null>([null, ...viewer.groupIds]);
  const steps = ({ id }: DetailVariant): number[] =>
    [
      ...new Set(
        row.tiers
          .filter((tier) => groups.has(tier.customerGroupId) && (tier.variantId ?? id) === id)
          .map((tier) => tier.minQuantity),
      ),
    ].sort((a, b) => a - b);
  const requests = row.variants.flatMap((variant) =>
    [1, ...steps(variant)].map((quantity) => ({ variantId: variant.id, quantity })),
  );
  const shown = await viewer.prices(requests);
  // Variants that became unavailable after the page was read have no price.
  const unavailable = new Set(requests.filter((_, i) => !shown[i]).map(({ variantId }) => variantId));
  const available = row.variants.filter(({ id }) => !unavailable.has(id));
  return new Map(
    available.map((variant) => {
      const own = requests.flatMap((request, i) =>
        request.variantId === variant.id ? [{ minQuantity: request.quantity, shown: shown[i]! }] : [],
      );
      const [one, ...more] = own;
      // A tier that doesn't change the price is overridden by another price level.
      const tiers = more.filter((step, i) => step.shown.unitPrice !== (own[i]?.shown.unitPrice ?? step.shown.unitPrice));
      return view(
        variant,
        one?.shown,
        tiers.map((step) => ({ minQuantity: step.minQuantity, price: step.shown.unitPrice })),
      );
    }),
  );
}

export const tierField = f.object({ minQuantity: f.int(), price: f.money() });
export const variantShape = {
  id: f.id(),
  sku: f.text(),
  barcode: f.text().optional(),
  optionValues: f.json().describe('Value by the name of the option.'),
  image: imageField.optional().describe('Image of the variant. Null: the images of the product.'),
  ...priceFields,
  tiers: f.list(tierField),
  availability: availabilityField,
  /** Available units. Null unless the shop displays stock. */
  stock: f.int().optional(),
  weightG: f.int().optional(),
  minPerOrder: f.int().optional(),
  maxPerOrder: f.int().optional(),
  step: f.int().optional(),
} satisfies Shape;
type VariantView = RowOf<typeof variantShape>;

function imageView(ctx: Ctx, image: DetailRow['images'][number] | undefined): { url: string; alt: string | null } | null {
  return image ? { url: image.url, alt: textOrNull(image.alt, ctx) } : null;
}

/** Storefront views of the variants. Makes at most one call each to pricing and inventory. */
export async function variantAnswers(
  ctx: Ctx,
  row: DetailRow,
  viewer: Viewer,
): Promise<{ variants: VariantView[]; stock: ReadonlyMap<string, StockView> | undefined }> {
  const prices = await pricesOf(ctx, row, viewer);
  if (prices.size === 0) throw notFound();
  const stock = await ctx.use(stockService)?.availability(
    row.variants.map(({ id }) => id),
    stockRulesOf(row.type, row.variants),
    new Map(row.variants.map(({ id, level }) => [id, level])),
  );
  const available = row.variants.filter(({ id }) => prices.has(id));
  const imageOf = (url: string | null) => row.images.find((one) => one.url === url);
  const variants = available.map(({ id, sku, barcode, optionValues, image, weightG, minPerOrder, maxPerOrder, step }) => ({
    id,
    sku,
    barcode,
    optionValues,
    image: imageView(ctx, imageOf(image)),
    ...prices.get(id)!,
    availability: bestAvailability([id], stock),
    stock: stock?.get(id)?.stock ?? null,
    weightG,
    minPerOrder,
    maxPerOrder,
    step,
  }));
  return { variants, stock };
}

/** Storefront view of a product. Price, reduction and tiers are those of the variant with the lowest price, as on the card. */
export async function detailAnswer(ctx: Ctx, row: DetailRow, viewer: Viewer) {
  const { variants, stock } = await variantAnswers(ctx, row, viewer);
  const amounts = variants.map(({ price }) => price.amount);
  const low = Math.min(...amounts);
  const { price, compareAtPrice, lowestPrice30d, tiers } = variants.find((variant) => variant.price.amount === low)!;
  const images = row.images.map(({ url, alt }) => ({ url, alt: textOrNull(alt, ctx) }));
  return {
    id: row.id,
    slug: row.slug,
    title: textOf(row.title, ctx),
    description: textOrNull(row.description, ctx),
    shortDescription: textOrNull(row.shortDescription, ctx),
    type: row.type,
    image: images[0] ?? null,
    images,
    brand: row.brand,
    vendorId: row.vendorId,
    price,
    compareAtPrice,
    lowestPrice30d,
    priceRange: { min: price, max: { ...price, amount: Math.max(...amounts) } },
    availability: bestAvailability(
      row.variants.map(({ id }) => id),
      stock,
    ),
    rating: ratingView(row),
    options: row.options,
    variants,
    tiers,
    components: row.type === 'bundle' ? row.components.map((one) => ({ ...one, title: textOf(one.title, ctx) })) : null,
    breadcrumbs: row.breadcrumbs.map(({ id, name, slug }) => ({ id, name: textOf(name, ctx), slug })),
    tags: row.tags,
    returnable: row.returnable,
    minAge: row.minAge,
    countryOfOrigin: row.countryOfOrigin,
    seo: row.seo,
    metafields: row.metafields,
  };
}
