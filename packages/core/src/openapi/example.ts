import type { JsonSchema } from './json-schema.ts';
import { sampleOf } from './sample.ts';

/** Finds the schema that a reference names. */
export type Resolve = (ref: string) => JsonSchema | undefined;

/** Nothing that fits could be made. */
const nothing = Symbol('nothing');
type Made = unknown | typeof nothing;

const byFormat: Readonly<Record<string, string>> = {
  uuid: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02',
  'date-time': '2026-11-27T20:12:00.000Z',
  date: '2026-11-27',
  time: '20:12:00Z',
  email: 'shopper@example.com',
  uri: 'https://example.com/',
  ipv4: '203.0.113.7',
  hostname: 'shop.example.com',
  password: 'correct horse battery staple',
};
/** Tried in this order where a pattern or a length has to be met. Each is checked before it is used. */
const candidates = [
  'example',
  'Example text',
  'ro',
  'RO',
  'RON',
  'ro-RO',
  '20:12',
  '2026-11',
  '2026-11-27',
  '2026-11-27T20:12:00.000Z',
  '0',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '123456',
  '12345678',
  '1234567890',
  '1234567890123',
  '1.5',
  '10.00',
  'a',
  'A',
  'ab',
  'AB',
  'abc',
  'ABC',
  'A1',
  'AB12',
  'ABC-123',
  'abc_123',
  'abc-123',
  'example.name',
  'example:name',
  'plugin.resource.action',
  'AB123456789RO',
  'RO12345678',
  'DE89370400440532013000',
  '#1a2b3c',
  '/example',
  '/example/path',
  '*.example.com',
  'example.com',
  'https://example.com/',
  '+40700000000',
  'shopper@example.com',
  'text/plain',
  'image/png',
  'Europe/Bucharest',
  '{YYYY}-{000000}',
  '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02',
  'a'.repeat(32),
  'A'.repeat(32),
  '0'.repeat(32),
  '0'.repeat(64),
];
/** What some members are usually called. */
const byName: Readonly<Record<string, string>> = {
  currency: 'RON',
  country: 'RO',
  locale: 'ro',
  language: 'ro',
  timezone: 'Europe/Bucharest',
  phone: '+40 700 000 000',
  slug: 'example',
  postalCode: '010101',
  sku: 'ABC-123',
  code: 'EXAMPLE',
};

