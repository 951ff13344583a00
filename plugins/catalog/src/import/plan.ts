import type { ProductImport, ProductImportOptions } from '@storeloom/commerce';
import { type Ctx, invalid, notFound, problem, uuidv7 } from '@storeloom/plugin-sdk';
import { isLink } from '@storeloom/plugin-sdk/public';
import { mergeOptions, type ProductOption } from '../product/options.ts';
import type { ProductPatch, ProductRow } from '../product/product.ts';
import { checkOptions } from '../product/write.ts';
import { inDefaultLocale } from '../texts.ts';
import { checkImage, checkTogether, checkVariant } from '../variant/check.ts';
import type { VariantInput } from '../variant/variant.ts';
import type { Codes } from './codes.ts';
import type { KnownProduct } from './import.ts';

/** The writes of one product of an import, after all checks. */
export interface Plan {
  file: ProductImport;
  id: string;
  /** Undefined: the product is new. */
  known: KnownProduct | undefined;
  brandId: string | null;
  taxCategoryId: string | null;
  /** Categories that the product isn't in yet. */
  categoryIds: string[];
  /** Fields of a known product that differ. */
  patch: ProductPatch;
  /** Options after the import. */
  options: readonly ProductOption[];
  made: (VariantInput & { id: string })[];
  /** Fields of known variants that differ, by variant id. */
  changes: Map<string, Partial<VariantInput>>;
}

interface Context {
  known: KnownProduct | undefined;
  brandId: string | null;
  taxCategoryId: string | null;
  categoryIds: readonly string[];
  codes: Codes;
}

/** Compares a product of the file with the stored one and checks it. @throws Problem for an invalid product */
export async function planOf(
  ctx: Ctx,
  file: ProductImport,
  mode: ProductImportOptions['mode'],
  { known, brandId, taxCategoryId, categoryIds, codes }: Context,
): Promise<Plan> {
  if (known && mode === 'create') throw slugTaken(file.slug);
  if (!known && mode === 'update') throw notFound(`No product has the slug ${file.slug}.`);
  for (const [i, { url }] of file.images.entries())
    if (!isLink(url)) throw invalid(`/images/${i}/url`, 'invalid', 'must be an http(s) URL or a path of the shop');
  const patch = known ? patchOf(ctx, known.row, file, { brandId, taxCategoryId }) : {};
  const { made, changes } = variantsOf(ctx, known, file);
  const plan: Plan = {
    file,
    id: known?.row.id ?? uuidv7(ctx.clock.ms()),
    known,
    brandId,
    taxCategoryId,
    categoryIds: [...new Set(categoryIds)].filter((id) => !known?.categoryIds.includes(id)),
    patch,
    options: known ? (patch.options ?? known.row.options) : file.options,
    made,
    changes,
  };
  await check(ctx, plan);
  codes.claim(file, plan.id);
  return plan;
}

/** True if the product or its variants differ from the file. */
export const isChanged = ({ known, patch, categoryIds, made, changes }: Plan): boolean =>
  !known || Object.keys(patch).length > 0 || categoryIds.length > 0 || made.length > 0 || changes.size > 0;

function slugTaken(slug: string) {
  const detail = `A product with the slug ${slug} already exists.`;
  return problem('duplicate', { field: 'slug', detail, errors: [{ pointer: '/slug', code: 'duplicate', message: detail }] });
}

/** Images in the order of their positions, which are renumbered from 0. */
export function imagesOf(ctx: Ctx, file: ProductImport): ProductRow['images'] {
  return file.images
    .toSorted((a, b) => a.position - b.position)
    .map(({ url, alt }, position) => ({ url, alt: typeof alt === 'string' ? inDefaultLocale(ctx, alt) : alt, position }));
}

type Stated<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> };

/** Properties of a product or variant that the file states. */
function stated<T extends object, K extends keyof T>(item: T, names: readonly K[]): Stated<Pick<T, K>> {
  return Object.fromEntries(
    names.flatMap((name) => (item[name] === null || item[name] === undefined ? [] : [[name, item[name]]])),
  ) as Stated<Pick<T, K>>;
}

/** Product fields that the file states as they are stored. */
export const statedOfProduct = (file: ProductImport) =>
  stated(file, [
    'featured',
    'returnable',
    'minAge',
    'weightG',
    'hsCode',
    'countryOfOrigin',
    'publishedAt',
    'position',
    'metadata',
  ]);
const statedOfVariant = (item: ProductImport['variants'][number]) =>
  stated(item, [
    'barcode',
    'cost',
    'minPrice',
    'image',
    'weightG',
    'dimsMm',
    'backorderLimit',
    'minPerOrder',
    'maxPerOrder',
    'step',
    'active',
    'digitalFiles',
    'metadata',
    'prices',
  ]);

