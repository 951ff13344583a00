import { collect, type LocalText } from '@storeloom/plugin-sdk';

/** A visible product as search indexes it. Prices in minor units of `currency`. */
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
  /** Values by option name. */
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
  /** Values that taps of `searchIndex` added. */
  extra: { code: string; values: string[] }[];
}

/** Taps add values to the search document of a product. */
export const searchIndex = collect<{ productId: string }, { code: string; values: string[] }>('catalog:search.index', {
  policy: 'skip',
});
