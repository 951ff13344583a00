import { productEvents, stock as stockService } from '@storeloom/commerce';
import {
  type CreateOf,
  type Ctx,
  checkVersion,
  f,
  invalid,
  noContent,
  notFound,
  problem,
  type RowOf,
  referenceNotFound,
  route,
  type Shape,
  sql,
  table,
} from '@storeloom/plugin-sdk';
import { settle } from '../browsing/listing.ts';
import { holdTree } from '../category/place.ts';
import { type ProductRow, product } from '../product/product.ts';
import { bundleAvailability } from './math.ts';

export const bundleComponent = table(
  'bundle-component',
  {
    productId: f.id(),
    variantId: f.id(),
    quantity: f.int({ min: 1 }),
    position: f.int().default(0),
  },
  {
    uniques: [{ name: 'catalog_bundle_component_variant_id_key', fields: ['productId', 'variantId'] }],
    indexes: [{ name: 'catalog_bundle_component_variant_idx', fields: ['variantId'] }],
  },
);

const pricings = ['fixed', 'sum', 'sum_minus_percent'] as const;
const body = {
  components: f.list(f.object({ variantId: f.id(), quantity: f.int({ min: 1, max: 10_000 }), position: f.int().optional() }), {
    min: 1,
    max: 50,
  }),
  /** Omitted: unchanged. New bundles are `fixed`. */
  pricing: f.oneOf(pricings).optional(),
  percentBp: f.bp().optional(),
} satisfies Shape;
type Body = CreateOf<typeof body>;

const bundleShape = {
  productId: f.id(),
  components: f.list(
    f.object({
      id: f.id(),
      variantId: f.id(),
      sku: f.text(),
      quantity: f.int(),
      position: f.int(),
      available: f.int().optional(),
    }),
  ),
  pricing: f.oneOf(pricings),
  percentBp: f.bp().optional(),
  /** Number of bundles that the component stock allows. Null: no component is tracked. */
  available: f.int().optional(),
  version: f.int(),
} satisfies Shape;

async function requireBundle(ctx: Ctx, id: string, lock = false): Promise<ProductRow> {
  const row = await ctx.rows(product).require(id, { lock });
  if (row.type !== 'bundle') throw problem('not_a_bundle', { detail: `The product is of type ${row.type}.` });
  return row;
}

async function view(ctx: Ctx, row: ProductRow): Promise<RowOf<typeof bundleShape>> {
  const rows = await ctx.db.rows<{ id: string; variantId: string; sku: string; quantity: number; position: number }>(sql`
    select c.id, c.variant_id as "variantId", v.sku, c.quantity, c.position from catalog_bundle_component c
    join catalog_variant v on v.tenant_id = c.tenant_id and v.id = c.variant_id
    where c.tenant_id = ${ctx.tenant.id} and c.product_id = ${row.id} order by c.position, c.id`);
  const stock = await ctx.use(stockService)?.availability(rows.map(({ variantId }) => variantId));
  const components = rows.map((component) => ({ ...component, available: stock?.get(component.variantId)?.available ?? null }));
  return {
    productId: row.id,
    components,
    pricing: row.bundlePricing,
    percentBp: row.bundlePercentBp,
    available: components.length === 0 ? 0 : bundleAvailability(components),
    version: row.version,
  };
}

/** Locks the component products in id order, so that no component becomes a bundle concurrently. */
async function checkComponents(ctx: Ctx, bundleId: string, components: Body['components']): Promise<void> {
  const ids = components.map(({ variantId }) => variantId);
  const repeated = ids.findIndex((id, i) => ids.indexOf(id) !== i);
  if (repeated !== -1) throw invalid(`/components/${repeated}/variantId`, 'duplicate', 'is duplicated');
  const found = await ctx.db.rows<{ id: string; productId: string; type: string }>(sql`
    select v.id, p.id as "productId", p.type from catalog_variant v
    join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.id = any(${ids}::uuid[]) and v.deleted_at is null order by p.id for update of p`);
  const known = new Map(found.map((row) => [row.id, row]));
  for (const [i, id] of ids.entries()) {
    const row = known.get(id);
    if (!row) throw referenceNotFound(`/components/${i}/variantId`);
    if (row.productId === bundleId || row.type === 'bundle')
      throw problem('bundle_nested', {
        detail: "A component of a bundle can't be a bundle itself.",
        errors: [{ pointer: `/components/${i}/variantId`, code: 'bundle_nested', message: 'is a bundle' }],
      });
  }
}

