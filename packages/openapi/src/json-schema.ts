import {
  type Field,
  type FieldMode,
  type FieldSpec,
  isChoice,
  isShape,
  isZod,
  type SchemaLike,
  type SchemaMode,
  type Shape,
  shapeSchema,
} from '@storeloom/plugin-sdk';
import { type ZodType, z } from 'zod';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Record<string, unknown>;

/** How an answer reads: admin answers carry every language, storefront answers the caller's. */
export type View = 'every-language' | 'one-language';

export interface SchemaContext {
  view: View;
  /** Reference to a schema that is written once; undefined where everything stands inline. */
  refs: SchemaRefs | undefined;
  /** Name of the component that the schema becomes, for one that contains itself. */
  self?: string;
}
export interface SchemaRefs {
  money(): JsonSchema;
  localText(): JsonSchema;
  /** Keeps a name for a definition that zod took out of a schema (a recursive part, or one with an id). */
  reserve(name: string): string;
  define(name: string, schema: JsonSchema): void;
}

const inlineMoney: JsonSchema = {
  type: 'object',
  description: 'Whole minor units by the exponent of ISO 4217: 12345 is 123.45 in RON and 12345 in JPY.',
  properties: {
    amount: { type: 'integer', minimum: -10_000_000_000_000, maximum: 10_000_000_000_000 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  },
  required: ['amount', 'currency'],
  additionalProperties: false,
};
const inlineLocalText: JsonSchema = {
  type: 'object',
  description: 'A text by locale.',
  additionalProperties: { type: 'string' },
};
export const moneySchema = (): JsonSchema => structuredClone(inlineMoney);
export const localTextSchema = (): JsonSchema => structuredClone(inlineLocalText);

/** The JSON Schema of what a route takes or answers. */
export function jsonSchemaOf(schema: SchemaLike, mode: SchemaMode, context: SchemaContext): JsonSchema {
  if (isShape(schema)) return shapeJsonSchema(schema, mode, context);
  if (isChoice(schema)) return { anyOf: schema['~choice'].shapes.map((shape) => shapeJsonSchema(shape, mode, context)) };
  if (isZod(schema)) return settle(convert(schema, mode), mode, context);
  return { description: 'Described by the plugin in its own schema language.' };
}

/** The schema of one field alone, without references: for settings and forms. */
export function fieldJsonSchema(name: string, field: Field<unknown, FieldMode>): JsonSchema {
  const writable = writableShape({ [name]: field });
  const whole = shapeJsonSchema(writable, 'create', { view: 'every-language', refs: undefined });
  const schema = (whole.properties as Record<string, JsonSchema>)[name] as JsonSchema;
  return field.spec.readonly ? { ...schema, readOnly: true } : schema;
}

/** The same shape without `readonly`: what the server itself may set. */
export function writableShape(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field.spec.readonly ? rebuilt(field, { readonly: false }) : field]),
  );
}
function rebuilt(field: Field<unknown, FieldMode>, change: Partial<FieldSpec>): Field<unknown, FieldMode> {
  const Make = field.constructor as new (spec: FieldSpec) => Field<unknown, FieldMode>;
  return new Make({ ...field.spec, ...change });
}

function shapeJsonSchema(shape: Shape, mode: SchemaMode, context: SchemaContext): JsonSchema {
  return settle(decorateShape(shape, convert(shapeSchema(shape, mode), mode), mode, context), mode, context);
}

function convert(schema: ZodType, mode: SchemaMode): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: mode === 'answer' ? 'output' : 'input',
    unrepresentable: 'any',
    cycles: 'ref',
    reused: 'inline',
  }) as JsonSchema;
  return rest;
}

/** zod knows limits and patterns; what a string stands for is known from the field. */
function decorateShape(shape: Shape, node: JsonSchema, mode: SchemaMode, context: SchemaContext): JsonSchema {
  const properties = node.properties as Record<string, JsonSchema> | undefined;
  if (!properties) return node;
  const decorated = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      shape[name] ? withExample(shape[name], decorate(shape[name], property, mode, context), mode) : property,
    ]),
  );
  return { ...node, properties: decorated };
}

/** A body shows the example of the field; responses show what the field's schema yields, since they have every property. */
function withExample({ spec }: Field<unknown, FieldMode>, node: JsonSchema, mode: SchemaMode): JsonSchema {
  if (spec.example === undefined || mode === 'answer') return node;
  return { ...node, examples: [typeof spec.example === 'function' ? spec.example() : spec.example] };
}

function decorate(field: Field<unknown, FieldMode>, node: JsonSchema, mode: SchemaMode, context: SchemaContext): JsonSchema {
  const { spec } = field;
  const options = node.anyOf as JsonSchema[] | undefined;
  // zod says `type: [x, null]` of a plain string and `anyOf` of the rest; the former needs no unwrapping.
  if (options?.length === 2 && options[1]?.type === 'null') {
    const { anyOf: _, ...rest } = node;
    return { ...rest, anyOf: [decorate(field, options[0] as JsonSchema, mode, context), { type: 'null' }] };
  }
  const { default: preset, description, ...own } = node;
  const extra: JsonSchema = {
    ...(preset === undefined || !fits(preset, own) ? {} : { default: preset }),
    ...(description === undefined ? {} : { description }),
    ...(spec.readonly && mode === 'answer' ? { readOnly: true } : {}),
    ...(spec.since ? { 'x-since': spec.since } : {}),
  };
  return { ...decorated(spec, own, mode, context), ...extra };
}

