import type { LocalText, Page } from '@storeloom/plugin-sdk';
import { collect, service, waterfall } from '@storeloom/plugin-sdk';

export { cardAnswer } from './contract/card-shape.ts';

export interface VariantView {
  id: string;
  productId: string;
  sku: string;
  barcode: string | null;
  /** Product title, and the option values as `Red / M` when there are any. */
  title: LocalText;
  optionValues: Record<string, string>;
  /** General price now, a dated one included, and what it is reduced from. */
  price: { amount: number; currency: string };
  compareAtPrice: { amount: number; currency: string } | null;
  active: boolean;
  productStatus: 'draft' | 'active' | 'archived';
  productType: 'physical' | 'digital' | 'service' | 'bundle' | 'gift_card';
  trackInventory: boolean;
  allowBackorder: boolean;
  backorderLimit: number | null;
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
  weightG: number;
  taxCategoryId: string | null;
  /** Those the product is in and all above them. */
  categoryIds: string[];
  brandId: string | null;
  returnable: boolean;
  minAge: number | null;
  /** Components of a bundle. */
  components: { variantId: string; quantity: number }[] | null;
  /** Of the product. */
  slug: string;
  /** First image of the product. */
  image: string | null;
  vendorId: string | null;
  /** No discount takes the unit price below it. */
  minPrice: { amount: number; currency: string } | null;
  digitalFiles: { uploadKey: string; name: string; version: string | null }[];
  /**
   * A shopper may have it in the cart: the variant is active, its product active and published, a bundle complete. What a tap of
   * `catalog:visible` hides is not looked at here: ask `visibleProducts`.
   */
  sellable: boolean;
}

/** What the catalogue says about the stock of a variant. */
export interface StockRule {
  variantId: string;
  sku: string;
  productType: VariantView['productType'];
  trackInventory: boolean;
  allowBackorder: boolean;
  backorderLimit: number | null;
  /** Of a bundle, which has no stock of its own. */
  components: { variantId: string; quantity: number }[] | null;
}

export interface QuantityRule {
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}
export interface QuantityFault {
  code: 'too_small' | 'too_big' | 'off_step';
  message: string;
}
/**
 * What is wrong with ordering `quantity` units of a variant, all its lines together: whole, at least `minPerOrder`, at most
 * `maxPerOrder`, and in steps of `step` counted from zero. A cart answers 422 with it. Undefined: nothing.
 */
export function quantityFault(rule: QuantityRule, quantity: number): QuantityFault | undefined {
  const least = Math.max(1, rule.minPerOrder ?? 1);
  if (!Number.isSafeInteger(quantity) || quantity < least) return { code: 'too_small', message: `must be at least ${least}` };
  if (rule.maxPerOrder !== null && quantity > rule.maxPerOrder)
    return { code: 'too_big', message: `must be at most ${rule.maxPerOrder}` };
  if (rule.step !== null && quantity % rule.step !== 0)
    return { code: 'off_step', message: `must be a multiple of ${rule.step}` };
  return undefined;
}

/**
 * One upsert of the import: key is the product's slug, variants by SKU. What the file doesn't say stays as it is: a null text, brand,
 * category path, seo, barcode, weight or cost, an absent member, an empty list of images or tags. Null `compareAtPrice` ends a reduction.
 * A category path adds the product to the last category and takes it out of none. Variants that the file doesn't name stay.
 */
export interface ProductImport {
  slug: string;
  title: LocalText;
  description: LocalText | null;
  shortDescription?: LocalText | null;
  status: 'draft' | 'active' | 'archived';
  type: 'physical' | 'digital' | 'service';
  brand: string | null;
  /** Category path, outermost first; made when missing. */
  categoryPath: string[] | null;
  tags: string[];
  options: { name: string; values: string[] }[];
  seo: { title: string | null; description: string | null } | null;
  featured?: boolean;
  images: { url: string; alt: string | null; position: number }[];
  variants: {
    sku: string;
    barcode: string | null;
    optionValues: Record<string, string>;
    price: { amount: number; currency: string };
    compareAtPrice: { amount: number; currency: string } | null;
    cost?: { amount: number; currency: string } | null;
    weightG: number | null;
    trackInventory: boolean;
    allowBackorder: boolean;
    position: number;
  }[];
}
/** A category of a file, by its slug and the one above it, which comes before it. Null stays as it is. */
export interface CategoryImport {
  slug: string;
  /** Slug of the category above, which stands at the top. */
  parent: string | null;
  name: LocalText;
  description: LocalText | null;
  position: number;
}
/** A brand of a file, by its name. */
export interface BrandImport {
  slug: string;
  name: string;
  description: LocalText | null;
}
export interface ImportOutcome {
  outcome: 'created' | 'updated' | 'unchanged';
  productId: string;
  /** New variants only: id by SKU, for their first stock. */
  createdVariants: Record<string, string>;
  variants: Record<string, string>;
}

export interface Catalog {
  variants(ids: readonly string[]): Promise<VariantView[]>;
  /** The part of `variants` that stock asks for on every page and order. */
  stockRules(ids: readonly string[]): Promise<StockRule[]>;
  variantBySku(sku: string): Promise<VariantView | undefined>;
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

/** A parsed query of the storefront's product list; opaque to others but for its paging. */
export interface ShelfParams {
  readonly limit: number;
  readonly params: URLSearchParams;
}
export interface Facet {
  code: string;
  label: string;
  type: 'list';
  values: { value: string; label: string; count: number; selected: boolean }[];
}
export interface Facets {
  facets: Facet[];
  price: { min: { amount: number; currency: string }; max: { amount: number; currency: string } } | null;
}

export interface SearchDocument {
  productId: string;
  slug: string;
  title: LocalText;
  text: LocalText;
  skus: string[];
  barcodes: string[];
  brandId: string | null;
  brandName: string | null;
  brandSlug: string | null;
  categoryIds: string[];
  categoryNames: LocalText[];
  tags: string[];
  options: Record<string, string[]>;
  priceMin: number;
  priceMax: number;
  currency: string;
  ratingAvg: number | null;
  ratingCount: number;
  vendorId: string | null;
  featured: boolean;
  createdAt: string;
  position: number;
  variantIds: string[];
  /** What taps of `catalog:search.index` added. */
  extra: { code: string; values: string[] }[];
}

/**
 * Taps hide products (vendors). Gets ids, gives those that stay. Pages ask about every product they show; counts ask only about
 * products that have a `vendorId`.
 */
export const catalogVisible = waterfall<{ productIds: string[] }>('catalog:visible');
/** Taps add members to a product's search document. */
export const searchIndex = collect<{ productId: string }, { code: string; values: string[] }>('catalog:search.index', {
  policy: 'skip',
});

/** Writes product texts. No plugin of this repository provides one: `generate-description` answers 501 until an installation does. */
export interface TextGenerator {
  /** Name shown in the answer. */
  readonly provider: string;
  /** HTML by locale. Called outside any transaction. */
  describe(request: {
    locales: readonly string[];
    tone: string | null;
    facts: readonly string[];
    product: { title: LocalText; brand: string | null; options: { name: string; values: string[] }[]; tags: string[] };
    signal: AbortSignal;
  }): Promise<LocalText>;
}
export const textGenerator = service<TextGenerator>('catalog:text-generator');

export type { LocalText };