async function save(ctx: Ctx, id: string, input: Body): Promise<ProductRow> {
  await holdTree(ctx);
  await requireBundle(ctx, id);
  await checkComponents(ctx, id, input.components);
  const row = await requireBundle(ctx, id, true);
  const pricing = input.pricing ?? row.bundlePricing;
  const percentBp = input.percentBp ?? (pricing === row.bundlePricing ? row.bundlePercentBp : null);
  if (pricing === 'sum_minus_percent' && percentBp === null)
    throw invalid('/percentBp', 'required', 'is required for sum_minus_percent');
  if (pricing !== 'sum_minus_percent' && percentBp !== null)
    throw invalid('/percentBp', 'invalid', 'is only allowed for sum_minus_percent');
  const components = ctx.rows(bundleComponent);
  const present = new Map((await components.find({ productId: id })).map((component) => [component.variantId, component]));
  let last = Math.max(-1, ...[...present.values()].map(({ position }) => position));
  for (const { variantId, quantity, position } of input.components) {
    const known = present.get(variantId);
    if (known) await components.update(known.id, { quantity, position: position ?? known.position });
    else await components.insert({ productId: id, variantId, quantity, position: position ?? ++last });
  }
  return updateBundle(ctx, row, { bundlePricing: pricing, bundlePercentBp: percentBp });
}

async function updateBundle(ctx: Ctx, row: ProductRow, change: Partial<ProductRow>): Promise<ProductRow> {
  const saved = await ctx.rows(product).update(row.id, change);
  await settle(ctx, [row.id]);
  await ctx.emit(productEvents.updated, {
    id: row.id,
    data: { id: row.id, slug: row.slug, title: row.title, status: row.status },
  });
  return saved;
}

const byProduct = { productId: f.id() };
export const bundleRoutes = [
  route(
    'GET',
    '/bundles/{productId}',
    { permission: 'catalog.bundle.read', params: byProduct, response: bundleShape, problems: ['not_a_bundle'] },
    async (ctx, req) => view(ctx, await requireBundle(ctx, req.params.productId)),
  ),
  route(
    'POST',
    '/bundles/{productId}',
    {
      permission: 'catalog.bundle.create',
      params: byProduct,
      body,
      response: bundleShape,
      summary: 'Add or change components by variant, and set how the bundle is priced',
      problems: ['not_a_bundle', 'bundle_nested', 'currency_mismatch'],
    },
    async (ctx, req) => {
      const before = await view(ctx, await requireBundle(ctx, req.params.productId));
      const after = await view(ctx, await save(ctx, req.params.productId, req.body));
      await ctx.audit({ entity: 'catalog.product', entityId: req.params.productId, before, after });
      return after;
    },
  ),
  route(
    'DELETE',
    '/bundles/{productId}/{componentId}',
    {
      permission: 'catalog.bundle.delete',
      params: { ...byProduct, componentId: f.id() },
      status: 204,
      problems: ['not_a_bundle'],
    },
    async (ctx, req) => {
      await holdTree(ctx);
      const row = await requireBundle(ctx, req.params.productId, true);
      const component = await ctx.rows(bundleComponent).first({ id: req.params.componentId, productId: row.id });
      if (!component) throw notFound();
      checkVersion(req.ifMatch, component);
      await ctx.rows(bundleComponent).remove(component.id);
      await updateBundle(ctx, row, {});
      await ctx.audit({ entity: 'catalog.product', entityId: row.id, before: component, after: null });
      return noContent();
    },
  ),
];
