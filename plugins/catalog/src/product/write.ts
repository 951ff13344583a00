import { orders, productEvents } from '@storeloom/commerce';
import {
  type Ctx,
  checkNotInUse,
  checkReferences,
  checkVersion,
  domainError,
  freeName,
  invalid,
  Problem,
  problem,
  slugOf,
  sql,
} from '@storeloom/plugin-sdk';
import { settle } from '../browsing/listing.ts';
import { bundleComponent } from '../bundle/bundle.ts';
import { holdTree } from '../category/place.ts';
import { placeProducts } from '../category/placement.ts';
import { productPath, redirectsService } from '../integrations.ts';
import { readVariants, type VariantChange, type VariantInput, variant } from '../variant/variant.ts';
import { dropLostImages, writeVariants } from '../variant/write.ts';
import { optionsFault, type ProductOption } from './options.ts';
import {
  type ProductInput,
  type ProductPatch,
  type ProductRow,
  product,
  productCategory,
  productCreate,
  productPatch,
} from './product.ts';
import { roomForProducts } from './quota.ts';

const slugs = { table: 'catalog_product', column: 'slug' };

/** Creates a product with its variants, or with one default variant. Returns its id. */
export async function createProduct(ctx: Ctx, input: ProductInput): Promise<string> {
  await roomForProducts(ctx, 1);
  await holdTree(ctx);
  await checkReferences(ctx, productCreate, input);
  checkOptions(input.options);
  const { categoryIds, variants, price, sku, ...values } = input;
  const slug = values.slug || (await freeName(ctx, slugs, slugOf(values.title[ctx.tenant.defaultLocale] ?? '', 'product')));
  const row = await ctx
    .rows(product)
    .insert({ ...values, slug, images: inOrder(values.images), publishedAt: publishedAt(ctx, values) });
  await setCategories(ctx, row.id, categoryIds);
  if (variants.length > 0) {
    for (const [name, value] of Object.entries({ price, sku }))
      if (value !== null) throw invalid(`/${name}`, 'invalid', 'must be set on the variants if there are any');
  }
  await writeVariants(ctx, row, variants.length > 0 ? variants : [await defaultVariant(ctx, row, price, sku)]);
  await settle(ctx, [row.id]);
  await publishProduct(ctx, 'created', row);
  return row.id;
}

async function defaultVariant(
  ctx: Ctx,
  row: ProductRow,
  price: ProductInput['price'],
  sku: string | null,
): Promise<VariantInput> {
  if (price === null && row.status === 'active') throw invalid('/price', 'required', 'an active product needs a price');
  return {
    sku: sku ?? (await freeSku(ctx, row.slug)),
    price: price ?? { amount: 0, currency: ctx.tenant.currency },
    barcode: null,
    optionValues: {},
    compareAtPrice: null,
    cost: null,
    minPrice: null,
    image: null,
    weightG: null,
    dimsMm: null,
    trackInventory: true,
    allowBackorder: false,
    backorderLimit: null,
    minPerOrder: null,
    maxPerOrder: null,
    step: null,
    position: 0,
    active: true,
    digitalFiles: [],
    metadata: null,
    prices: [],
  };
}
function freeSku(ctx: Ctx, base: string): Promise<string> {
  return freeName(ctx, { table: 'catalog_variant', column: 'sku_key', max: 100, where: sql`deleted_at is null` }, base);
}

/** Updates a product and the variants in the patch. @throws 412 if `ifMatch` is another version */
export async function updateProduct(ctx: Ctx, id: string, patch: ProductPatch, ifMatch?: number): Promise<ProductRow> {
  const before = await lockProduct(ctx, id, ifMatch);
  const changes: VariantChange[] | undefined = patch.variants && (await readVariants(ctx.tenant, patch.variants));
  return changeProduct(ctx, before, patch, changes);
}

export async function lockProduct(ctx: Ctx, id: string, ifMatch?: number): Promise<ProductRow> {
  await holdTree(ctx);
  const row = await ctx.rows(product).require(id, { lock: true });
  checkVersion(ifMatch, row);
  return row;
}

