import { sample } from 'openapi-sampler';
import RandExp from 'randexp';
import type { JsonSchema } from './json-schema.ts';

/** Finds the schema of a reference. */
export type Resolve = (ref: string) => JsonSchema | undefined;

/** Usual values of properties by name, used where the schema accepts them. */
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
const longest = 200;

/**
 * Returns a value that the schema accepts, the same in every run; undefined where none can be made (a pattern with a lookahead that no
 * generated text satisfies, a reference without an example). `examples`, `const`, `enum` and `default` of the schema win.
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve): unknown {
  const ready = withSamples(schema, resolve, '');
  return ready && sample(ready as Parameters<typeof sample>[0], { quiet: true });
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A copy for openapi-sampler, with examples where it would return an invalid value: texts with a pattern, references (from the example
 * of their schema, so that recursion ends), whole numbers, maps by locale. Undefined where no value can be made.
 */
function withSamples(schema: JsonSchema, resolve: Resolve, name: string): JsonSchema | undefined {
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return { example: schema.examples[0] };
  if (schema.const !== undefined || Array.isArray(schema.enum)) return schema;
  // An empty list or null shows nothing.
  const { default: preset, ...rest } = schema;
  if (preset !== undefined && preset !== null && !(Array.isArray(preset) && preset.length === 0)) return { example: preset };
  if (typeof rest.$ref === 'string') {
    const example = (resolve(rest.$ref)?.examples as unknown[] | undefined)?.[0];
    return example === undefined ? undefined : { example };
  }
  const several = (key: 'anyOf' | 'oneOf' | 'allOf'): JsonSchema[] =>
    (rest[key] as JsonSchema[]).map((part) => withSamples(part, resolve, name)).filter((part) => part !== undefined);
  if (Array.isArray(rest.allOf)) {
    const parts = several('allOf');
    return parts.length === rest.allOf.length ? { ...rest, allOf: parts } : undefined;
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    if (!Array.isArray(rest[key])) continue;
    const [first] = several(key).sort((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
    return first;
  }
  const type = Array.isArray(rest.type) ? (rest.type as string[]).find((one) => one !== 'null') : rest.type;
  if (type === 'string') return textOf(rest, name);
  if (type === 'integer' || type === 'number') return accepts(rest, 1) ? { example: 1 } : { ...rest, type };
  if (type === 'boolean') return { example: true };
  if (type === 'array') return listOf(rest, resolve, name);
  if (type === 'object' || isSchema(rest.properties)) return objectOf(rest, resolve);
  return type === undefined ? { example: {} } : { ...rest, type };
}

function accepts(schema: JsonSchema, value: number): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema as Record<string, number | undefined>;
  return (
    (minimum ?? value) <= value &&
    (exclusiveMinimum ?? 0) < value &&
    (maximum ?? value) >= value &&
    (exclusiveMaximum ?? value + 1) > value &&
    value % (multipleOf ?? value) === 0
  );
}

function textOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const {
    pattern,
    format,
    minLength = 0,
    maxLength = longest,
  } = schema as {
    pattern?: string;
    format?: string;
    minLength?: number;
    maxLength?: number;
  };
  const regex = pattern === undefined ? undefined : regexOf(pattern);
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= maxLength && (regex === undefined || regex.test(text));
  if (format !== undefined) {
    const formatted = sample({ type: 'string', format, minLength, maxLength }, { quiet: true });
    return typeof formatted === 'string' && fits(formatted) ? { example: formatted } : undefined;
  }
  const candidates = [byName[name], 'example', ...(pattern === undefined ? [] : samplesOf(pattern))];
  const example = candidates.find((text) => text !== undefined && fits(text));
  if (example !== undefined) return { example };
  return pattern === undefined ? { type: 'string', minLength, maxLength } : undefined;
}

/** Reads a pattern as validators do, or as JavaScript does where that is a syntax error. */
function regexOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/** Short texts for a pattern, each with the first alternative and the fewest repetitions. Not every one matches: check it. */
function samplesOf(pattern: string): string[] {
  // randexp knows neither named groups nor Unicode properties: a letter, a capital or a digit stands for the latter.
  const plain = pattern.replace(/\(\?<\w+>/g, '(');
  return ['a', 'A', '1'].flatMap((char) => {
    try {
      const generator = new RandExp(plain.replace(/\\p\{\w+\}/g, char));
      generator.randInt = (least) => least;
      return generator.gen();
    } catch {
      return [];
    }
  });
}

function listOf(schema: JsonSchema, resolve: Resolve, name: string): JsonSchema | undefined {
  const {
    minItems = 0,
    maxItems = 1,
    items,
    prefixItems,
  } = schema as {
    minItems?: number;
    maxItems?: number;
    items?: JsonSchema;
    prefixItems?: JsonSchema[];
  };
  if (prefixItems) {
    const values = prefixItems.map((item) => exampleOf(item, resolve));
    return values.includes(undefined) ? undefined : { example: values };
  }
  const item = maxItems === 0 ? undefined : withSamples(items ?? {}, resolve, name.replace(/s$/, ''));
  if (item) return { type: 'array', items: item, minItems: Math.max(minItems, 1) };
  return minItems === 0 ? { example: [] } : undefined;
}

function objectOf(schema: JsonSchema, resolve: Resolve): JsonSchema | undefined {
  const {
    required = [],
    properties = {},
    additionalProperties,
  } = schema as {
    required?: string[];
    properties?: Record<string, JsonSchema>;
    additionalProperties?: JsonSchema | boolean;
  };
  const sampled: Record<string, JsonSchema> = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = withSamples(property, resolve, name);
    if (value) sampled[name] = value;
    else if (required.includes(name)) return undefined;
  }
  if (Object.keys(sampled).length > 0 || !isSchema(additionalProperties) || Object.keys(additionalProperties).length === 0)
    return { type: 'object', properties: sampled };
  // A map is by locale, where nothing else is said.
  const value = exampleOf(additionalProperties, resolve);
  return { example: value === undefined ? {} : { ro: value } };
}
