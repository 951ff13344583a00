import type { ProductImport, ProductImportResult } from '@storeloom/commerce';
import { type Ctx, notFound, problem, sql } from '@storeloom/plugin-sdk';
import { categoryByPath } from '../category/category.ts';
import { holdTree } from '../category/place.ts';
import { brandByName } from '../product/brand.ts';
import { mergeOptions } from '../product/options.ts';
import { type ProductPatch, type ProductRow, product, productCategory } from '../product/product.ts';
import { changeProduct, createProduct } from '../product/write.ts';
import { inDefaultLocale } from '../texts.ts';
import { type VariantChange, type VariantInput, type VariantRow, variant } from '../variant/variant.ts';

type Mode = 'create' | 'update' | 'upsert';

/** Imports a product. `ProductImport` defines the meaning of missing values. Doesn't write unchanged values. */
export async function importProduct(ctx: Ctx, file: ProductImport, mode: Mode): Promise<ProductImportResult> {
  // Creating categories takes the exclusive tree lock, which must precede the shared one.
  const categoryId = file.categoryPath === null ? null : await categoryByPath(ctx, file.categoryPath);
  await holdTree(ctx);
  const known = await ctx.rows(product).first({ slug: file.slug }, { lock: true });
  if (known && mode === 'create')
    throw problem('duplicate', { field: 'slug', detail: `A product with the slug ${file.slug} already exists.` });
  if (!known && mode === 'update') throw notFound(`No product has the slug ${file.slug}.`);
  const brandId = file.brand === null ? null : await brandByName(ctx, file.brand);
  return known ? update(ctx, known, file, brandId, categoryId) : create(ctx, file, brandId, categoryId);
}

function images(ctx: Ctx, file: ProductImport): ProductRow['images'] {
  return file.images
    .toSorted((a, b) => a.position - b.position)
    .map(({ url, alt }, position) => ({ url, alt: alt === null ? null : inDefaultLocale(ctx, alt), position }));
}

function newVariant(item: ProductImport['variants'][number]): VariantInput {
  return {
    minPrice: null,
    dimsMm: null,
    backorderLimit: null,
    minPerOrder: null,
    maxPerOrder: null,
    step: null,
    active: true,
    digitalFiles: [],
    metadata: null,
    prices: [],
    ...item,
    cost: item.cost ?? null,
  };
}

async function create(
  ctx: Ctx,
  file: ProductImport,
  brandId: string | null,
  categoryId: string | null,
): Promise<ProductImportResult> {
  const id = await createProduct(ctx, {
    title: file.title,
    slug: file.slug,
    description: file.description,
    shortDescription: file.shortDescription ?? null,
    status: file.status,
    type: file.type,
    brandId,
    options: file.options,
    images: images(ctx, file),
    tags: [...new Set(file.tags)],
    seo: file.seo && { ...file.seo, canonical: null },
    categoryIds: categoryId === null ? [] : [categoryId],
    variants: file.variants.map(newVariant),
    vendorId: null,
    taxCategoryId: null,
    featured: file.featured ?? false,
    returnable: true,
    minAge: null,
    weightG: null,
    hsCode: null,
    countryOfOrigin: null,
    publishedAt: null,
    position: 0,
    metadata: null,
    price: null,
    sku: null,
  });
  const variants = await skusOf(ctx, id);
  return { outcome: 'created', productId: id, createdVariants: variants, variants };
}

async function skusOf(ctx: Ctx, productId: string): Promise<Record<string, string>> {
  const rows = await ctx.rows(variant).find({ productId }, { orderBy: ['position', 'id'] });
  return Object.fromEntries(rows.map(({ sku, id }) => [sku, id]));
}

async function update(
  ctx: Ctx,
  known: ProductRow,
  file: ProductImport,
  brandId: string | null,
  categoryId: string | null,
): Promise<ProductImportResult> {
  const before = await ctx.rows(variant).find({ productId: known.id }, { orderBy: ['position', 'id'] });
  const patch = await patchOf(ctx, known, file, brandId, categoryId);
  const changes = variantChanges(before, file);
  if (Object.keys(patch).length > 0 || changes.length > 0)
    await changeProduct(ctx, known, patch, changes.length > 0 || patch.options ? changes : undefined);
  const variants = await skusOf(ctx, known.id);
  const old = new Set(before.map(({ id }) => id));
  return {
    outcome: Object.keys(patch).length > 0 || changes.length > 0 ? 'updated' : 'unchanged',
    productId: known.id,
    createdVariants: Object.fromEntries(Object.entries(variants).filter(([, id]) => !old.has(id))),
    variants,
  };
}

