import { type ProductImportOptions, type ProductImportResult, stock as stockService } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { settle } from '../browsing/listing.ts';
import { optionKey } from '../product/options.ts';
import { type ProductRow, product, productCategory } from '../product/product.ts';
import { roomForProducts } from '../product/quota.ts';
import { changeType, publishedAt, publishProduct } from '../product/write.ts';
import { type VariantInput, type VariantRow, variant } from '../variant/variant.ts';
import { deferOptionKeys, dropLostImages, insertVariants, isDated, replacePrices } from '../variant/write.ts';
import { imagesOf, isChanged, type Plan, statedOfProduct } from './plan.ts';

/** Writes the products of a batch, table by table, and updates their derived data once. */
export async function writePlans(
  ctx: Ctx,
  plans: readonly Plan[],
  stock: ProductImportOptions['stock'],
): Promise<ProductImportResult[]> {
  // Writers of the same new slugs and SKUs insert them in the same order, so that they can't deadlock.
  const created = plans.filter(({ known }) => !known).sort((a, b) => (a.file.slug < b.file.slug ? -1 : 1));
  const updated = plans.filter((plan) => plan.known && isChanged(plan));
  const revived = updated.filter(({ known, patch }) => known?.row.status === 'archived' && patch.status !== undefined);
  if (created.length + revived.length > 0) await roomForProducts(ctx, created.length + revived.length);
  const rows = new Map([...(await insertProducts(ctx, created)), ...(await updateProducts(ctx, updated))]);
  await ctx
    .rows(productCategory)
    .insertMany(plans.flatMap(({ id, categoryIds }) => categoryIds.map((categoryId) => ({ productId: id, categoryId }))));
  const withImages = updated.flatMap(({ id, patch: { images } }) => (images ? [{ id, images }] : []));
  if (withImages.length > 0) await dropLostImages(ctx, withImages);
  await updateVariants(ctx, updated);
  await insertVariants(
    ctx,
    [...created, ...updated].flatMap(({ id, options, known, made }) =>
      made.map((values, i) => ({ values, owner: { id, options }, place: (known?.variants.length ?? 0) + i })),
    ),
  );
  if (updated.length > 0) await deferOptionKeys(ctx, false);
  // Before the flags that depend on the stock are updated.
  const counted = stock ? await setStock(ctx, plans, stock) : new Set<Plan>();
  const changed = [...created, ...updated];
  await settle(
    ctx,
    changed.map(({ id }) => id),
  );
  for (const { id, known } of changed) {
    const row = rows.get(id) ?? (known?.row as ProductRow);
    const isArchived = known && row.status === 'archived' && known.row.status !== 'archived';
    await publishProduct(ctx, known ? (isArchived ? 'archived' : 'updated') : 'created', row);
  }
  return plans.map((plan) => resultOf(plan, counted.has(plan)));
}

/** Values of a new product where the file states none. All rows of the statement have the same columns. */
const unstated = {
  featured: false,
  returnable: true,
  minAge: null,
  weightG: null,
  hsCode: null,
  countryOfOrigin: null,
  position: 0,
  metadata: null,
} satisfies Partial<ProductRow>;

