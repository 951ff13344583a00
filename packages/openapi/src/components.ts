import { isChoice, isShape, isZod, type SchemaLike, type SchemaMode, shapeSchema } from '@storeloom/plugin-sdk';
import { exampleOf } from './example.ts';
import { type JsonSchema, jsonSchemaOf, localTextSchema, moneySchema, type SchemaRefs, type View } from './json-schema.ts';
import type { ProblemTable } from './route.ts';

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The schemas that operations refer to, each written once. */
export interface Components {
  readonly schemas: Record<string, JsonSchema>;
  /** Reference to the component of a schema; `name` is what it is called if it is free. */
  schema(name: string, source: SchemaLike, mode: SchemaMode, view: View): JsonSchema;
  resolve(reference: string): JsonSchema | undefined;
}

export function createComponents(errors: ProblemTable): Components {
  const schemas: Record<string, JsonSchema> = { ...common(errors) };
  const known = new Map<SchemaLike, Map<string, string>>();
  const free = (name: string): string => {
    let one = name;
    for (let n = 2; Object.hasOwn(schemas, one); n++) one = `${name}${n}`;
    return one;
  };
  const resolve = (reference: string): JsonSchema | undefined => schemas[reference.slice('#/components/schemas/'.length)];
  const refs: SchemaRefs = {
    money: () => ref('Money'),
    localText: () => ref('LocalText'),
    reserve(name) {
      const kept = free(name);
      schemas[kept] = {};
      return kept;
    },
    define(name, schema) {
      schemas[name] = schema;
      const example = exampleOf(schema, resolve);
      if (example !== undefined) schema.examples = [example];
    },
  };
  return {
    schemas,
    resolve,
    schema(name, source, mode, view) {
      const modes = known.get(source) ?? new Map<string, string>();
      known.set(source, modes);
      const key = `${mode} ${mode === 'answer' ? view : ''}`;
      let component = modes.get(key);
      if (component === undefined) {
        component = free(name);
        modes.set(key, component);
        schemas[component] = {};
        const schema = jsonSchemaOf(source, mode, { view, refs, self: component });
        schemas[component] = schema;
        const example = exampleOf(schema, resolve);
        if (example !== undefined && accepts(source, mode, view, example)) schema.examples = [example];
      }
      return ref(component);
    },
  };
}

/** Whether the product itself takes the example: a rule that JSON Schema can't say may refuse it. */
function accepts(source: SchemaLike, mode: SchemaMode, view: View, example: unknown): boolean {
  if (isShape(source)) {
    if (mode === 'answer' && view === 'one-language') return true;
    const { masked: _, ...members } = example as Record<string, unknown>;
    return shapeSchema(source, mode).safeParse(mode === 'answer' && !('masked' in source) ? members : example).success;
  }
  if (isChoice(source)) return accepts(source['~choice'].shapeOf(example as Record<string, unknown>), mode, view, example);
  return isZod(source) ? source.safeParse(example).success : false;
}

function common(errors: ProblemTable): Record<string, JsonSchema> {
  const requestId = '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02';
  return {
    Money: { ...moneySchema(), examples: [{ amount: 12345, currency: 'RON' }] },
    LocalText: { ...localTextSchema(), examples: [{ ro: 'Tricou', en: 'T-shirt' }] },
    Page: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1 },
        nextCursor: { type: ['string', 'null'], description: 'Goes into `cursor` for the next page; null on the last one.' },
        total: { type: 'integer', minimum: 0, description: 'Only with `total=true`.' },
      },
      required: ['limit', 'nextCursor'],
      examples: [{ limit: 20, nextCursor: null }],
    },
    Warning: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        pointer: { type: ['string', 'null'], description: 'JSON pointer into the request.' },
      },
      required: ['code', 'message'],
      examples: [{ code: 'insufficient_stock', message: 'Lamp: 2 available', pointer: '/lines/0' }],
    },
    FieldError: {
      type: 'object',
      properties: {
        pointer: { type: 'string', description: 'JSON pointer into the body, or `?name` for a query parameter.' },
        code: { type: 'string' },
        message: { type: 'string' },
      },
      required: ['pointer', 'code', 'message'],
      examples: [{ pointer: '/lines/0/quantity', code: 'too_small', message: 'must be at least 1' }],
    },
    Problem: {
      type: 'object',
      description: 'RFC 9457. Some codes bring members of their own.',
      properties: {
        type: { type: 'string', description: '`urn:storeloom:error:` and the code.' },
        title: { type: 'string' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        code: { type: 'string', enum: [...errors.keys()].sort() },
        detail: { type: ['string', 'null'] },
        instance: { type: 'string' },
        requestId: { type: 'string' },
        errors: { type: 'array', items: ref('FieldError') },
      },
      required: ['type', 'title', 'status', 'code', 'detail', 'instance', 'requestId', 'errors'],
      examples: [
        {
          type: 'urn:storeloom:error:not_found',
          title: 'Not found',
          status: 404,
          code: 'not_found',
          detail: null,
          instance: `/api/admin/orders/${requestId}`,
          requestId,
          errors: [],
        },
      ],
    },
  };
}
