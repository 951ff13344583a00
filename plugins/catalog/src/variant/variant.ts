import { type CreateOf, f, parseBody, type Shape, type TableRow, type Tenant, table, withPointers } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

export const variantPriceFields = {
  price: f.money({ min: 0 }),
  priceListCode: f.text({ max: 60 }).optional(),
  startsAt: f.instant().optional(),
  endsAt: f.instant().optional(),
} satisfies Shape;

/** Columns of the variant table that requests can set. */
const rowFields = {
  sku: f.text({ max: 100 }),
  barcode: f.text({ max: 14 }).optional(),
  optionValues: f.json({ max: 4096 }).default({}).describe('Value by the name of the option.'),
  price: f.money({ min: 0 }),
  compareAtPrice: f.money({ min: 0 }).optional(),
  cost: f.money({ min: 0 }).sensitive('catalog.cost.read').optional(),
  minPrice: f.money({ min: 0 }).optional(),
  image: linkField().optional().describe('URL of one of the images of the product. Null: the images of the product.'),
  weightG: f.int({ min: 0 }).optional(),
  dimsMm: f.object({ length: f.int({ min: 0 }), width: f.int({ min: 0 }), height: f.int({ min: 0 }) }).optional(),
  trackInventory: f.bool().default(true),
  allowBackorder: f.bool().default(false),
  backorderLimit: f.int({ min: 0 }).optional(),
  minPerOrder: f.int({ min: 1 }).optional(),
  maxPerOrder: f.int({ min: 1 }).optional(),
  step: f.int({ min: 1 }).optional(),
  position: f.int().default(0),
  active: f.bool().default(true),
  digitalFiles: f
    .list(f.object({ uploadKey: f.file(), name: f.text({ max: 200 }), version: f.text({ max: 60 }).optional() }), { max: 50 })
    .default([]),
  metadata: f.json().optional().describe('What the shop keeps with it.'),
} satisfies Shape;

/** A variant in a product's body. */
export const variantFields = {
  ...rowFields,
  prices: f.list(f.object(variantPriceFields), { max: 100 }).default([]),
} satisfies Shape;
export type VariantInput = CreateOf<typeof variantFields>;

export const variant = table(
  'variant',
  {
    productId: f.id(),
    ...rowFields,
    /** SKU in lower case, for the unique index. A column, because it can be indexed under row-level security. */
    skuKey: f.text({ max: 100 }),
    optionKey: f.text({ max: 10_000 }),
    /** Has dated general prices in its base currency. */
    dated: f.bool().default(false),
  },
  {
    uniques: [
      { fields: ['barcode'], where: 'deleted_at is null' },
      { name: 'catalog_variant_option_values_key', fields: ['productId', 'optionKey'] },
      { name: 'catalog_variant_sku_key', fields: ['skuKey'], where: 'deleted_at is null' },
    ],
    indexes: [{ name: 'catalog_variant_product_idx', fields: ['productId', 'position', 'id'], where: 'deleted_at is null' }],
    softDelete: true,
  },
);
export type VariantRow = TableRow<typeof variant>;

/** Additional prices: for a price list, in another currency, or for a period. */
export const variantPrice = table(
  'variant-price',
  { variantId: f.id(), ...variantPriceFields },
  { indexes: [{ name: 'catalog_variant_price_variant_idx', fields: ['variantId'] }] },
);
export type VariantPriceRow = TableRow<typeof variantPrice>;

export type VariantChange =
  | { id: string; delete: true }
  | ({ id: string; delete?: false } & Partial<VariantInput>)
  | ({ id?: undefined; delete?: false } & VariantInput);

const changeShape = { id: f.id(), delete: f.bool(), ...variantFields } satisfies Shape;

/** Parses `variants` of a PATCH: an element with `id` is an update, without one a new variant. Errors contain the element's pointer. */
export async function readVariants(tenant: Tenant, items: readonly Record<string, unknown>[]): Promise<VariantChange[]> {
  const changes: VariantChange[] = [];
  for (const [i, item] of items.entries()) {
    const change = (await withPointers(`/variants/${i}`, () =>
      'id' in item
        ? parseBody(changeShape, item, { partial: true, tenant })
        : parseBody(variantFields, item, { partial: false, tenant }),
    )) as VariantChange;
    changes.push(change.id !== undefined && change.delete === true ? { id: change.id, delete: true } : change);
  }
  return changes;
}
