import type { LocalText } from '@storeloom/plugin-sdk';

/**
 * A product of an import, found by its slug; its variants are found by SKU. Values that the source doesn't state stay as they are: a null
 * value, an absent property, an empty list of images or tags. The exception is a null `compareAtPrice`: it ends a reduction. A category
 * path adds the product to its last category and removes it from none. Variants that aren't listed stay.
 */
export interface ProductImport {
  slug: string;
  title: LocalText;
  description: LocalText | null;
  shortDescription?: LocalText | null;
  status: 'draft' | 'active' | 'archived';
  type: 'physical' | 'digital' | 'service';
  brand: string | null;
  /** From the top category down. Missing categories are created. */
  categoryPath: string[] | null;
  /** Paths of further categories. */
  otherCategoryPaths?: string[][] | null;
  tags: string[];
  options: { name: string; values: string[] }[];
  seo: { title: string | null; description: string | null; canonical?: string | null } | null;
  featured?: boolean | null;
  returnable?: boolean | null;
  minAge?: number | null;
  /** Weight of variants without one. */
  weightG?: number | null;
  hsCode?: string | null;
  /** ISO 3166-1 alpha-2. */
  countryOfOrigin?: string | null;
  /** Code of a tax category. Ignored without plugin taxes. */
  taxCategory?: string | null;
  /** Default: now, if the product is active. */
  publishedAt?: string | null;
  /** Place in lists that sort by position. */
  position?: number | null;
  metadata?: Record<string, unknown> | null;
  /** A plain `alt` is in the shop's default locale. */
  images: { url: string; alt: LocalText | string | null; position: number }[];
  variants: {
    sku: string;
    barcode: string | null;
    optionValues: Record<string, string>;
    price: { amount: number; currency: string };
    compareAtPrice: { amount: number; currency: string } | null;
    cost?: { amount: number; currency: string } | null;
    minPrice?: { amount: number; currency: string } | null;
    /** URL of one of `images`. */
    image?: string | null;
    weightG: number | null;
    dimsMm?: { length: number; width: number; height: number } | null;
    trackInventory: boolean;
    allowBackorder: boolean;
    backorderLimit?: number | null;
    minPerOrder?: number | null;
    maxPerOrder?: number | null;
    step?: number | null;
    active?: boolean | null;
    position: number;
    digitalFiles?: { uploadKey: string; name: string; version: string | null }[] | null;
    metadata?: Record<string, unknown> | null;
    /** Prices of price lists, in other currencies and for periods. They replace those of a known variant. */
    prices?: ImportedPrice[] | null;
    /** Units in stock, for `ProductImportOptions.stock`. */
    stock?: number | null;
  }[];
}

/** An additional price of a variant. */
export interface ImportedPrice {
  price: { amount: number; currency: string };
  priceListCode: string | null;
  startsAt: string | null;
  endsAt: string | null;
}

/** How an import treats products and stock. */
export interface ProductImportOptions {
  /** `create` refuses an existing slug, `update` a missing one. */
  mode: 'create' | 'update' | 'upsert';
  /** `new`: the first stock of new variants; `set`: a count of all variants. Default: the stock stays as it is. */
  stock?: 'new' | 'set';
}

/** A category of an import, found by its slug. A null description stays as it is. */
export interface CategoryImport {
  slug: string;
  /** Slug of the parent, which must be imported first. */
  parent: string | null;
  name: LocalText;
  description: LocalText | null;
  position: number;
}

/** A brand of an import, found by its name without case. A null description stays as it is. */
export interface BrandImport {
  slug: string;
  name: string;
  description: LocalText | null;
}

/** What an import did with one product. */
export interface ProductImportResult {
  outcome: 'created' | 'updated' | 'unchanged';
  productId: string;
  /** Ids of new variants by SKU. */
  createdVariants: Record<string, string>;
  /** Ids of all variants of the product by SKU. */
  variants: Record<string, string>;
}