function newVariant(item: ProductImport['variants'][number]): VariantInput {
  const { sku, optionValues, price, compareAtPrice, trackInventory, allowBackorder, position } = item;
  return {
    barcode: null,
    cost: null,
    weightG: null,
    minPrice: null,
    image: null,
    dimsMm: null,
    backorderLimit: null,
    minPerOrder: null,
    maxPerOrder: null,
    step: null,
    active: true,
    digitalFiles: [],
    metadata: null,
    prices: [],
    sku,
    optionValues,
    price,
    compareAtPrice,
    trackInventory,
    allowBackorder,
    position,
    ...statedOfVariant(item),
  };
}

/** Product fields that the file contains and that differ. */
function patchOf(
  ctx: Ctx,
  known: ProductRow,
  file: ProductImport,
  { brandId, taxCategoryId }: Pick<Plan, 'brandId' | 'taxCategoryId'>,
): ProductPatch {
  const wanted: ProductPatch = {
    title: { ...known.title, ...file.title },
    status: file.status,
    type: file.type,
    ...(file.description ? { description: { ...known.description, ...file.description } } : {}),
    ...(file.shortDescription ? { shortDescription: { ...known.shortDescription, ...file.shortDescription } } : {}),
    ...statedOfProduct(file),
    ...(brandId === null ? {} : { brandId }),
    ...(taxCategoryId === null ? {} : { taxCategoryId }),
    ...(file.options.length > 0 || known.options.length > 0 ? { options: mergeOptions(known.options, file.options) } : {}),
    ...(file.tags.length > 0 ? { tags: [...new Set(file.tags)] } : {}),
    ...(file.images.length > 0 ? { images: imagesOf(ctx, file) } : {}),
    ...(file.seo ? { seo: { ...file.seo, canonical: file.seo.canonical ?? known.seo?.canonical ?? null } } : {}),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !same(value, known[name as keyof ProductRow])),
  ) as ProductPatch;
}

/** New variants, and changed fields of known variants, matched by SKU. */
function variantsOf(ctx: Ctx, product: KnownProduct | undefined, file: ProductImport): Pick<Plan, 'made' | 'changes'> {
  const known = new Map(product?.variants.map((row) => [row.skuKey, row]));
  const made: Plan['made'] = [];
  const changes: Plan['changes'] = new Map();
  for (const item of file.variants) {
    const row = known.get(item.sku.toLowerCase());
    if (!row) {
      made.push({ ...newVariant(item), id: uuidv7(ctx.clock.ms()) });
      continue;
    }
    const wanted: Partial<VariantInput> = {
      sku: item.sku,
      optionValues: item.optionValues,
      price: item.price,
      compareAtPrice: item.compareAtPrice,
      trackInventory: item.trackInventory,
      allowBackorder: item.allowBackorder,
      position: item.position,
      ...statedOfVariant(item),
    };
    const present = { ...row, prices: product?.prices.get(row.id) ?? [] };
    const change = Object.entries(wanted).filter(([name, value]) => !same(value, present[name as keyof typeof present]));
    if (change.length > 0) changes.set(row.id, Object.fromEntries(change));
  }
  return { made, changes };
}

async function check(ctx: Ctx, { file, known, patch, options, made, changes }: Plan): Promise<void> {
  if (!known || patch.options) checkOptions(options);
  const pointers = new Map<string, string>();
  const bySku = new Map((known?.variants ?? []).map((row) => [row.skuKey, row]));
  const created = new Map(made.map((values) => [values.sku.toLowerCase(), values]));
  for (const [i, { sku }] of file.variants.entries()) {
    const pointer = `/variants/${i}`;
    const row = bySku.get(sku.toLowerCase());
    const values = row ? changes.get(row.id) : created.get(sku.toLowerCase());
    if (!values) continue;
    await checkVariant(ctx, pointer, values, row);
    checkImage(pointer, values, patch.images ?? (known ? known.row.images : file.images));
    pointers.set((row ?? (values as { id: string })).id, `${pointer}/optionValues`);
  }
  const status = patch.status ?? file.status;
  const becomesActive = status === 'active' && known?.row.status !== 'active';
  if (known && made.length === 0 && changes.size === 0 && !patch.options && !patch.type && !becomesActive) return;
  const kept = (known?.variants ?? []).map((row) => ({ ...row, ...changes.get(row.id) }));
  checkTogether(
    { status, type: patch.type ?? known?.row.type ?? file.type, options },
    [...kept, ...made],
    pointers,
    kept.some(({ active }) => active),
  );
}

/** True if the values are equal as JSON, ignoring property order. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}
