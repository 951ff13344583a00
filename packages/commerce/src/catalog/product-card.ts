import { f, type RowOf, type Shape, shapeSchema } from '@storeloom/plugin-sdk';
import { z } from 'zod';

/** From the best to the worst. */
export const availabilities = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'] as const;

/** Prices of a product or variant on the storefront, in the visitor's currency and price mode. */
export const priceFields = {
  price: f.money(),
  /** What the price is reduced from. */
  compareAtPrice: f.money().optional(),
  /** Lowest price of the 30 days before the reduction (directive 98/6/EC, article 6a). */
  lowestPrice30d: f.money().optional(),
} satisfies Shape;

/** Availability of a product or variant. */
export const availabilityField = f.oneOf(availabilities);

const brandField = f.object({ id: f.id(), name: f.text(), slug: f.slug() });

/** An image with its alternative text. */
export const imageField = f.object({ url: f.text({ max: 2000 }), alt: f.text({ max: 500 }).optional() });

/** Fields of a product card, without the rating. */
export const productCardShape = {
  id: f.id(),
  slug: f.slug(),
  title: f.text({ max: 300 }),
  image: imageField.optional(),
  brand: brandField.optional(),
  ...priceFields,
  priceRange: f.object({ min: f.money(), max: f.money() }),
  availability: availabilityField,
} satisfies Shape;

/** `average` is null while there is no rating. */
export const ratingSchema = z.strictObject({ average: z.number().nullable(), count: z.int() });

/** A product in a list, for the `response` of a route. */
export const productCardSchema = shapeSchema(productCardShape, 'answer').extend({ rating: ratingSchema });
/** A product in a list. */
export type ProductCard = RowOf<typeof productCardShape> & { rating: z.infer<typeof ratingSchema> };
