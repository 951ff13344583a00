// Generated from the OpenAPI document of the plugin catalog. Do not edit.

import type { CallOptions, LocalText, Money, Pages, Slice } from '../index.ts';

export interface AdminGetBundlesByProductIdAnswer {
  productId: string;
  components: { id: string; variantId: string; sku: string; quantity: number; position: number; available: number | null; }[];
  pricing: "fixed" | "sum" | "sum_minus_percent";
  percentBp: number | null;
  available: number | null;
  version: number;
}

export interface AdminGetProductsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: Record<string, string>;
  slug: string;
  shortDescription: Record<string, string> | null;
  status: "draft" | "active" | "archived";
  type: "physical" | "digital" | "service" | "bundle" | "gift_card";
  brandId: string | null;
  vendorId: string | null;
  taxCategoryId: string | null;
  options: { name: string; values: string[]; }[];
  images: { url: string; alt: Record<string, string> | null; position: number | null; }[];
  tags: string[];
  featured: boolean;
  returnable: boolean;
  minAge: number | null;
  seo: { title: string | null; description: string | null; canonical: string | null; } | null;
  weightG: number | null;
  hsCode: string | null;
  countryOfOrigin: string | null;
  publishedAt: string | null;
  position: number;
  metadata: Record<string, unknown> | null;
  categoryIds: string[];
  ratingCount: number;
  priceRange: { min: Money; max: Money; } | null;
  ratingAvg: number | null;
}

export interface AdminGetVolumePricesByIdRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  productId: string;
  variantId: string | null;
  minQuantity: number;
  price: Money | null;
  percentBp: number | null;
  fixedOff: Money | null;
  mode: "all_units" | "graduated";
  aggregate: "variant" | "product";
  customerGroupId: string | null;
  startsAt: string | null;
  endsAt: string | null;
  allowIncreasing: boolean;
}

export interface AdminPatchProductsByIdChange {
  title?: string | Record<string, string>;
  slug?: string;
  description?: string | Record<string, string> | null;
  shortDescription?: string | Record<string, string> | null;
  status?: "draft" | "active" | "archived";
  type?: "physical" | "digital" | "service" | "bundle" | "gift_card";
  brandId?: string | null;
  vendorId?: string | null;
  taxCategoryId?: string | null;
  options?: { name: string; values: string[]; }[];
  images?: { url: string; alt?: string | Record<string, string> | null; position?: number | null; }[];
  tags?: string[];
  featured?: boolean;
  returnable?: boolean;
  minAge?: number | null;
  seo?: { title?: string | null; description?: string | null; canonical?: string | null; } | null;
  weightG?: number | null;
  hsCode?: string | null;
  countryOfOrigin?: string | null;
  publishedAt?: string | null;
  position?: number;
  metadata?: Record<string, unknown> | null;
  categoryIds?: string[];
  variants?: Record<string, unknown>[];
}

export interface AdminPostBundlesByProductIdInput {
  components: { variantId: string; quantity: number; position?: number | null; }[];
  pricing?: "fixed" | "sum" | "sum_minus_percent" | null;
  percentBp?: number | null;
}

export interface AdminPostProductsAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: Record<string, string>;
  slug: string;
  description: Record<string, string> | null;
  shortDescription: Record<string, string> | null;
  status: "draft" | "active" | "archived";
  type: "physical" | "digital" | "service" | "bundle" | "gift_card";
  brandId: string | null;
  vendorId: string | null;
  taxCategoryId: string | null;
  options: { name: string; values: string[]; }[];
  images: { url: string; alt: Record<string, string> | null; position: number | null; }[];
  tags: string[];
  featured: boolean;
  returnable: boolean;
  minAge: number | null;
  seo: { title: string | null; description: string | null; canonical: string | null; } | null;
  weightG: number | null;
  hsCode: string | null;
  countryOfOrigin: string | null;
  publishedAt: string | null;
  position: number;
  metadata: Record<string, unknown> | null;
  categoryIds: string[];
  ratingCount: number;
  priceRange: { min: Money; max: Money; } | null;
  ratingAvg: number | null;
  variants: ({ id: string; createdAt: string; updatedAt: string; version: number; sku: string; barcode: string | null; optionValues: Record<string, unknown>; price: Money; compareAtPrice: Money | null; cost: Money | null; minPrice: Money | null; image: string | null; weightG: number | null; dimsMm: { length: number; width: number; height: number; } | null; trackInventory: boolean; allowBackorder: boolean; backorderLimit: number | null; minPerOrder: number | null; maxPerOrder: number | null; step: number | null; position: number; active: boolean; digitalFiles: { uploadKey: string; name: string; version: string | null; }[]; metadata: Record<string, unknown> | null; prices: { id: string; price: Money; priceListCode: string | null; startsAt: string | null; endsAt: string | null; }[]; masked?: string[]; })[];
}

