import type { ZodType } from 'zod';
import type { Shape } from '../field.ts';
import type { Choice, SchemaLike } from '../route.ts';

export function isShape(schema: SchemaLike): schema is Shape {
  return !('~standard' in schema || '~choice' in schema);
}
export function isChoice(schema: SchemaLike): schema is Choice {
  return '~choice' in schema;
}
/** A body that is `second` where `isSecond` says so, else `first`: one route that makes a thing and changes it. */
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
export function isZod(schema: SchemaLike): schema is ZodType {
  return '_zod' in schema;
}
