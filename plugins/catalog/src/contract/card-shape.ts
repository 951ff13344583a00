import { f, type Shape, shapeSchema } from '@storeloom/plugin-sdk';
import { z } from 'zod';

/** Best first. */
export const availabilities = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'] as const;
export const priceAnswer = {
  price: f.money(),
  compareAtPrice: f.money().optional(),
  lowestPrice30d: f.money().optional(),
} satisfies Shape;
export const availabilityAnswer = f.oneOf(availabilities);
const brandAnswer = f.object({ id: f.id(), name: f.text(), slug: f.slug() });
export const imageAnswer = f.object({ url: f.text({ max: 2000 }), alt: f.text({ max: 500 }).optional() });
export const cardShape = {
  id: f.id(),
  slug: f.slug(),
  title: f.text({ max: 300 }),
  image: imageAnswer.optional(),
  brand: brandAnswer.optional(),
  ...priceAnswer,
  priceRange: f.object({ min: f.money(), max: f.money() }),
  availability: availabilityAnswer,
} satisfies Shape;
export const rating = z.strictObject({ average: z.number().nullable(), count: z.int() });
export const answerOf = (shape: Shape, more: z.ZodRawShape): z.ZodObject =>
  (shapeSchema(shape, 'answer') as unknown as z.ZodObject).extend(more);
/** A product as lists show it. */
export const cardAnswer = answerOf(cardShape, { rating });