async function insertProducts(ctx: Ctx, plans: readonly Plan[]): Promise<Map<string, ProductRow>> {
  const rows = await ctx.rows(product).insertMany(
    plans.map(({ id, file, brandId, taxCategoryId }) => ({
      id,
      title: file.title,
      slug: file.slug,
      description: file.description,
      shortDescription: file.shortDescription ?? null,
      status: file.status,
      type: file.type,
      brandId,
      taxCategoryId,
      options: file.options,
      images: imagesOf(ctx, file),
      tags: [...new Set(file.tags)],
      seo: file.seo && { ...file.seo, canonical: file.seo.canonical ?? null },
      ...unstated,
      ...statedOfProduct(file),
      publishedAt: publishedAt(ctx, { status: file.status, publishedAt: file.publishedAt ?? null }),
    })),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Updates the changed columns of all products in one statement. */
async function updateProducts(ctx: Ctx, plans: readonly Plan[]): Promise<Map<string, ProductRow>> {
  for (const { known, patch } of plans) if (known && patch.type) await changeType(ctx, known.row, patch.type);
  const patches = plans.flatMap(({ known, patch }) => {
    if (!known) return [];
    const published = publishedAt(ctx, { ...known.row, ...patch });
    const change = { ...patch, ...(published === known.row.publishedAt ? {} : { publishedAt: published }) };
    // A new category alone changes the version, too.
    return [{ row: known.row, change }];
  });
  const rows = await ctx.rows(product).updateMany(withSameColumns(patches));
  return new Map(rows.map((row) => [row.id, row]));
}

async function updateVariants(ctx: Ctx, plans: readonly Plan[]): Promise<void> {
  const replaced = new Map<string, VariantInput['prices']>();
  const changes = plans.flatMap(({ known, options, changes }) =>
    (known?.variants ?? []).flatMap((row) => {
      const change = changes.get(row.id);
      const key = optionKey(options, change?.optionValues ?? row.optionValues);
      if (!change && key === row.optionKey) return [];
      const { prices, ...values } = change ?? {};
      if (prices) replaced.set(row.id, prices);
      return [
        {
          row,
          change: {
            ...values,
            optionKey: key,
            ...(values.sku === undefined ? {} : { skuKey: values.sku.toLowerCase() }),
            ...(prices === undefined ? {} : { dated: isDated(prices, row.price.currency) }),
          },
        },
      ];
    }),
  );
  if (plans.length > 0) await deferOptionKeys(ctx, true);
  await ctx.rows(variant).updateMany(withSameColumns<VariantRow>(changes));
  if (replaced.size > 0) await replacePrices(ctx, replaced);
}

/** Completes changes with the present values of locked rows, so that all have the same columns. */
function withSameColumns<R extends { id: string }>(
  changes: readonly { row: R; change: Partial<R> }[],
): (Partial<R> & { id: string })[] {
  const columns = new Set(changes.flatMap(({ change }) => Object.keys(change))) as Set<keyof R>;
  return changes.map(({ row, change }) => {
    const values: Partial<R> = {};
    for (const column of columns) values[column] = column in change ? change[column] : row[column];
    return { ...values, id: row.id };
  });
}

/** Sets the units of the file. Returns the products whose present units changed. */
async function setStock(ctx: Ctx, plans: readonly Plan[], mode: 'new' | 'set'): Promise<Set<Plan>> {
  const service = ctx.use(stockService);
  const counted = new Set<Plan>();
  if (!service) return counted;
  const wanted = plans.flatMap((plan) => {
    const made = new Map(plan.made.map(({ sku, id }) => [sku.toLowerCase(), id]));
    const present = new Map((plan.known?.variants ?? []).map(({ skuKey, id }) => [skuKey, id]));
    return plan.file.variants.flatMap(({ sku, stock }) => {
      const key = sku.toLowerCase();
      const variantId = made.get(key) ?? (mode === 'set' ? present.get(key) : undefined);
      return stock === null || stock === undefined || variantId === undefined ? [] : [{ plan, variantId, onHand: stock }];
    });
  });
  if (mode === 'new') {
    await service.setMany(wanted, { reference: 'import', reason: 'received' });
    return counted;
  }
  const units = new Map<string, number>();
  for (const { variantId, onHand } of await service.levels(wanted.map(({ variantId }) => variantId)))
    units.set(variantId, (units.get(variantId) ?? 0) + onHand);
  const different = wanted.filter(({ variantId, onHand }) => units.get(variantId) !== onHand);
  await service.setMany(different, { reference: 'import', reason: 'count' });
  for (const { plan, variantId, onHand } of different) if ((units.get(variantId) ?? 0) !== onHand) counted.add(plan);
  return counted;
}

function resultOf(plan: Plan, isCounted: boolean): ProductImportResult {
  const { id, known, made, changes } = plan;
  const createdVariants = Object.fromEntries(made.map(({ sku, id }) => [sku, id]));
  const present = (known?.variants ?? []).map(({ id, sku }) => [changes.get(id)?.sku ?? sku, id] as const);
  return {
    outcome: !known ? 'created' : isChanged(plan) || isCounted ? 'updated' : 'unchanged',
    productId: id,
    createdVariants,
    variants: { ...Object.fromEntries(present), ...createdVariants },
  };
}
