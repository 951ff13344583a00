import type { ProductImport } from '@storeloom/commerce';
import { f, type Locales, parseBody } from '@storeloom/plugin-sdk';

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
  options: f
    .list(f.object({ name: f.text({ max: 60 }), values: f.list(f.text({ max: 100 }), { max: 200 }) }), { max: 10 })
    .default([]),
  seo: f.object({ title: f.text({ max: 300 }).optional(), description: f.text({ max: 1000 }).optional() }).optional(),
  images: f.list(f.object({ url: f.text({ max: 2000 }), alt: f.text({ max: 300 }).optional() }), { max: 100 }).default([]),
  variants: f.list(
    f.object({
      sku: f.text({ max: 100 }),
      barcode: f.text({ max: 14 }).optional(),
      optionValues: f.json().optional(),
      price: money,
      compareAtPrice: money.optional(),
      cost: money.optional(),
      weightG: f.int({ min: 0 }).optional(),
      trackInventory: f.bool().default(true),
      allowBackorder: f.bool().default(false),
      stock: f.int({ min: 0 }).optional(),
    }),
    { min: 1, max: 200 },
  ),
};

type Variant = ProductImport['variants'][number];
interface Checked extends Omit<ProductImport, 'images' | 'variants'> {
  images: { url: string; alt: string | null }[];
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
