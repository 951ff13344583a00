import { type ProductImport, type ProductImportOptions, type ProductImportResult, taxes } from '@storeloom/commerce';
import { type Ctx, constraintOf, databaseProblem, invalid, isRetryable, Problem, sql } from '@storeloom/plugin-sdk';
import { categoriesByPath } from '../category/category.ts';
import { holdTree } from '../category/place.ts';
import { brandsByName } from '../product/brand.ts';
import { type ProductRow, product, productCategory } from '../product/product.ts';
import { type VariantInput, type VariantRow, variant, variantPrice } from '../variant/variant.ts';
import { Codes, codesOf } from './codes.ts';
import { type Plan, planOf } from './plan.ts';
import { writePlans } from './write.ts';

type Result = ProductImportResult | Problem;
interface Item {
  index: number;
  file: ProductImport;
}

/** Products that can't be imported, found before anything was written. */
class Rejected extends Error {
  readonly problems: ReadonlyMap<number, Problem>;
  constructor(problems: ReadonlyMap<number, Problem>) {
    super('some products of the import are invalid');
    this.problems = problems;
  }
}

/** `Catalog.importProduct`. */
export async function importProduct(
  ctx: Ctx,
  file: ProductImport,
  mode: ProductImportOptions['mode'],
): Promise<ProductImportResult> {
  const [result] = await importProducts(ctx, [file], { mode });
  if (result instanceof Problem) throw result;
  return result as ProductImportResult;
}

/**
 * `Catalog.importProducts`. All products are written together. If that fails, the products are divided until those that fail are found, so
 * that one product doesn't prevent the others.
 */
export async function importProducts(
  ctx: Ctx,
  files: readonly ProductImport[],
  options: ProductImportOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const items of withoutRepetitions(files)) await importItems(ctx, items, options, results);
  return results;
}

/** Parts in which each slug occurs once: a second product with a slug updates the first one. */
function withoutRepetitions(files: readonly ProductImport[]): Item[][] {
  const parts: Item[][] = [];
  let slugs = new Set<string>();
  for (const [index, file] of files.entries()) {
    if (parts.length === 0 || slugs.has(file.slug)) {
      parts.push([]);
      slugs = new Set();
    }
    slugs.add(file.slug);
    parts.at(-1)?.push({ index, file });
  }
  return parts;
}

async function importItems(
  ctx: Ctx,
  items: readonly Item[],
  options: ProductImportOptions,
  results: Result[],
  isRepeated = false,
): Promise<void> {
  try {
    const done = await ctx.savepoint(() => importDistinct(ctx, items, options));
    for (const [i, { index }] of items.entries()) results[index] = done[i] as ProductImportResult;
  } catch (error) {
    if (error instanceof Rejected) {
      for (const [i, rejection] of error.problems) results[(items[i] as Item).index] = rejection;
      const rest = items.filter((_, i) => !error.problems.has(i));
      if (rest.length > 0) await importItems(ctx, rest, options, results, isRepeated);
      return;
    }
    const known = refusalOf(error);
    if (!known) throw error;
    // What another writer has committed meanwhile is found by the repetition.
    if (!isRepeated && constraintOf(error)?.sqlstate === '23505') return importItems(ctx, items, options, results, true);
    if (items.length === 1) {
      results[(items[0] as Item).index] = known;
      return;
    }
    const half = Math.ceil(items.length / 2);
    await importItems(ctx, items.slice(0, half), options, results, true);
    await importItems(ctx, items.slice(half), options, results, true);
  }
}

/** The problem of an error that belongs to the products. Undefined: of the server, or the whole unit of work must be repeated. */
function refusalOf(error: unknown): Problem | undefined {
  if (isRetryable(error)) return undefined;
  const known = error instanceof Problem ? error : databaseProblem(error);
  return known?.code === 'unavailable' || known?.code === 'internal_error' ? undefined : known;
}

