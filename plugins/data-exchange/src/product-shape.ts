import type { ProductImport } from '@storeloom/commerce';
import { f, type Locales, type LocalText, parseBody } from '@storeloom/plugin-sdk';

const money = f.money({ min: 0 });

/** A product as a JSON file gives it, and as rows of a CSV file add up to it. */
const productShape = {
  slug: f.slug(),
  title: f.text({ max: 300 }).translatable(),
  description: f.richText().translatable().optional(),
  shortDescription: f.i18n({ max: 2000 }).optional(),
  status: f.oneOf(['draft', 'active', 'archived']).default('draft'),
  type: f.oneOf(['physical', 'digital', 'service']).default('physical'),
  brand: f.text().optional(),
  categoryPath: f.list(f.text(), { min: 1, max: 8 }).optional(),
  tags: f.list(f.text({ max: 60 }), { max: 100 }).default([]),
  otherCategoryPaths: f.list(f.list(f.text(), { min: 1, max: 8 }), { max: 50 }).optional(),
  options: f
    .list(f.object({ name: f.text({ max: 60 }), values: f.list(f.text({ max: 120 }), { max: 200 }) }), { max: 10 })
    .default([]),
  seo: f
    .object({
      title: f.text({ max: 300 }).optional(),
      description: f.text({ max: 1000 }).optional(),
      canonical: f.url().optional(),
    })
    .optional(),
  featured: f.bool().optional(),
  returnable: f.bool().optional(),
  minAge: f.int({ min: 0, max: 150 }).optional(),
  weightG: f.int({ min: 0 }).optional(),
  hsCode: f.text({ max: 20, pattern: /^[0-9.]+$/ }).optional(),
  countryOfOrigin: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
  /** Code of a tax category. */
  taxCategory: f.text().optional(),
  publishedAt: f.instant().optional(),
  position: f.int().optional(),
  metadata: f.json().optional(),
  images: f.list(f.object({ url: f.text({ max: 2000 }), alt: f.i18n({ max: 500 }).optional() }), { max: 100 }).default([]),
  variants: f.list(
    f.object({
      sku: f.text({ max: 100 }),
      barcode: f.text({ max: 14 }).optional(),
      optionValues: f.json().optional(),
      price: money,
      compareAtPrice: money.optional(),
      cost: money.optional(),
      minPrice: money.optional(),
      image: f.text({ max: 2000 }).optional(),
      weightG: f.int({ min: 0 }).optional(),
      dimsMm: f.object({ length: f.int({ min: 0 }), width: f.int({ min: 0 }), height: f.int({ min: 0 }) }).optional(),
      trackInventory: f.bool().default(true),
      allowBackorder: f.bool().default(false),
      backorderLimit: f.int({ min: 0 }).optional(),
      minPerOrder: f.int({ min: 1 }).optional(),
      maxPerOrder: f.int({ min: 1 }).optional(),
      step: f.int({ min: 1 }).optional(),
      active: f.bool().optional(),
      digitalFiles: f
        .list(f.object({ uploadKey: f.file(), name: f.text({ max: 200 }), version: f.text({ max: 60 }).optional() }), { max: 50 })
        .optional(),
      metadata: f.json().optional(),
      prices: f
        .list(
          f.object({
            price: money,
            priceListCode: f.text({ max: 60 }).optional(),
            startsAt: f.instant().optional(),
            endsAt: f.instant().optional(),
          }),
          { max: 100 },
        )
        .optional(),
      stock: f.int({ min: 0 }).optional(),
    }),
    { min: 1, max: 250 },
  ),
};

type Variant = ProductImport['variants'][number];
interface Checked extends Omit<ProductImport, 'images' | 'variants'> {
  images: { url: string; alt: LocalText | null }[];
  variants: (Omit<Variant, 'position' | 'cost' | 'optionValues'> & {
    cost: Variant['price'] | null;
    optionValues: Record<string, string> | null;
    stock: number | null;
  })[];
}

/** The same limits, normalising and sanitising for every door: a file is no way around them. Throws `validation_failed` with pointers. */
export async function checkProduct(
  item: unknown,
  locales: Locales,
): Promise<{ product: ProductImport; stock: Map<string, number> }> {
  const { images, variants, ...product } = (await parseBody(productShape, item, { partial: false, tenant: locales })) as Checked;
  return {
    product: {
      ...product,
      images: images.map((image, position) => ({ ...image, position })),
      variants: variants.map(({ stock: _, cost, optionValues, ...variant }, position) => ({
        ...variant,
        optionValues: optionValues ?? {},
        ...(cost === null ? {} : { cost }),
        position,
      })),
    },
    stock: new Map(variants.flatMap(({ sku, stock }) => (stock === null ? [] : [[sku, stock] as const]))),
  };
}

/** What rows of a file added up to, as the shape takes it. */
export function asItem({ images, variants, ...product }: ProductImport): unknown {
  return {
    ...product,
    images: images.toSorted((a, b) => a.position - b.position).map(({ url, alt }) => ({ url, alt })),
    variants: variants.map(({ position: _, ...variant }) => variant),
  };
}