export interface AdminPostProductsBulkAnswer {
  results: ({ id: string; ok: boolean; error: { code: string; detail: string; } | null; })[];
  succeeded: number;
  failed: number;
}

export interface AdminPostProductsBulkInput {
  op: "update" | "archive" | "delete" | "price_adjust";
  ids: string[];
  patch?: Record<string, unknown> | null;
}

export interface AdminPostProductsByIdGenerateDescriptionAnswer {
  text: LocalText;
  provider: string;
}

export interface AdminPostProductsByIdGenerateDescriptionInput {
  locale?: string | null;
  tone?: string | null;
  facts?: string[];
}

export interface AdminPostProductsInput {
  title: string | Record<string, string>;
  slug?: string;
  description?: string | Record<string, string> | null;
  shortDescription?: string | Record<string, string> | null;
  status?: "draft" | "active" | "archived";
  type?: "physical" | "digital" | "service" | "bundle" | "gift_card";
  brandId?: string | null;
  vendorId?: string | null;
  taxCategoryId?: string | null;
  options?: { name: string; values: string[]; }[];
  images?: { url: string; alt?: string | Record<string, string> | null; position?: number | null; }[];
  tags?: string[];
  featured?: boolean;
  returnable?: boolean;
  minAge?: number | null;
  seo?: { title?: string | null; description?: string | null; canonical?: string | null; } | null;
  weightG?: number | null;
  hsCode?: string | null;
  countryOfOrigin?: string | null;
  publishedAt?: string | null;
  position?: number;
  metadata?: Record<string, unknown> | null;
  categoryIds?: string[];
  variants?: ({ sku: string; barcode?: string | null; optionValues?: Record<string, unknown>; price: Money; compareAtPrice?: Money | null; cost?: Money | null; minPrice?: Money | null; image?: string | null; weightG?: number | null; dimsMm?: { length: number; width: number; height: number; } | null; trackInventory?: boolean; allowBackorder?: boolean; backorderLimit?: number | null; minPerOrder?: number | null; maxPerOrder?: number | null; step?: number | null; position?: number; active?: boolean; digitalFiles?: { uploadKey: string; name: string; version?: string | null; }[]; metadata?: Record<string, unknown> | null; prices?: { price: Money; priceListCode?: string | null; startsAt?: string | null; endsAt?: string | null; }[]; })[];
  price?: Money | null;
  sku?: string | null;
}

export interface AdminPostVolumePricesByIdInput {
  variantId?: string | null;
  minQuantity: number;
  price?: Money | null;
  percentBp?: number | null;
  fixedOff?: Money | null;
  mode?: "all_units" | "graduated";
  aggregate?: "variant" | "product";
  customerGroupId?: string | null;
  startsAt?: string | null;
  endsAt?: string | null;
  allowIncreasing?: boolean;
}

export interface CatalogBrand {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  slug: string;
  logo: string | null;
  website: string | null;
  description: LocalText | null;
  active: boolean;
  productCount: number;
}

export interface CatalogBrandChange {
  name?: string;
  slug?: string;
  logo?: string | null;
  website?: string | null;
  description?: string | Record<string, string> | null;
  active?: boolean;
}

export interface CatalogBrandInput {
  name: string;
  slug?: string;
  logo?: string | null;
  website?: string | null;
  description?: string | Record<string, string> | null;
  active?: boolean;
}

export interface CatalogBrandRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  slug: string;
  logo: string | null;
  website: string | null;
  description: LocalText | null;
  active: boolean;
  productCount: number;
}

export interface CatalogCategory {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: LocalText;
  slug: string;
  parentId: string | null;
  position: number;
  description: LocalText | null;
  image: string | null;
  active: boolean;
  seo: { title: string | null; description: string | null; canonical: string | null; } | null;
  metadata: Record<string, unknown> | null;
  path: string[];
  depth: number;
  productCount: number;
}

