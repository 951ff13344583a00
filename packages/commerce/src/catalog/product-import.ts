import type { LocalText } from '@storeloom/plugin-sdk';

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
