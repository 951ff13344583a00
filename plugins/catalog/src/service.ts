import type { Catalog, VariantView } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { facetsOf } from './browsing/facets.ts';
import { productIds, searchDocuments } from './browsing/search-document.ts';
import { cardsOf, matching, shelfPage, visibleProducts } from './browsing/shelf.ts';
import { type ShelfQuery, shelf } from './browsing/shelf-query.ts';
import { exportProducts } from './import/export.ts';
import { importProduct, importProducts, replaceImages, setRating } from './import/import.ts';
import { importBrand, importCategory } from './import/shelf-import.ts';
import { loadSellables, loadStockRules, variantViewOf } from './pricing/sellable.ts';
import { checkQuantity } from './variant/quantity.ts';

/** `catalog:catalog` for one unit of work. */
export function catalogService(ctx: Ctx): Catalog {
  return {
    variants: (ids) => variants(ctx, ids),
    stockRules: (ids) => loadStockRules(ctx, ids),
    async variantBySku(sku) {
      const row = await ctx.db.first<{ id: string }>(
        sql`select id from catalog_variant where tenant_id = ${ctx.tenant.id} and sku_key = ${sku.toLowerCase()} and deleted_at is null`,
      );
      return row && (await variants(ctx, [row.id]))[0];
    },
    checkQuantity,
    visibleProducts: (ids) => visibleProducts(ctx, ids),
    cards: (ids, list) => cardsOf(ctx, ids, (list as ShelfQuery | undefined)?.extra.currency),
    importProduct: (product, mode) => importProduct(ctx, product, mode),
    importProducts: (products, options) => importProducts(ctx, products, options),
    importCategory: (wanted) => importCategory(ctx, wanted),
    importBrand: (wanted) => importBrand(ctx, wanted),
    exportProducts: (filter) => exportProducts(ctx, filter),
    setRating: (productId, rating) => setRating(ctx, productId, rating),
    replaceImages: (addresses) => replaceImages(ctx, addresses),
    searchDocument: async (productId) => (await searchDocuments(ctx, [productId])).get(productId),
    searchDocuments: (ids) => searchDocuments(ctx, ids),
    parseProductList: (params) => shelf.parse(params),
    filterProducts: (asked, ids) => matching(ctx, asked as ShelfQuery, ids),
    listProducts: (asked, ids) =>
      shelfPage(ctx, asked as ShelfQuery, ids === null ? undefined : sql`t.id = any(${[...ids]}::uuid[])`),
    facets: (asked, ids) => facetsOf(ctx, asked as ShelfQuery, ids),
    productIds: (after, limit) => productIds(ctx, after, limit),
  };
}

/** Variants in the order of the ids. Omits unknown and deleted variants. */
async function variants(ctx: Ctx, ids: readonly string[]): Promise<VariantView[]> {
  const found = await loadSellables(ctx, [...new Set(ids)]);
  const now = ctx.clock.now();
  return ids.flatMap((id) => {
    const item = found.get(id);
    return item ? [variantViewOf(item, now)] : [];
  });
}
