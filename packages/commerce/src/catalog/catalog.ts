import { type Page, service, waterfall } from '@storeloom/plugin-sdk';
import type { BrandImport, CategoryImport, ImportOutcome, ProductImport } from './product-import.ts';
import type { Facets, ShelfParams } from './product-list.ts';
import type { SearchDocument } from './search-document.ts';
import type { QuantityFault, QuantityRule, StockRule, VariantView } from './variant.ts';

export interface Catalog {
  variants(ids: readonly string[]): Promise<VariantView[]>;
  /** The part of `variants` that stock asks for on every page and order. */
  stockRules(ids: readonly string[]): Promise<StockRule[]>;
  variantBySku(sku: string): Promise<VariantView | undefined>;
  /**
   * Checks an ordered quantity of a variant, all its lines together, against its rule. Undefined when it is valid; a cart responds 422
   * with the fault. Runs no query.
   */
  quantityFault(rule: QuantityRule, quantity: number): QuantityFault | undefined;
  /** Visible to shoppers now: active, published, with an active variant, not hidden by a tap. */
  visibleProducts(ids: readonly string[]): Promise<Set<string>>;
  /** Storefront cards in the given order; hidden ones drop out. */
  cards(productIds: readonly string[]): Promise<Record<string, unknown>[]>;
  /** Upsert of one product. `mode`: refuse what exists or what doesn't (problem duplicate / not_found). */
  importProduct(product: ProductImport, mode: 'create' | 'update' | 'upsert'): Promise<ImportOutcome>;
  /** Upserts, for seeds: what is equal already isn't written. */
  importCategory(category: CategoryImport): Promise<'created' | 'updated' | 'unchanged'>;
  importBrand(brand: BrandImport): Promise<'created' | 'updated' | 'unchanged'>;
  /** Images were kept elsewhere: addresses before → after, in every product that shows them. */
  replaceImages(addresses: Readonly<Record<string, string>>): Promise<void>;
  /** Everything an export row needs, a product at a time, by id order. */
  exportProducts(filter: Record<string, string>): AsyncIterable<Record<string, unknown>>;
  /** Aggregates told by reviews. */
  setRating(productId: string, rating: { average: number; count: number }): Promise<void>;
  /** What search reads: the document of one product, undefined when it isn't visible. */
  searchDocument(productId: string): Promise<SearchDocument | undefined>;
  /** Reads the storefront's filters and sorts; 400 `invalid_parameter` for anything else. Throws before anything is queried. */
  readShelf(params: URLSearchParams): ShelfParams;
  /** Those of the products that shoppers see now and that pass the filters, in the given order. */
  matching(shelf: ShelfParams, productIds: readonly string[]): Promise<string[]>;
  /** A page of the storefront's list, of these products only. */
  shelfOf(shelf: ShelfParams, productIds: readonly string[]): Promise<Page<Record<string, unknown>>>;
  /** Values with counts under the filters; of these products only, where given. */
  facets(shelf: ShelfParams, productIds: readonly string[] | null): Promise<Facets>;
  /** SQL fragments would cross plugin borders: search gets ids by paging instead. */
  productIds(after: string | null, limit: number): Promise<string[]>;
}

export const catalog = service<Catalog>('catalog:catalog');

/**
 * Taps hide products (vendors). Gets ids, gives those that stay. Pages ask about every product they show; counts ask only about
 * products that have a `vendorId`.
 */
export const catalogVisible = waterfall<{ productIds: string[] }>('catalog:visible');
