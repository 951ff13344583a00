import { z } from 'zod';

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The schema of what staff may write: members that it doesn't name are refused unless it says otherwise, and a text marked
 * `x-translatable` is one text for the shop's own language or one for each. All of it stays JSON Schema.
 */
export function writable(schema: Schema): Schema {
  if (schema['x-translatable'] === true && schema.type === 'string') return translatable(schema);
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isSchema(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, isSchema(member) ? writable(member) : member]),
          ),
          additionalProperties: schema.additionalProperties ?? false,
        }
      : {}),
    ...(isSchema(items) ? { items: writable(items) } : {}),
  };
}

function translatable(schema: Schema): Schema {
  const { type, minLength, maxLength, pattern, format, ...marks } = schema;
  const text = Object.fromEntries(
    Object.entries({ type, minLength, maxLength, pattern, format }).filter(([, value]) => value !== undefined),
  );
  const byLocale = {
    type: 'object',
    minProperties: 1,
    propertyNames: { type: 'string', pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' },
    additionalProperties: text,
  };
  return { ...marks, anyOf: [text, byLocale] };
}

/** What is wrong with a value by a schema, as `path: message`; undefined where nothing is. */
export function misfit(schema: Schema, value: unknown): string | undefined {
  const result = z.fromJSONSchema(schema).safeParse(value);
  if (result.success) return undefined;
  return result.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`).join('; ');
}
