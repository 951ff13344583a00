import { type CreateOf, f, type Shape, type TableRow, table } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { variantFields } from '../variant/variant.ts';

export const seo = () =>
  f.object({
    title: f.text({ max: 200 }).optional(),
    description: f.text({ max: 500 }).optional(),
    canonical: f.url().optional(),
  });

export const productStatus = ['draft', 'active', 'archived'] as const;
export const productTypes = ['physical', 'digital', 'service', 'bundle', 'gift_card'] as const;
export type ProductStatus = (typeof productStatus)[number];
export type ProductType = (typeof productTypes)[number];

/** What staff write and read. An empty slug in a create body means: make one of the title. */
export const productFields = {
  title: f.i18n({ max: 300 }),
  slug: f.slug().default(''),
  description: f.richText().translatable().optional(),
  shortDescription: f.i18n({ max: 2000 }).optional(),
  status: f.oneOf(productStatus).default('draft'),
  type: f.oneOf(productTypes).default('physical'),
  brandId: f.ref('catalog.brand').optional(),
  vendorId: f.ref('vendors.vendor').optional(),
  taxCategoryId: f.ref('taxes.category').optional(),
  options: f
    .list(f.object({ name: f.text({ max: 60 }), values: f.list(f.text({ max: 120 }), { min: 1, max: 200 }) }), { max: 10 })
    .default([]),
  images: f
    .list(f.object({ url: linkField(), alt: f.i18n({ max: 500 }).optional(), position: f.int({ min: 0 }).optional() }), {
      max: 100,
    })
    .default([]),
  tags: f.list(f.text({ max: 60 }), { max: 100 }).default([]),
  featured: f.bool().default(false),
  returnable: f.bool().default(true),
  minAge: f.int({ min: 0, max: 150 }).optional(),
  seo: seo().optional(),
  weightG: f.int({ min: 0 }).optional(),
  hsCode: f.text({ max: 20, pattern: /^[0-9.]+$/ }).optional(),
  countryOfOrigin: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
  publishedAt: f.instant().optional(),
  position: f.int().default(0),
  metadata: f.json().optional().describe('What the shop keeps with it.'),
} satisfies Shape;

/** The table also keeps what lists sort and filter by; listing.ts brings it up to date after every write. */
export const product = table(
  'product',
  {
    ...productFields,
    bundlePricing: f.oneOf(['fixed', 'sum', 'sum_minus_percent']).default('fixed'),
    bundlePercentBp: f.bp().optional(),
    /** Active, with an active variant, and with all components active if a bundle. Visible to shoppers from `publishedAt` on. */
    listed: f.bool().default(false),
    inStock: f.bool().default(true),
    priceMin: f.money().optional(),
    priceMax: f.money().optional(),
    /** In hundredths; 0 without ratings. An integer, because integers can be indexed under row-level security. */
    ratingHundredths: f.int().default(0),
    ratingCount: f.int().default(0),
    /** Units ordered. */
    popularity: f.int().default(0),
    titleSort: f.text({ max: 1000 }).default(''),
    searchText: f.text({ max: 100_000 }).default(''),
  },
  {
    uniques: [{ fields: ['slug'] }],
    indexes: [
      { name: 'catalog_product_brand_idx', fields: ['brandId'], where: 'brand_id is not null' },
      { name: 'catalog_product_created_idx', fields: ['createdAt', 'id'] },
      { name: 'catalog_product_featured_idx', fields: ['position', 'id'], where: 'listed and featured' },
      { name: 'catalog_product_newest_idx', fields: ['createdAt', 'id'], where: 'listed' },
      { name: 'catalog_product_popularity_idx', fields: ['popularity', 'id'], where: 'listed' },
      { name: 'catalog_product_position_idx', fields: ['position', 'id'], where: 'listed' },
      { name: 'catalog_product_price_idx', fields: ['priceMin', 'id'], where: 'listed' },
      { name: 'catalog_product_published_idx', fields: ['publishedAt'], where: 'listed' },
      { name: 'catalog_product_rating_idx', fields: ['ratingHundredths', 'id'], where: 'listed' },
      { name: 'catalog_product_title_idx', fields: ['titleSort', 'id'], where: 'listed' },
      { name: 'catalog_product_updated_idx', fields: ['updatedAt', 'id'] },
      { name: 'catalog_product_vendor_idx', fields: ['vendorId'], where: 'vendor_id is not null' },
    ],
    sqlOnly: { catalog_product_search_idx: 'GiST index for trigram search' },
  },
);
export type ProductRow = TableRow<typeof product>;

/** Categories of a product. */
export const productCategory = table(
  'product-category',
  { productId: f.id(), categoryId: f.id() },
  {
    uniques: [{ name: 'catalog_product_category_key', fields: ['productId', 'categoryId'] }],
    indexes: [{ name: 'catalog_product_category_category_idx', fields: ['categoryId', 'productId'] }],
  },
);

const categoryIds = f.list(f.ref('catalog.category'), { max: 50 });

export const productCreate = {
  ...productFields,
  categoryIds: categoryIds.default([]),
  variants: f.list(f.object(variantFields), { max: 250 }).default([]),
  /** Applies to the default variant. Allowed only if `variants` is omitted. */
  price: f.money({ min: 0 }).optional(),
  sku: f.text({ max: 100 }).optional(),
} satisfies Shape;
export type ProductInput = CreateOf<typeof productCreate>;

export const productPatch = {
  ...productFields,
  categoryIds: categoryIds.default([]),
  /** With `id` changed, without made, `{id, delete: true}` removed; read by `readVariants`. */
  variants: f.list(f.json({ max: 65_536 }), { max: 250 }).default([]),
} satisfies Shape;
export type ProductPatch = Partial<CreateOf<typeof productPatch>>;
