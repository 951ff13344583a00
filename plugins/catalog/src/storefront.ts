import { type Ctx, f, type LocalText, listOf, route, type Shape, sql } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { answerOf, availabilityAnswer, cardAnswer, cardShape, imageAnswer, priceAnswer, rating } from './card.ts';
import { categoryTree } from './category-tree.ts';
import { detailAnswer, loadDetail, variantAnswers } from './detail.ts';
import { seo } from './product.ts';
import { shelfPage } from './shelf.ts';
import { shelf } from './shelf-query.ts';
import { textOf } from './texts.ts';
import { viewerOf } from './viewer.ts';
import { hiddenAmong } from './visible.ts';

const cache = { tags: ['catalog'], maxAge: 60 };
const bySlug = { slug: f.slug() };
const currency = { currency: f.text({ max: 3, pattern: /^[A-Z]{3}$/ }).optional() } satisfies Shape;

const tier = f.object({ minQuantity: f.int(), price: f.money() });
const variantShape = {
  id: f.id(),
  sku: f.text(),
  barcode: f.text().optional(),
  optionValues: f.json(),
  ...priceAnswer,
  tiers: f.list(tier),
  availability: availabilityAnswer,
  /** Units, where the shop shows them. */
  stock: f.int().optional(),
  weightG: f.int().optional(),
  minPerOrder: f.int().optional(),
  maxPerOrder: f.int().optional(),
  step: f.int().optional(),
} satisfies Shape;
const detailShape = {
  ...cardShape,
  description: f.text({ max: 50_000 }).optional(),
  shortDescription: f.text({ max: 2000 }).optional(),
  type: f.text(),
  images: f.list(imageAnswer),
  vendorId: f.id().optional(),
  options: f.list(f.object({ name: f.text(), values: f.list(f.text()) })),
  variants: f.list(f.object(variantShape)),
  tiers: f.list(tier),
  components: f.list(f.object({ variantId: f.id(), sku: f.text(), title: f.text({ max: 300 }), quantity: f.int() })).optional(),
  breadcrumbs: f.list(f.object({ id: f.id(), name: f.text(), slug: f.slug() })),
  tags: f.list(f.text()),
  returnable: f.bool(),
  minAge: f.int().optional(),
  countryOfOrigin: f.text().optional(),
  seo: seo().optional(),
} satisfies Shape;
const metafield = z.strictObject({ namespace: z.string(), key: z.string(), value: z.unknown() });

interface CategoryRow {
  id: string;
  parentId: string | null;
  position: number;
  name: LocalText;
  slug: string;
  image: string | null;
  count: number;
  ofVendors: string[] | null;
}

/** Active categories with the number of shown products in each and below it, in one query. */
async function categories(ctx: Ctx) {
  const rows = await ctx.db.rows<CategoryRow>(sql`
    with placed as (
      select a.id::uuid as id, t.id as product_id, t.vendor_id
      from catalog_category c
      join catalog_product_category pc on pc.tenant_id = c.tenant_id and pc.category_id = c.id
      join catalog_product t on t.tenant_id = pc.tenant_id and t.id = pc.product_id
      cross join lateral jsonb_array_elements_text(c.path) a (id)
      where c.tenant_id = ${ctx.tenant.id} and t.listed and t.published_at <= ${ctx.clock.now()}::timestamptz
    ), counted as (
      select id, count(distinct product_id) as n, array_agg(distinct product_id) filter (where vendor_id is not null) as of_vendors
      from placed group by id
    )
    select c.id, c.parent_id as "parentId", c.position, c.name, c.slug, c.image, coalesce(n.n, 0) as count, n.of_vendors as "ofVendors"
    from catalog_category c left join counted n on n.id = c.id
    where c.tenant_id = ${ctx.tenant.id} and c.active`);
  const hidden = await hiddenAmong(
    ctx,
    rows.flatMap(({ ofVendors }) => ofVendors ?? []),
  );
  const tree = categoryTree(rows, ({ id, name, slug, image, position, count, ofVendors }) => ({
    id,
    name: textOf(name, ctx),
    slug,
    image,
    position,
    productCount: count - (ofVendors ?? []).filter((one) => hidden.has(one)).length,
  }));
  return listOf(tree);
}
const categoryAnswer: z.ZodType = z.strictObject({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  image: z.string().nullable(),
  position: z.int(),
  productCount: z.int(),
  get children() {
    return z.array(categoryAnswer);
  },
});

export const storefrontRoutes = [
  route('GET', '/categories/', { cache, response: categoryAnswer, list: true, summary: 'The tree of categories' }, (ctx) =>
    categories(ctx),
  ),
  route('GET', '/products/', { cache, query: shelf, response: cardAnswer, list: true }, (ctx, req) => shelfPage(ctx, req.query)),
  route('GET', '/products/featured', { cache, query: shelf, response: cardAnswer, list: true }, (ctx, req) =>
    shelfPage(ctx, req.query, sql`t.featured`),
  ),
  route(
    'GET',
    '/products/{slug}',
    { cache, params: bySlug, query: currency, response: answerOf(detailShape, { rating, metafields: z.array(metafield) }) },
    async (ctx, req) => {
      const viewer = await viewerOf(ctx, req.query.currency);
      return detailAnswer(ctx, await loadDetail(ctx, req.params.slug, !viewer.general), viewer);
    },
  ),
  route(
    'GET',
    '/products/{slug}/variants',
    { cache, params: bySlug, query: currency, response: variantShape, list: true },
    async (ctx, req) => {
      const viewer = await viewerOf(ctx, req.query.currency);
      const { variants } = await variantAnswers(ctx, await loadDetail(ctx, req.params.slug, !viewer.general), viewer);
      return listOf(variants);
    },
  ),
];