export interface CatalogCategoryChange {
  name?: string | Record<string, string>;
  slug?: string;
  parentId?: string | null;
  position?: number;
  description?: string | Record<string, string> | null;
  image?: string | null;
  active?: boolean;
  seo?: { title?: string | null; description?: string | null; canonical?: string | null; } | null;
  metadata?: Record<string, unknown> | null;
}

export interface CatalogCategoryInput {
  name: string | Record<string, string>;
  slug?: string;
  parentId?: string | null;
  position?: number;
  description?: string | Record<string, string> | null;
  image?: string | null;
  active?: boolean;
  seo?: { title?: string | null; description?: string | null; canonical?: string | null; } | null;
  metadata?: Record<string, unknown> | null;
}

export interface CatalogCategoryRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: LocalText;
  slug: string;
  parentId: string | null;
  position: number;
  description: LocalText | null;
  image: string | null;
  active: boolean;
  seo: { title: string | null; description: string | null; canonical: string | null; } | null;
  metadata: Record<string, unknown> | null;
  path: string[];
  depth: number;
  productCount: number;
}

export interface CatalogCategoryUpdatedEvent {
  id: string;
}

export interface CatalogProductArchivedEvent {
  id: string;
  slug: string;
  title: LocalText;
  status: "draft" | "active" | "archived";
}

export interface CatalogVariantPriceChangedEvent {
  id: string;
  productId: string;
  sku: string;
  priceListCode: string | null;
  price: Money;
  previousPrice: Money;
}

export interface StorefrontGetCategoriesRow {
  id: string;
  name: string;
  slug: string;
  image: string | null;
  position: number;
  productCount: number;
  children: StorefrontGetCategoriesRow[];
}

