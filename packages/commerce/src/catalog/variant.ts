import type { LocalText } from '@storeloom/plugin-sdk';

/** A variant with what selling it needs of its product. */
export interface VariantView {
  id: string;
  productId: string;
  sku: string;
  barcode: string | null;
  /** Product title, followed by the option values (`Red / M`) where there are any. */
  title: LocalText;
  optionValues: Record<string, string>;
  /** General price at this moment, scheduled prices included. */
  price: { amount: number; currency: string };
  /** What the price is reduced from. */
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
  /** Categories of the product and all their ancestors. */
  categoryIds: string[];
  brandId: string | null;
  returnable: boolean;
  minAge: number | null;
  /** Components of a bundle, else null. */
  components: { variantId: string; quantity: number }[] | null;
  /** Slug of the product. */
  slug: string;
  /** Image of the variant, otherwise the first image of the product. */
  image: string | null;
  vendorId: string | null;
  /** Lower bound of the unit price after discounts (R17). */
  minPrice: { amount: number; currency: string } | null;
  digitalFiles: { uploadKey: string; name: string; version: string | null }[];
  /**
   * Whether shoppers may add it to a cart: the variant is active, its product active and published, a bundle complete. Products that taps of
   * `catalogVisible` hide are reported by `visibleProducts` only.
   */
  sellable: boolean;
}

/** Stock settings of a variant. */
export interface StockRule {
  variantId: string;
  sku: string;
  productType: VariantView['productType'];
  trackInventory: boolean;
  allowBackorder: boolean;
  backorderLimit: number | null;
  /** Components of a bundle, which has no stock of its own; else null. */
  components: { variantId: string; quantity: number }[] | null;
}

/** Limits of the quantity in one order. Null: no limit. A quantity must be a multiple of `step`, counted from zero. */
export interface QuantityRule {
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

/** Field error of a quantity that its rule doesn't allow. */
export interface QuantityError {
  code: 'too_small' | 'too_big' | 'off_step';
  message: string;
}
