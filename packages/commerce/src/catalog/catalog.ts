import { type Page, type Problem, service, waterfall } from '@storeloom/plugin-sdk';
import type { ProductCard } from './product-card.ts';
import type { BrandImport, CategoryImport, ProductImport, ProductImportOptions, ProductImportResult } from './product-import.ts';
import type { Facets, ProductListParams } from './product-list.ts';
import type { SearchDocument } from './search-document.ts';
import type { QuantityError, QuantityRule, StockRule, VariantView } from './variant.ts';

/** Products and variants. Provided by plugin catalog. */
export interface Catalog {
  /** In the order of `ids`; unknown and deleted variants are left out. */
  variants(ids: readonly string[]): Promise<VariantView[]>;
  /** The part of `variants` that inventory reads on every page and order. */
  stockRules(ids: readonly string[]): Promise<StockRule[]>;
  /** SKUs are compared without case. */
  variantBySku(sku: string): Promise<VariantView | undefined>;
  /**
   * Checks the ordered quantity of a variant, summed over its lines. Returns undefined when it is valid; a cart responds 422 with the
   * error. Runs no query.
   */
  checkQuantity(rule: QuantityRule, quantity: number): QuantityError | undefined;
  /** Those that shoppers see now: active, published, with an active variant, and not hidden by a tap of `catalogVisible`. */
  visibleProducts(ids: readonly string[]): Promise<Set<string>>;
  /** Product cards (`productCardSchema`) in the given order, in the currency of the list. Hidden products are left out. */
  cards(productIds: readonly string[], list?: ProductListParams): Promise<ProductCard[]>;
  /**
   * Creates or updates one product. `create` refuses an existing slug, `update` a missing one.
   * @throws Problem 409 `duplicate`, 404 `not_found`
   */
  importProduct(product: ProductImport, mode: ProductImportOptions['mode']): Promise<ProductImportResult>;
  /**
   * Creates or updates products with the same number of statements for any number of them; a few hundred at a time. The result has an element
   * for each product: a problem stands for one that isn't imported; the others are.
   */
  importProducts(products: readonly ProductImport[], options: ProductImportOptions): Promise<(ProductImportResult | Problem)[]>;
  /** Creates or updates one category. Writes nothing when the row is the same. */
  importCategory(category: CategoryImport): Promise<'created' | 'updated' | 'unchanged'>;
  /** Creates or updates one brand. Writes nothing when the row is the same. */
  importBrand(brand: BrandImport): Promise<'created' | 'updated' | 'unchanged'>;
  /** Replaces image addresses (old to new) in every product that shows them. */
  replaceImages(addresses: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Products with all their columns for an export, in id order, by the filters of the staff's product list. In batches, each read in a
   * transaction of its own: iterate outside a transaction, so that a slow client holds no connection.
   */
  exportProducts(filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]>;
  /** Stores the rating that product lists show and sort by. Called by plugin reviews. */
  setRating(productId: string, rating: { average: number; count: number }): Promise<void>;
  /** The document that search indexes; undefined when the product isn't visible. */
  searchDocument(productId: string): Promise<SearchDocument | undefined>;
  /** The documents of several products, by product id; without products that shoppers don't see. */
  searchDocuments(productIds: readonly string[]): Promise<Map<string, SearchDocument>>;
  /**
   * Parses filters, sort and limit of the storefront's product list. Runs no query.
   * @throws Problem 400 `invalid_parameter`
   */
  parseProductList(params: URLSearchParams): ProductListParams;
  /** The visible ones among the products that match the filters, in the given order. */
  filterProducts(list: ProductListParams, productIds: readonly string[]): Promise<string[]>;
  /** A page of the storefront's product list, limited to these products; null: all products. */
  listProducts(list: ProductListParams, productIds: readonly string[] | null): Promise<Page<ProductCard>>;
  /** Filter values with their counts, limited to these products; null: all products. */
  facets(list: ProductListParams, productIds: readonly string[] | null): Promise<Facets>;
  /** Product ids in id order, for jobs that visit every product. `after`: the last id of the page before. */
  productIds(after: string | null, limit: number): Promise<string[]>;
}

/** Token of `Catalog`. */
export const catalog = service<Catalog>('catalog:catalog');

/**
 * Taps remove the ids of products that shoppers may not see (a suspended vendor). Called with every product of a page; counts call it only
 * with products that have a `vendorId`.
 */
export const catalogVisible = waterfall<{ productIds: string[] }>('catalog:visible');
