import { imageField, productCardSchema, productCardShape, ratingSchema } from '@storeloom/commerce';
import { type Ctx, f, type LocalText, listOf, route, type Shape, shapeSchema, sql } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { detailAnswer, loadDetail, tierField, variantAnswers, variantShape } from './browsing/detail.ts';
import { shelfPage } from './browsing/shelf.ts';
import { planOnce, shelf } from './browsing/shelf-query.ts';
import { viewerOf } from './browsing/viewer.ts';
import { hiddenAmong } from './browsing/visible.ts';
import { categoryTree } from './category/tree.ts';
import { seo } from './product/product.ts';
import { textOf } from './texts.ts';

const cache = { tags: ['catalog'], maxAge: 60 };
const bySlug = { slug: f.slug() };
const currency = { currency: f.text({ max: 3, pattern: /^[A-Z]{3}$/ }).optional() } satisfies Shape;

const detailShape = {
  ...productCardShape,
  description: f.text({ max: 50_000 }).optional(),
  shortDescription: f.text({ max: 2000 }).optional(),
  type: f.text(),
  images: f.list(imageField),
  vendorId: f.id().optional(),
  options: f.list(f.object({ name: f.text(), values: f.list(f.text()) })),
  variants: f.list(f.object(variantShape)),
  tiers: f.list(tierField),
  components: f.list(f.object({ variantId: f.id(), sku: f.text(), title: f.text({ max: 300 }), quantity: f.int() })).optional(),
  breadcrumbs: f.list(f.object({ id: f.id(), name: f.text(), slug: f.slug() })),
  tags: f.list(f.text()),
  returnable: f.bool(),
  minAge: f.int().optional(),
  countryOfOrigin: f.text().optional(),
  seo: seo().optional(),
} satisfies Shape;
const metafield = z.strictObject({
  namespace: z.string(),
  key: z.string(),
  value: z.unknown().meta({ description: 'By the type of its definition.' }),
});
const detailSchema = shapeSchema(detailShape, 'answer').extend({
  rating: ratingSchema,
  metafields: z.array(metafield),
});

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

/** Above any row count. The limit with ORDER BY makes the planner read scheduled products from their index, even with a wrong estimate. */
const everything = 1_000_000_000;

/** Loads viewer and product concurrently. Waits for both even if one fails, so that no query outlives the unit of work. */
async function loadPage(ctx: Ctx, { query, params }: { query: { currency: string | null }; params: { slug: string } }) {
  const loads = [viewerOf(ctx, query.currency), loadDetail(ctx, params.slug)] as const;
  await Promise.allSettled(loads);
  return Promise.all(loads);
}

/** Tree of active categories. Counts include the visible products of descendants. */
async function categories(ctx: Ctx) {
  const now = sql`${ctx.clock.now()}::timestamptz`;
  const tenant = sql`${ctx.tenant.id}`;
  const [, rows] = await Promise.all([
    ctx.db.rows(planOnce),
    ctx.db.rows<CategoryRow>(sql`
    with placed as (
      select category_id as id, sum(delta) as n from catalog_shelf_count where tenant_id = ${tenant} group by category_id
    ), later as (
      select pl.category_id as id, count(*) as n from (
        select t.tenant_id, t.id from catalog_product t where t.tenant_id = ${tenant} and t.listed and t.published_at > ${now}
        order by t.published_at limit ${everything}
      ) t join catalog_placement pl on pl.tenant_id = t.tenant_id and pl.product_id = t.id group by pl.category_id
    ), of_vendors as (
      select pl.category_id as id, array_agg(t.id) as ids from catalog_product t
      join catalog_placement pl on pl.tenant_id = t.tenant_id and pl.product_id = t.id
      where t.tenant_id = ${tenant} and t.listed and t.published_at <= ${now} and t.vendor_id is not null group by pl.category_id
    )
    select c.id, c.parent_id as "parentId", c.position, c.name, c.slug, c.image, coalesce(p.n, 0) - coalesce(l.n, 0) as count, v.ids as "ofVendors"
    from catalog_category c
    left join placed p on p.id = c.id left join later l on l.id = c.id left join of_vendors v on v.id = c.id
    where c.tenant_id = ${tenant} and c.active`),
  ]);
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
  route('GET', '/categories/', { cache, response: categoryAnswer, list: true, summary: 'Get the tree of categories' }, (ctx) =>
    categories(ctx),
  ),
  route('GET', '/products/', { cache, query: shelf, response: productCardSchema, list: true }, (ctx, req) =>
    shelfPage(ctx, req.query),
  ),
  route(
    'GET',
    '/products/featured',
    { summary: 'List featured products', cache, query: shelf, response: productCardSchema, list: true },
    (ctx, req) => shelfPage(ctx, req.query, sql`t.featured`),
  ),
  route('GET', '/products/{slug}', { cache, params: bySlug, query: currency, response: detailSchema }, async (ctx, req) => {
    const [viewer, product] = await loadPage(ctx, req);
    return detailAnswer(ctx, product, viewer);
  }),
  route(
    'GET',
    '/products/{slug}/variants',
    { cache, params: bySlug, query: currency, response: variantShape, list: true },
    async (ctx, req) => {
      const [viewer, product] = await loadPage(ctx, req);
      const { variants } = await variantAnswers(ctx, product, viewer);
      return listOf(variants);
    },
  ),
];