/** A default that the field itself would refuse (an empty slug) says that the server makes the value. */
function fits(preset: unknown, node: JsonSchema): boolean {
  const options = node.anyOf as JsonSchema[] | undefined;
  if (options) return options.some((option) => fits(preset, option));
  if (typeof preset !== 'string' || node.type !== 'string') return true;
  const { minLength = 0, pattern } = node as { minLength?: number; pattern?: string };
  return preset.length >= minLength && (pattern === undefined || new RegExp(pattern).test(preset));
}

const notes: Partial<Record<FieldSpec['kind'], JsonSchema>> = {
  richText: { contentMediaType: 'text/html' },
  timeZone: { description: 'IANA time zone.' },
  ppm: { 'x-unit': 'ppm' },
  bp: { 'x-unit': 'bp' },
};

/** The format says it shorter than the pattern does. */
function id({ pattern: _, ...node }: JsonSchema): JsonSchema {
  return { ...node, format: 'uuid' };
}

function decorated(spec: FieldSpec, node: JsonSchema, mode: SchemaMode, context: SchemaContext): JsonSchema {
  if (spec.translatable) {
    // In each language it is what it is in one.
    const note = notes[spec.kind];
    if (mode !== 'answer')
      return { ...node, ...note, description: 'A plain string is the text in the default locale of the shop.' };
    return {
      ...(context.view === 'one-language' ? { type: 'string' } : (context.refs?.localText() ?? localTextSchema())),
      ...note,
    };
  }
  switch (spec.kind) {
    case 'money':
      return context.refs?.money() ?? moneySchema();
    case 'ref':
      return { ...id(node), 'x-entity': spec.target };
    case 'id':
      return id(node);
    case 'secret':
      return mode === 'answer' ? { ...node, description: 'Masked.', examples: ['••••1234'] } : { ...node, format: 'password' };
    case 'list':
      return {
        ...node,
        ...(node.minItems === 0 ? { minItems: undefined } : {}),
        items: decorate(spec.item as Field<unknown, FieldMode>, node.items as JsonSchema, mode, context),
      };
    case 'object':
      return decorateShape(spec.shape as Shape, node, mode, context);
    default:
      return { ...node, ...notes[spec.kind] };
  }
}

/** zod numbers the parts that have no name of their own. */
function partName(name: string, self = ''): string {
  return /^__/.test(name) ? `${self}Part` : name.replace(/[^A-Za-z0-9]/g, '');
}

/** Takes zod's definitions out, and what only a request must keep to. */
function settle(schema: JsonSchema, mode: SchemaMode, context: SchemaContext): JsonSchema {
  const { $defs = {}, ...root } = schema as JsonSchema & { $defs?: Record<string, JsonSchema> };
  const { refs, self } = context;
  const definitions = Object.entries($defs).filter(([name]) => name !== 'Money');
  const names = new Map(refs ? definitions.map(([name]) => [`#/$defs/${name}`, refs.reserve(partName(name, self))]) : []);
  if (self !== undefined) names.set('#', self);
  const clean = (node: JsonSchema): JsonSchema =>
    mapSchema(node, (one) => {
      const kept = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));
      // A plain key type says nothing, and a client must bear members that a later version adds.
      const keys = kept.propertyNames as JsonSchema | undefined;
      if (keys?.type === 'string' && Object.keys(keys).length === 1) delete kept.propertyNames;
      if (mode === 'answer' && kept.additionalProperties === false) delete kept.additionalProperties;
      // Generators of clients take a property with a default for one that is always there.
      if (kept.default === null) delete kept.default;
      const { $ref, ...rest } = kept;
      if (typeof $ref !== 'string' || !/^#(?:\/\$defs\/|$)/.test($ref)) return kept;
      if ($ref === '#/$defs/Money') return { ...rest, ...(refs?.money() ?? moneySchema()) };
      const name = names.get($ref);
      return name === undefined ? rest : { ...rest, $ref: `#/components/schemas/${name}` };
    });
  for (const [name, definition] of definitions) {
    const known = names.get(`#/$defs/${name}`);
    if (known !== undefined) refs?.define(known, clean(definition));
  }
  return clean(root);
}

const single = ['items', 'additionalProperties', 'propertyNames', 'not', 'contains', 'if', 'then', 'else'] as const;
const several = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const named = ['properties', 'patternProperties', '$defs'] as const;

/** Rebuilds a schema from its leaves up. */
function mapSchema(node: JsonSchema, fn: (node: JsonSchema) => JsonSchema): JsonSchema {
  const copy: JsonSchema = { ...node };
  const one = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? mapSchema(value as JsonSchema, fn) : value;
  for (const key of single) if (key in copy) copy[key] = one(copy[key]);
  for (const key of several) if (Array.isArray(copy[key])) copy[key] = (copy[key] as unknown[]).map(one);
  for (const key of named)
    if (copy[key])
      copy[key] = Object.fromEntries(
        Object.entries(copy[key] as Record<string, unknown>).map(([name, value]) => [name, one(value)]),
      );
  return fn(copy);
}