/**
 * A value that fits the schema, the same at every run; undefined where none can be made (a pattern that no candidate meets).
 * What stands in the schema comes first: `examples`, `const`, `enum`.
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve): unknown {
  const made = make(schema, resolve, '', 0);
  return made === nothing ? undefined : made;
}

function make(schema: JsonSchema, resolve: Resolve, name: string, depth: number): Made {
  if (depth > 12) return nothing;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (typeof schema.$ref === 'string') {
    const target = resolve(schema.$ref);
    return target ? make(target, resolve, name, depth + 1) : nothing;
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.default ?? schema.enum[0];
  // An empty list shows nothing.
  const preset = schema.default;
  if (preset !== undefined && preset !== null && !(Array.isArray(preset) && preset.length === 0)) return preset;
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (options) return firstMade(options, resolve, name, depth);
  if (Array.isArray(schema.allOf)) return merged(schema, resolve, name, depth);
  const type = Array.isArray(schema.type) ? (schema.type as string[]).find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'string':
      return text(schema, name);
    case 'integer':
    case 'number':
      return number(schema, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return list(schema, resolve, name, depth);
    case 'object':
      return object(schema, resolve, depth);
    default:
      return schema.properties ? object(schema, resolve, depth) : {};
  }
}

function firstMade(options: readonly JsonSchema[], resolve: Resolve, name: string, depth: number): Made {
  const sorted = [...options].sort((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
  for (const option of sorted) {
    const made = make(option, resolve, name, depth + 1);
    if (made !== nothing) return made;
  }
  return nothing;
}

function merged(schema: JsonSchema, resolve: Resolve, name: string, depth: number): Made {
  const { allOf, ...own } = schema;
  let whole: Record<string, unknown> = {};
  for (const part of [...(allOf as JsonSchema[]), ...(own.properties ? [own] : [])]) {
    const made = make(part, resolve, name, depth + 1);
    if (made === nothing || typeof made !== 'object' || made === null) return nothing;
    whole = { ...whole, ...(made as Record<string, unknown>) };
  }
  return whole;
}

function text(schema: JsonSchema, name: string): Made {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = schema as { format?: string; pattern?: string; minLength?: number; maxLength?: number };
  const regex = pattern === undefined ? undefined : regexOf(pattern);
  const fits = (value: string): boolean =>
    value.length >= minLength && value.length <= maxLength && (regex === undefined || regex.test(value));
  const standard = format === undefined ? undefined : byFormat[format];
  const long =
    minLength > 0
      ? [
          'example '
            .repeat(Math.ceil(minLength / 8))
            .slice(0, minLength)
            .replace(/ $/, 'x'),
        ]
      : [];
  const sampled = pattern === undefined ? undefined : sampleOf(pattern);
  const strict = standard !== undefined && format !== 'password';
  const tries = [standard, byName[name], ...(strict ? [] : [...candidates, ...long, sampled])];
  return tries.find((value) => value !== undefined && fits(value)) ?? nothing;
}

/** As validators read it, and as JavaScript does where that is an error. */
function regexOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function number(schema: JsonSchema, whole: boolean): Made {
  const { multipleOf } = schema as { multipleOf?: number };
  const step = multipleOf ?? (whole ? 1 : 0.5);
  const low =
    typeof schema.exclusiveMinimum === 'number' ? schema.exclusiveMinimum + step : (schema.minimum as number | undefined);
  const high =
    typeof schema.exclusiveMaximum === 'number' ? schema.exclusiveMaximum - step : (schema.maximum as number | undefined);
  let value = multipleOf ?? 1;
  if (low !== undefined && value < low) value = multipleOf === undefined ? low : Math.ceil(low / multipleOf) * multipleOf;
  if (high !== undefined && value > high) value = multipleOf === undefined ? high : Math.floor(high / multipleOf) * multipleOf;
  return low !== undefined && value < low ? nothing : value;
}

function list(schema: JsonSchema, resolve: Resolve, name: string, depth: number): Made {
  const {
    minItems = 0,
    maxItems = 1,
    prefixItems,
  } = schema as { minItems?: number; maxItems?: number; prefixItems?: JsonSchema[] };
  if (prefixItems) {
    const items = prefixItems.map((item) => make(item, resolve, name, depth + 1));
    return items.includes(nothing) ? nothing : items;
  }
  if (maxItems === 0) return [];
  const item = make((schema.items as JsonSchema | undefined) ?? {}, resolve, name.replace(/s$/, ''), depth + 1);
  if (item === nothing) return minItems === 0 ? [] : nothing;
  return Array.from({ length: Math.max(minItems, 1) }, () => item);
}

function object(schema: JsonSchema, resolve: Resolve, depth: number): Made {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {})) {
    // Deep inside, what may be left out is left out, so that a schema that contains itself ends.
    if (depth > 6 && !required.has(name)) continue;
    const made = make(member, resolve, name, depth + 1);
    if (made !== nothing) value[name] = made;
    else if (required.has(name)) return nothing;
  }
  const { additionalProperties, propertyNames } = schema as {
    additionalProperties?: JsonSchema | boolean;
    propertyNames?: JsonSchema;
  };
  if (
    typeof additionalProperties === 'object' &&
    Object.keys(additionalProperties).length > 0 &&
    Object.keys(value).length === 0
  ) {
    const key = propertyNames ? make({ type: 'string', ...propertyNames }, resolve, 'locale', depth + 1) : 'ro';
    const made = make(additionalProperties, resolve, '', depth + 1);
    if (typeof key === 'string' && made !== nothing) value[key] = made;
  }
  return value;
}
