// Generated from the OpenAPI document of the plugin search. Do not edit.

import type { CallOptions, Money, Slice } from '../index.ts';

export interface StorefrontGetFacetsAnswer {
  facets: { code: string; label: string; type: string; values: { value: string; label: string; count: number; selected: boolean; }[]; }[];
  price: { min: { amount: number; currency: string; }; max: { amount: number; currency: string; }; } | null;
}

export interface StorefrontGetRecommendationsAnswer {
  data: ({ id: string; slug: string; title: string; image: { url: string; alt: string | null; } | null; brand: { id: string; name: string; slug: string; } | null; price: Money; compareAtPrice: Money | null; lowestPrice30d: Money | null; priceRange: { min: Money; max: Money; }; availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock"; rating: { average: number | null; count: number; }; })[];
  strategy: "bought_together" | "similar" | "popular" | "recently_viewed";
}

export interface StorefrontGetSearchAnswer {
  data: ({ id: string; slug: string; title: string; image: { url: string; alt: string | null; } | null; brand: { id: string; name: string; slug: string; } | null; price: Money; compareAtPrice: Money | null; lowestPrice30d: Money | null; priceRange: { min: Money; max: Money; }; availability: "in_stock" | "low_stock" | "backorder" | "out_of_stock"; rating: { average: number | null; count: number; }; })[];
  page: { limit: number; nextCursor: string | null; total?: number; };
  didYouMean: string | null;
  mode: "full_text" | "semantic" | "lexical";
}

export interface StorefrontGetSearchSuggestAnswer {
  products: ({ id: string; slug: string; title: string; image: { url: string; alt: string | null; } | null; price: Money; })[];
  categories: { slug: string; name: string; productCount: number; }[];
  queries: string[];
}

export interface StorefrontPostRecommendationsTrackAnswer {
  status: string;
}

export interface StorefrontPostRecommendationsTrackInput {
  event: "view" | "click" | "add" | "purchase";
  productId: string;
  session: string;
}

export interface StorefrontGetFacetsQuery {
  /** Words, a SKU or a barcode. */
  q?: string;
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

export interface StorefrontGetRecommendationsQuery {
  context?: "home" | "cart" | "product";
  productIds?: string | readonly string[];
  session?: string;
}

export interface StorefrontGetSearchQuery {
  /** Words, a SKU or a barcode. */
  q?: string;
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

export interface StorefrontGetSearchSemanticQuery {
  /** Words, a SKU or a barcode. */
  q?: string;
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

export interface StorefrontGetSearchSuggestQuery {
  /** Words, a SKU or a barcode. */
  q?: string;
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

export interface SearchStorefront {
  facets: {
    /** Values to filter by, with counts. `GET /api/storefront/facets`. */
    get(query?: StorefrontGetFacetsQuery, options?: CallOptions): Promise<StorefrontGetFacetsAnswer>;
  };
  recommendations: {
    /** What may please next. `GET /api/storefront/recommendations`. */
    get(query?: StorefrontGetRecommendationsQuery, options?: CallOptions): Promise<StorefrontGetRecommendationsAnswer>;
    similar: {
      /** Products like this one. `GET /api/storefront/recommendations/similar/{productId}`. */
      get(productId: string, options?: CallOptions): Promise<StorefrontGetRecommendationsAnswer>;
    };
    /** A visitor looked at, clicked or took a product. `POST /api/storefront/recommendations/track`. */
    track(body: StorefrontPostRecommendationsTrackInput, options?: CallOptions): Promise<StorefrontPostRecommendationsTrackAnswer>;
  };
  search: {
    /** Search products. `GET /api/storefront/search`. */
    get(query?: StorefrontGetSearchQuery, options?: CallOptions): Promise<StorefrontGetSearchAnswer>;
    /** Search by meaning, by words where no provider is configured. `GET /api/storefront/search/semantic`. */
    semantic(query?: StorefrontGetSearchSemanticQuery, options?: CallOptions): Promise<StorefrontGetSearchAnswer>;
    /** What the words may become. `GET /api/storefront/search/suggest`. */
    suggest(query?: StorefrontGetSearchSuggestQuery, options?: CallOptions): Promise<StorefrontGetSearchSuggestAnswer>;
  };
}

export type SearchEvents = object;

const storefrontRoutes = `
facets.get GET /facets q
recommendations.get GET /recommendations q
recommendations.similar.get GET /recommendations/similar/{}
recommendations.track POST /recommendations/track bk
search.get GET /search q
search.semantic GET /search/semantic q
search.suggest GET /search/suggest q
`;

/** Routes and events of search. */
export const search: Slice<{ storefront: SearchStorefront }, SearchEvents> = { plugin: 'search', routes: { storefront: storefrontRoutes } };

/** Routes of search for visitors of a shop: without those for staff and operators. */
export const searchStorefront: Slice<{ storefront: SearchStorefront }, SearchEvents> = { plugin: 'search', routes: { storefront: storefrontRoutes } };
