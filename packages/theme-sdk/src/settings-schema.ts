import { z } from 'zod';

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What of a schema says more of a text than JSON Schema checks. */
const marks = {
  format: (value: unknown) => typeof value === 'string' && /^[ui]ri/.test(value),
  contentMediaType: (value: unknown) => typeof value === 'string',
  'x-translatable': (value: unknown) => value === true,
  'x-ref': (value: unknown) => value !== undefined,
};
const marksOf = (schema: Schema): string[] =>
  Object.entries(marks).flatMap(([name, isSet]) => (Object.hasOwn(schema, name) && isSet(schema[name]) ? [name] : []));

/**
 * Why values can't be read by a schema, with a pointer to the place; undefined where they can. A value is looked after (an address, HTML, a
 * text by language, a row) by the marks that stand on its way through `properties` and `items`: one anywhere else would count for nothing.
 */
export function unreadable(schema: Schema, at = ''): string | undefined {
  const { properties, items, default: _default, const: _const, enum: _enum, examples: _examples, ...others } = schema;
  const found = marksOf(schema);
  if (found.length > 0 && schema.type !== 'string') return `${at}: ${found.join(', ')} must stand with "type": "string"`;
  if (found.includes('format') && schema.format !== 'uri') return `${at}: an address has the format uri`;
  if (found.includes('contentMediaType') && schema.contentMediaType !== 'text/html')
    return `${at}: a text is plain, or text/html`;
  if (Object.hasOwn(others, '$ref')) return `${at}: $ref is not followed`;
  const below: [string, unknown][] = isSchema(properties)
    ? Object.entries(properties).map(([name, member]) => [`${at}/properties/${name}`, member])
    : [];
  if (isSchema(items)) below.push([`${at}/items`, items]);
  else others.items = items;
  for (const [name, value] of Object.entries(others))
    if (hidesMarks(value)) return `${at}/${name}: what is marked, or has a $ref, must stand in properties or items`;
  for (const [path, value] of below) {
    const why = isSchema(value) ? unreadable(value, path) : undefined;
    if (why !== undefined) return why;
  }
  return undefined;
}
function hidesMarks(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hidesMarks);
  return (
    isSchema(value) && (typeof value.$ref === 'string' || marksOf(value).length > 0 || Object.values(value).some(hidesMarks))
  );
}

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
  const { type, minLength, maxLength, pattern, ...others } = schema;
  const text = Object.fromEntries(
    Object.entries({ type, minLength, maxLength, pattern, format: schema.format }).filter(([, value]) => value !== undefined),
  );
  const byLocale = {
    type: 'object',
    minProperties: 1,
    propertyNames: { type: 'string', pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' },
    additionalProperties: text,
  };
  return { ...others, anyOf: [text, byLocale] };
}

/** What is wrong with a value by a schema, as `path: message`; undefined where nothing is. */
export function misfit(schema: Schema, value: unknown): string | undefined {
  const result = z.fromJSONSchema(schema).safeParse(value);
  if (result.success) return undefined;
  return result.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`).join('; ');
}
