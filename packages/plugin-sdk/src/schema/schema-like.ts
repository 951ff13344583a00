import type { ZodType } from 'zod';
import type { Shape } from '../field.ts';
import type { Choice, SchemaLike } from '../route.ts';

/** Returns true if the schema is a shape of fields. */
export function isShape(schema: SchemaLike): schema is Shape {
  return !('~standard' in schema || '~choice' in schema);
}
/** Returns true if the schema is made by `choice`. */
export function isChoice(schema: SchemaLike): schema is Choice {
  return '~choice' in schema;
}
/**
 * Returns a body schema that is `second` if `isSecond` returns true for the body, otherwise `first`: one route that creates and
 * changes a row.
 */
export function choice<A extends Shape, B extends Shape>(
  first: A,
  second: B,
  isSecond: (body: Readonly<Record<string, unknown>>) => boolean,
): Choice<A | B> {
  return Object.freeze({
    '~choice': {
      shapes: [first, second],
      shapeOf: (body: Readonly<Record<string, unknown>>) => (isSecond(body) ? second : first),
    },
  });
}
/** Returns true if the schema is a zod schema. */
export function isZod(schema: SchemaLike): schema is ZodType {
  return '_zod' in schema;
}
