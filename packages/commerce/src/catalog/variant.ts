import type { LocalText } from '@storeloom/plugin-sdk';

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