export interface StorefrontGetProductsBySlugAnswer {
  id: string;
  slug: string;
  title: string;
  image: { url: string; alt: string | null; } | null;
  brand: { id: string; name: string; slug: string; } | null;
  price: Money;
  compareAtPrice: Money | null;
  lowestPrice30d: Money | null;
  priceRange: { min: Money; max: Money; };
  availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock";
  description: string | null;
  shortDescription: string | null;
  type: string;
  images: { url: string; alt: string | null; }[];
  vendorId: string | null;
  options: { name: string; values: string[]; }[];
  variants: ({ id: string; sku: string; barcode: string | null; optionValues: Record<string, unknown>; image: { url: string; alt: string | null; } | null; price: Money; compareAtPrice: Money | null; lowestPrice30d: Money | null; tiers: { minQuantity: number; price: Money; }[]; availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock"; stock: number | null; weightG: number | null; minPerOrder: number | null; maxPerOrder: number | null; step: number | null; })[];
  tiers: { minQuantity: number; price: Money; }[];
  components: { variantId: string; sku: string; title: string; quantity: number; }[] | null;
  breadcrumbs: { id: string; name: string; slug: string; }[];
  tags: string[];
  returnable: boolean;
  minAge: number | null;
  countryOfOrigin: string | null;
  seo: { title: string | null; description: string | null; canonical: string | null; } | null;
  rating: { average: number | null; count: number; };
  metafields: { namespace: string; key: string; value: unknown; }[];
}

export interface StorefrontGetProductsBySlugVariantsRow {
  id: string;
  sku: string;
  barcode: string | null;
  optionValues: Record<string, unknown>;
  image: { url: string; alt: string | null; } | null;
  price: Money;
  compareAtPrice: Money | null;
  lowestPrice30d: Money | null;
  tiers: { minQuantity: number; price: Money; }[];
  availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock";
  stock: number | null;
  weightG: number | null;
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

export interface StorefrontGetProductsRow {
  id: string;
  slug: string;
  title: string;
  image: { url: string; alt: string | null; } | null;
  brand: { id: string; name: string; slug: string; } | null;
  price: Money;
  compareAtPrice: Money | null;
  lowestPrice30d: Money | null;
  priceRange: { min: Money; max: Money; };
  availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock";
  rating: { average: number | null; count: number; };
}

export interface StorefrontGetWishlistRow {
  variantId: string;
  productId: string;
  slug: string;
  title: string;
  sku: string;
  optionValues: Record<string, unknown>;
  image: { url: string; alt: string | null; } | null;
  brand: { id: string; name: string; slug: string; } | null;
  price: Money;
  compareAtPrice: Money | null;
  lowestPrice30d: Money | null;
  availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock";
  addedAt: string;
}

export interface StorefrontPostWishlistItemsInput {
  variantId: string;
}

export interface AdminGetBrandsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  name?: string | { ne?: string; in?: string | readonly string[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetCategoriesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "position" | "-position" | "depth" | "-depth") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "position" | "-position" | "depth" | "-depth")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  parentId?: string | { ne?: string; in?: string | readonly string[]; };
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  depth?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
}

export interface AdminDeleteCategoriesByIdQuery {
  reassignTo?: string;
}

export interface AdminGetProductsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("title" | "-title" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "price" | "-price" | "position" | "-position") | readonly ("title" | "-title" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "price" | "-price" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "draft" | "active" | "archived" | { ne?: "draft" | "active" | "archived"; in?: ("draft" | "active" | "archived") | readonly ("draft" | "active" | "archived")[]; };
  type?: "physical" | "digital" | "service" | "bundle" | "gift_card" | { ne?: "physical" | "digital" | "service" | "bundle" | "gift_card"; in?: ("physical" | "digital" | "service" | "bundle" | "gift_card") | readonly ("physical" | "digital" | "service" | "bundle" | "gift_card")[]; };
  brandId?: string | { ne?: string; in?: string | readonly string[]; };
  vendorId?: string | { ne?: string; in?: string | readonly string[]; };
  categoryId?: string | { in?: string | readonly string[]; };
  slug?: string | { in?: string | readonly string[]; };
  tag?: string;
  featured?: boolean;
  inStock?: boolean;
  price?: { gt?: number; gte?: number; lt?: number; lte?: number; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  /** `metafield[namespace.key]=value`, with `[in]` for several values and `[gte]` and the like for numbers, money and dates: filters by a filterable metafield. */
  metafield?: Record<string, string | number | boolean>;
}

export interface AdminGetVolumePricesByIdQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface StorefrontGetCategoriesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface StorefrontGetProductsFeaturedQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("position" | "-position" | "price" | "-price" | "createdAt" | "-createdAt" | "title" | "-title" | "popularity" | "-popularity" | "rating" | "-rating") | readonly ("position" | "-position" | "price" | "-price" | "createdAt" | "-createdAt" | "title" | "-title" | "popularity" | "-popularity" | "rating" | "-rating")[];
  category?: string | { in?: string | readonly string[]; };
  brand?: string | { in?: string | readonly string[]; };
  price?: { gt?: number; gte?: number; lt?: number; lte?: number; };
  tag?: string | { in?: string | readonly string[]; };
  inStock?: boolean;
  vendor?: string | { in?: string | readonly string[]; };
  featured?: boolean;
  currency?: string;
  /** `option[Size]=M`, or several with `option[Size][in]=S,M` (a comma in a value is written `\,`): one variant must have them all. */
  option?: Record<string, string | number | boolean>;
  /** `metafield[namespace.key]=value`, with `[in]` for several values and `[gte]` and the like for numbers, money and dates: filters by a filterable metafield. */
  metafield?: Record<string, string | number | boolean>;
}

export interface StorefrontGetProductsBySlugQuery {
  currency?: string;
}

export interface StorefrontGetProductsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("position" | "-position" | "price" | "-price" | "createdAt" | "-createdAt" | "title" | "-title" | "popularity" | "-popularity" | "rating" | "-rating") | readonly ("position" | "-position" | "price" | "-price" | "createdAt" | "-createdAt" | "title" | "-title" | "popularity" | "-popularity" | "rating" | "-rating")[];
  category?: string | { in?: string | readonly string[]; };
  brand?: string | { in?: string | readonly string[]; };
  price?: { gt?: number; gte?: number; lt?: number; lte?: number; };
  tag?: string | { in?: string | readonly string[]; };
  inStock?: boolean;
  vendor?: string | { in?: string | readonly string[]; };
  featured?: boolean;
  currency?: string;
  /** `option[Size]=M`, or several with `option[Size][in]=S,M` (a comma in a value is written `\,`): one variant must have them all. */
  option?: Record<string, string | number | boolean>;
  /** `metafield[namespace.key]=value`, with `[in]` for several values and `[gte]` and the like for numbers, money and dates: filters by a filterable metafield. */
  metafield?: Record<string, string | number | boolean>;
}

export interface StorefrontGetProductsBySlugVariantsQuery {
  currency?: string;
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface StorefrontGetWishlistQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt") | readonly ("createdAt" | "-createdAt")[];
}

export interface CatalogAdmin {
  brands: {
    /** Create a brand. `POST /api/admin/brands`, permission `catalog.brand.create`. */
    create(body: CatalogBrandInput, options?: CallOptions): Promise<CatalogBrand>;
    /** List brands. `GET /api/admin/brands`, permission `catalog.brand.read`. */
    list(query?: AdminGetBrandsQuery, options?: CallOptions): Pages<CatalogBrandRow>;
    /** Delete a brand. `DELETE /api/admin/brands/{id}`, permission `catalog.brand.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a brand. `PATCH /api/admin/brands/{id}`, permission `catalog.brand.update`. */
    update(id: string, body: CatalogBrandChange, options?: CallOptions): Promise<CatalogBrand>;
  };
  bundles: {
    /** Read a bundle. `GET /api/admin/bundles/{productId}`, permission `catalog.bundle.read`. */
    get(productId: string, options?: CallOptions): Promise<AdminGetBundlesByProductIdAnswer>;
    /** Add or change components by variant, and set how the bundle is priced. `POST /api/admin/bundles/{productId}`, permission `catalog.bundle.create`. */
    post(productId: string, body: AdminPostBundlesByProductIdInput, options?: CallOptions): Promise<AdminGetBundlesByProductIdAnswer>;
    /** Delete a bundle. `DELETE /api/admin/bundles/{productId}/{componentId}`, permission `catalog.bundle.delete`. */
    remove(productId: string, componentId: string, options?: CallOptions): Promise<void>;
  };
  categories: {
    /** Create a category. `POST /api/admin/categories`, permission `catalog.category.create`. */
    create(body: CatalogCategoryInput, options?: CallOptions): Promise<CatalogCategory>;
    /** List categories. `GET /api/admin/categories`, permission `catalog.category.read`. */
    list(query?: AdminGetCategoriesQuery, options?: CallOptions): Pages<CatalogCategoryRow>;
    /** Delete a category. `DELETE /api/admin/categories/{id}`, permission `catalog.category.delete`. */
    remove(id: string, query?: AdminDeleteCategoriesByIdQuery, options?: CallOptions): Promise<void>;
    /** Change a category. `PATCH /api/admin/categories/{id}`, permission `catalog.category.update`. */
    update(id: string, body: CatalogCategoryChange, options?: CallOptions): Promise<CatalogCategory>;
  };
  products: {
    /** Run one operation on up to 500 products; one that fails leaves the others unaffected. `POST /api/admin/products/bulk`, permission `catalog.product.bulk`. */
    bulk(body: AdminPostProductsBulkInput, options?: CallOptions): Promise<AdminPostProductsBulkAnswer>;
    /** Create a product. `POST /api/admin/products`, permission `catalog.product.create`. */
    create(body: AdminPostProductsInput, options?: CallOptions): Promise<AdminPostProductsAnswer>;
    /** Duplicate a product as a draft. `POST /api/admin/products/{id}/duplicate`, permission `catalog.product.duplicate`. */
    duplicate(id: string, options?: CallOptions): Promise<AdminPostProductsAnswer>;
    /** Propose a description; nothing is saved. `POST /api/admin/products/{id}/generate-description`, permission `catalog.product.generate-description`. */
    generateDescription(id: string, body?: AdminPostProductsByIdGenerateDescriptionInput, options?: CallOptions): Promise<AdminPostProductsByIdGenerateDescriptionAnswer>;
    /** Read a product. `GET /api/admin/products/{id}`, permission `catalog.product.read`. */
    get(id: string, options?: CallOptions): Promise<AdminPostProductsAnswer>;
    /** List products. `GET /api/admin/products`, permission `catalog.product.read`. */
    list(query?: AdminGetProductsQuery, options?: CallOptions): Pages<AdminGetProductsRow>;
    /** Remove a product; one that orders contain is archived instead. `DELETE /api/admin/products/{id}`, permission `catalog.product.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a product. `PATCH /api/admin/products/{id}`, permission `catalog.product.update`. */
    update(id: string, body: AdminPatchProductsByIdChange, options?: CallOptions): Promise<AdminPostProductsAnswer>;
  };
  volumePrices: {
    /** Read a volume price. `GET /api/admin/volume-prices/{id}`, permission `catalog.volume-price.read`. */
    list(id: string, query?: AdminGetVolumePricesByIdQuery, options?: CallOptions): Pages<AdminGetVolumePricesByIdRow>;
    /** Create a volume price. `POST /api/admin/volume-prices/{id}`, permission `catalog.volume-price.create`. */
    post(id: string, body: AdminPostVolumePricesByIdInput, options?: CallOptions): Promise<AdminGetVolumePricesByIdRow>;
    /** Delete a volume price. `DELETE /api/admin/volume-prices/{id}`, permission `catalog.volume-price.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
  };
}

export interface CatalogStorefront {
  categories: {
    /** Get the tree of categories. `GET /api/storefront/categories`. */
    list(query?: StorefrontGetCategoriesQuery, options?: CallOptions): Pages<StorefrontGetCategoriesRow>;
  };
  products: {
    featured: {
      /** List featured products. `GET /api/storefront/products/featured`. */
      list(query?: StorefrontGetProductsFeaturedQuery, options?: CallOptions): Pages<StorefrontGetProductsRow>;
    };
    /** Read a product. `GET /api/storefront/products/{slug}`. */
    get(slug: string, query?: StorefrontGetProductsBySlugQuery, options?: CallOptions): Promise<StorefrontGetProductsBySlugAnswer>;
    /** List products. `GET /api/storefront/products`. */
    list(query?: StorefrontGetProductsQuery, options?: CallOptions): Pages<StorefrontGetProductsRow>;
    variants: {
      /** List variants. `GET /api/storefront/products/{slug}/variants`. */
      list(slug: string, query?: StorefrontGetProductsBySlugVariantsQuery, options?: CallOptions): Pages<StorefrontGetProductsBySlugVariantsRow>;
    };
  };
  wishlist: {
    items: {
      /** Add a variant to the wishlist; 200 if it is there already. `POST /api/storefront/wishlist/items`. */
      create(body: StorefrontPostWishlistItemsInput, options?: CallOptions): Promise<StorefrontGetWishlistRow>;
      /** Delete an item. `DELETE /api/storefront/wishlist/items/{variantId}`. */
      remove(variantId: string, options?: CallOptions): Promise<void>;
    };
    /** List wishlist. `GET /api/storefront/wishlist`. */
    list(query?: StorefrontGetWishlistQuery, options?: CallOptions): Pages<StorefrontGetWishlistRow>;
  };
}

export interface CatalogEvents {
  'catalog.category.updated': CatalogCategoryUpdatedEvent;
  'catalog.product.archived': CatalogProductArchivedEvent;
  'catalog.product.created': CatalogProductArchivedEvent;
  'catalog.product.updated': CatalogProductArchivedEvent;
  'catalog.variant.price_changed': CatalogVariantPriceChangedEvent;
}

const adminRoutes = `
brands.create POST /brands bk
brands.list GET /brands lq
brands.remove DELETE /brands/{}
brands.update PATCH /brands/{} b
bundles.get GET /bundles/{}
bundles.post POST /bundles/{} bk
bundles.remove DELETE /bundles/{}/{}
categories.create POST /categories bk
categories.list GET /categories lq
categories.remove DELETE /categories/{} q
categories.update PATCH /categories/{} b
products.bulk POST /products/bulk bk
products.create POST /products bk
products.duplicate POST /products/{}/duplicate k
products.generateDescription POST /products/{}/generate-description bk
products.get GET /products/{}
products.list GET /products lq
products.remove DELETE /products/{}
products.update PATCH /products/{} b
volumePrices.list GET /volume-prices/{} lq
volumePrices.post POST /volume-prices/{} bk
volumePrices.remove DELETE /volume-prices/{}
`;

const storefrontRoutes = `
categories.list GET /categories lq
products.featured.list GET /products/featured lq
products.get GET /products/{} q
products.list GET /products lq
products.variants.list GET /products/{}/variants lq
wishlist.items.create POST /wishlist/items bk
wishlist.items.remove DELETE /wishlist/items/{}
wishlist.list GET /wishlist lq
`;

/** Routes and events of catalog. */
export const catalog: Slice<{ admin: CatalogAdmin; storefront: CatalogStorefront }, CatalogEvents> = { plugin: 'catalog', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of catalog for visitors of a shop: without those for staff and operators. */
export const catalogStorefront: Slice<{ storefront: CatalogStorefront }, CatalogEvents> = { plugin: 'catalog', routes: { storefront: storefrontRoutes } };
