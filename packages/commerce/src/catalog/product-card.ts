import { f, type Shape, shapeSchema } from '@storeloom/plugin-sdk';
import { z } from 'zod';

/** Best first. */
export const availabilities = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'] as const;

export const priceFields = {
  price: f.money(),
  compareAtPrice: f.money().optional(),
  lowestPrice30d: f.money().optional(),
} satisfies Shape;

export const availabilityField = f.oneOf(availabilities);

const brandField = f.object({ id: f.id(), name: f.text(), slug: f.slug() });

export const imageField = f.object({ url: f.text({ max: 2000 }), alt: f.text({ max: 500 }).optional() });

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

export const ratingSchema = z.strictObject({ average: z.number().nullable(), count: z.int() });

/** A product as lists show it, for the `response` of a route. */
export const productCardSchema: z.ZodObject = (shapeSchema(productCardShape, 'answer') as unknown as z.ZodObject).extend({
  rating: ratingSchema,
});