/** Updates a locked product. With `later` the caller runs `settle` once for all changed products. */
export async function changeProduct(
  ctx: Ctx,
  before: ProductRow,
  patch: ProductPatch,
  variants?: readonly VariantChange[],
  later = false,
): Promise<ProductRow> {
  await checkReferences(ctx, productPatch, { ...patch, variants: undefined });
  if (patch.options) checkOptions(patch.options);
  const { categoryIds, variants: _, ...values } = patch;
  const change = { ...values, ...(values.images ? { images: inOrder(values.images) } : {}) };
  const next = { ...before, ...change };
  if (before.status === 'archived' && next.status !== 'archived') await roomForProducts(ctx, 1);
  const published = publishedAt(ctx, next);
  if (published !== next.publishedAt || 'publishedAt' in change) change.publishedAt = published;
  if (change.type !== undefined && change.type !== before.type) await changeType(ctx, before, change.type);
  const row = await ctx.rows(product).update(before.id, change);
  if (categoryIds) await setCategories(ctx, row.id, categoryIds);
  if (values.images) await dropLostImages(ctx, [row]);
  if (variants || patch.options || row.type !== before.type || (row.status === 'active' && before.status !== 'active'))
    await writeVariants(ctx, row, variants ?? []);
  if (!later) await settle(ctx, [row.id]);
  if (row.slug !== before.slug)
    await ctx.use(redirectsService)?.add({ fromPath: productPath(before.slug), to: productPath(row.slug) });
  await publishProduct(ctx, row.status === 'archived' && before.status !== 'archived' ? 'archived' : 'updated', row);
  return row;
}

/** Deletes a product, or archives it if orders or other plugins refer to it. */
export async function removeProduct(ctx: Ctx, id: string, ifMatch?: number): Promise<'removed' | 'archived'> {
  const row = await lockProduct(ctx, id, ifMatch);
  if (await isNamed(ctx, id)) {
    if (row.status !== 'archived') await changeProduct(ctx, row, { status: 'archived' });
    return 'archived';
  }
  const variants = await ctx.rows(variant).find({ productId: id });
  const bundles = await ctx.rows(bundleComponent).count({ variantId: variants.map((one) => one.id) });
  if (bundles > 0)
    throw problem('in_use', {
      detail: 'The variant is a component of a bundle. Remove it from the bundle first.',
      counts: { bundles },
    });
  // Removes the placements first, so that the category counts decrease.
  await ctx.rows(product).update(id, { listed: false });
  await placeProducts(ctx, [id]);
  await ctx.rows(product).remove(id);
  ctx.dropCache('catalog');
  await ctx.emit(productEvents.deleted, { id, data: { id, slug: row.slug, variantIds: variants.map((one) => one.id) } });
  return 'removed';
}

async function isNamed(ctx: Ctx, id: string): Promise<boolean> {
  if ((await ctx.use(orders)?.productsInOrders([id]))?.has(id)) return true;
  try {
    await checkNotInUse(ctx, 'catalog.product', id);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.code === 'in_use') return true;
    throw error;
  }
}

/** Rejects a bundle component becoming a bundle. Deletes the components if a bundle becomes another type. */
export async function changeType(ctx: Ctx, before: ProductRow, type: string): Promise<void> {
  if (type === 'bundle') {
    const variants = await ctx.rows(variant).find({ productId: before.id });
    if ((await ctx.rows(bundleComponent).count({ variantId: variants.map(({ id }) => id) })) > 0)
      throw domainError('/type', 'bundle_nested', 'is a component of a bundle');
  } else if (before.type === 'bundle') await ctx.rows(bundleComponent).removeWhere({ productId: before.id });
}

export function checkOptions(options: readonly ProductOption[]): void {
  const fault = optionsFault(options);
  if (fault) throw invalid(`/options/${fault.index}`, fault.code, fault.message);
}

/** Sorts images by position and renumbers them from 0. */
function inOrder(images: ProductInput['images']): ProductInput['images'] {
  const at = (position: number | null, i: number): number => position ?? i;
  return images
    .map((image, i) => ({ image, place: at(image.position, i) }))
    .sort((a, b) => a.place - b.place)
    .map(({ image }, position) => ({ ...image, position }));
}

/** Publication time: an active product without one is published now. */
export function publishedAt(
  ctx: Ctx,
  { status, publishedAt: at }: { status: string; publishedAt: string | null },
): string | null {
  return at ?? (status === 'active' ? ctx.clock.now() : null);
}

export async function setCategories(ctx: Ctx, productId: string, categoryIds: readonly string[]): Promise<void> {
  const rows = ctx.rows(productCategory);
  await rows.removeWhere({ productId });
  await rows.insertMany([...new Set(categoryIds)].map((categoryId) => ({ productId, categoryId })));
}

/** Publishes the event of a product. */
export async function publishProduct(
  ctx: Ctx,
  verb: 'created' | 'updated' | 'archived',
  { id, slug, title, status }: ProductRow,
): Promise<void> {
  await ctx.emit(productEvents[verb], { id, data: { id, slug, title, status } });
}