async function importDistinct(ctx: Ctx, items: readonly Item[], options: ProductImportOptions): Promise<ProductImportResult[]> {
  const files = items.map(({ file }) => file);
  // Creating categories takes the exclusive tree lock, which must precede the shared one and the locks of products.
  const categories = await categoriesByPath(ctx, files.flatMap(pathsOf));
  await holdTree(ctx);
  const brands = await brandsByName(
    ctx,
    files.flatMap(({ brand }) => (brand === null ? [] : [brand])),
  );
  const taxCategory = await taxCategoriesByCode(ctx, files);
  const known = await knownProducts(ctx, files);
  const codes = new Codes(await codesOf(ctx, files));
  const plans: Plan[] = [];
  const problems = new Map<number, Problem>();
  for (const [i, file] of files.entries()) {
    try {
      const brandId = file.brand === null ? null : (brands.get(file.brand) as string);
      const categoryIds = pathsOf(file).flatMap((path) => categories(path) ?? []);
      plans.push(
        await planOf(ctx, file, options.mode, {
          known: known.get(file.slug),
          brandId,
          taxCategoryId: taxCategory(file),
          categoryIds,
          codes,
        }),
      );
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.set(i, error);
    }
  }
  // Rolls back categories and brands that only these products have, too.
  if (problems.size > 0) throw new Rejected(problems);
  return writePlans(ctx, plans, options.stock);
}

/** Finds the tax category that a product states by its code. @throws Problem for an unknown code */
async function taxCategoriesByCode(ctx: Ctx, files: readonly ProductImport[]): Promise<(file: ProductImport) => string | null> {
  const service = files.some(({ taxCategory }) => taxCategory) ? ctx.use(taxes) : undefined;
  if (!service) return () => null;
  const ids = new Map((await service.categories()).map(({ code, id }) => [code, id]));
  return ({ taxCategory: code }) => {
    if (!code) return null;
    const id = ids.get(code);
    if (id === undefined) throw invalid('/taxCategory', 'not_found', `no tax category has the code ${code}`);
    return id;
  };
}

const pathsOf = ({ categoryPath, otherCategoryPaths }: ProductImport): string[][] => [
  ...(categoryPath === null ? [] : [categoryPath]),
  ...(otherCategoryPaths ?? []),
];

/** A stored product, locked, with its variants in order. */
export interface KnownProduct {
  row: ProductRow;
  variants: VariantRow[];
  /** Additional prices by variant id; read only if the file states prices. */
  prices: ReadonlyMap<string, VariantInput['prices']>;
  categoryIds: string[];
}

async function knownProducts(ctx: Ctx, files: readonly ProductImport[]): Promise<Map<string, KnownProduct>> {
  const rows = await ctx.rows(product).find({ slug: files.map(({ slug }) => slug) }, { lock: true, orderBy: ['id'] });
  if (rows.length === 0) return new Map();
  const productId = rows.map(({ id }) => id);
  const [variants, links] = await Promise.all([
    ctx.rows(variant).find({ productId }, { lock: true, orderBy: ['id'] }),
    ctx.rows(productCategory).find({ productId }, { orderBy: ['id'] }),
  ]);
  const hasPrices = files.some((file) => file.variants.some(({ prices }) => prices));
  const prices = hasPrices ? await pricesOf(ctx, variants) : new Map<string, VariantInput['prices']>();
  const variantsOf = Map.groupBy(variants, (row) => row.productId);
  const linksOf = Map.groupBy(links, (link) => link.productId);
  return new Map(
    rows.map((row) => [
      row.slug,
      {
        row,
        variants: (variantsOf.get(row.id) ?? []).sort((a, b) => a.position - b.position),
        prices,
        categoryIds: (linksOf.get(row.id) ?? []).map(({ categoryId }) => categoryId),
      },
    ]),
  );
}

async function pricesOf(ctx: Ctx, variants: readonly VariantRow[]): Promise<Map<string, VariantInput['prices']>> {
  const rows = await ctx.rows(variantPrice).find({ variantId: variants.map(({ id }) => id) }, { orderBy: ['id'] });
  const prices = new Map<string, VariantInput['prices']>();
  for (const { variantId, price, priceListCode, startsAt, endsAt } of rows)
    prices.set(variantId, [...(prices.get(variantId) ?? []), { price, priceListCode, startsAt, endsAt }]);
  return prices;
}
/** Replaces image URLs in all products and variants. */
export async function replaceImages(ctx: Ctx, addresses: Readonly<Record<string, string>>): Promise<void> {
  for (const [from, to] of Object.entries(addresses)) {
    await ctx.db.run(sql`update catalog_variant set image = ${to}, version = version + 1, updated_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and image = ${from}`);
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
