import { collect, type LocalText } from '@storeloom/plugin-sdk';

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

/** Taps add members to a product's search document. */
export const searchIndex = collect<{ productId: string }, { code: string; values: string[] }>('catalog:search.index', {
  policy: 'skip',
});