/** Product fields that the file contains and that differ. */
async function patchOf(
  ctx: Ctx,
  known: ProductRow,
  file: ProductImport,
  brandId: string | null,
  categoryId: string | null,
): Promise<ProductPatch> {
  const wanted: ProductPatch = {
    title: { ...known.title, ...file.title },
    status: file.status,
    type: file.type,
    ...(file.description ? { description: { ...known.description, ...file.description } } : {}),
    ...(file.shortDescription ? { shortDescription: { ...known.shortDescription, ...file.shortDescription } } : {}),
    ...(file.featured === undefined ? {} : { featured: file.featured }),
    ...(brandId === null ? {} : { brandId }),
    ...(file.options.length > 0 || known.options.length > 0 ? { options: mergeOptions(known.options, file.options) } : {}),
    ...(file.tags.length > 0 ? { tags: [...new Set(file.tags)] } : {}),
    ...(file.images.length > 0 ? { images: images(ctx, file) } : {}),
    ...(file.seo ? { seo: { canonical: null, ...known.seo, ...file.seo } } : {}),
  };
  const patch = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !same(value, known[name as keyof ProductRow])),
  ) as ProductPatch;
  if (categoryId === null) return patch;
  const links = await ctx.rows(productCategory).find({ productId: known.id }, { orderBy: ['id'] });
  const ids = links.map((link) => link.categoryId);
  return ids.includes(categoryId) ? patch : { ...patch, categoryIds: [...ids, categoryId] };
}

/** New variants, and changed fields of existing variants, matched by SKU. */
function variantChanges(before: readonly VariantRow[], file: ProductImport): VariantChange[] {
  const known = new Map(before.map((row) => [row.skuKey, row]));
  return file.variants.flatMap((item): VariantChange[] => {
    const row = known.get(item.sku.toLowerCase());
    if (!row) return [newVariant(item)];
    const wanted: Partial<VariantInput> = {
      sku: item.sku,
      optionValues: item.optionValues,
      price: item.price,
      compareAtPrice: item.compareAtPrice,
      trackInventory: item.trackInventory,
      allowBackorder: item.allowBackorder,
      position: item.position,
      ...(item.barcode === null ? {} : { barcode: item.barcode }),
      ...(item.weightG === null ? {} : { weightG: item.weightG }),
      ...(item.cost ? { cost: item.cost } : {}),
    };
    const change = Object.fromEntries(
      Object.entries(wanted).filter(([name, value]) => !same(value, row[name as keyof VariantRow])),
    );
    return Object.keys(change).length === 0 ? [] : [{ id: row.id, ...change }];
  });
}

/** True if the values are equal as JSON, ignoring property order. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}

/** Replaces image URLs in all products. */
export async function replaceImages(ctx: Ctx, addresses: Readonly<Record<string, string>>): Promise<void> {
  for (const [from, to] of Object.entries(addresses)) {
    await ctx.db.run(sql`update catalog_product t set version = version + 1, updated_at = ${ctx.clock.now()},
        images = (select jsonb_agg(case when i.image ->> 'url' = ${from} then jsonb_set(i.image, '{url}', to_jsonb(${to}::text)) else i.image end order by i.place)
                  from jsonb_array_elements(t.images) with ordinality as i(image, place))
      where t.tenant_id = ${ctx.tenant.id} and t.images @> ${JSON.stringify([{ url: from }])}::jsonb`);
  }
  ctx.dropCache('catalog');
}

/** Stores the rating from reviews. Doesn't change the product version, so that concurrent edits don't conflict. */
export async function setRating(
  ctx: Ctx,
  productId: string,
  { average, count }: { average: number; count: number },
): Promise<void> {
  const hundredths = count === 0 ? 0 : Math.round(average * 100);
  await ctx.db.run(
    sql`update catalog_product set rating_hundredths = ${hundredths}, rating_count = ${count} where tenant_id = ${ctx.tenant.id} and id = ${productId}`,
  );
  ctx.dropCache('catalog');
}
