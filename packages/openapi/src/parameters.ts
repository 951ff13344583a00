import {
  Field,
  type FieldMode,
  type FieldSpec,
  type ListFilter,
  type ListOptions,
  type Operator,
  type QueryLike,
  type QueryParser,
  type Shape,
} from '@storeloom/plugin-sdk';
import { exampleOf } from './example.ts';
import { fieldJsonSchema, type JsonSchema } from './json-schema.ts';
import type { DocumentedRoute } from './route.ts';

export type Parameter = Record<string, unknown>;
type AnyField = Field<unknown, FieldMode>;

const shared = (name: string): Parameter => ({ $ref: `#/components/parameters/${name}` });

/** Parameters that many operations share. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'Rows of a page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    example: 20,
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: '`page.nextCursor` of the page before.',
    schema: { type: 'string', maxLength: 4000 },
  },
  Total: {
    name: 'total',
    in: 'query',
    description: 'Counts all rows too.',
    schema: { type: 'boolean', default: false },
    example: true,
  },
  Search: {
    name: 'q',
    in: 'query',
    description: 'Searches the text of the rows.',
    schema: { type: 'string', maxLength: 200 },
    example: 'shirt',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and body give the stored answer again for 24 hours.',
    schema: { type: 'string', minLength: 8, maxLength: 128 },
    example: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Version that is expected, as the `ETag` gave it.',
    schema: { type: 'string', pattern: '^(W/)?"\\d{1,9}"$|^\\*$' },
    example: '"3"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` that the caller holds: 304 if it is still right.',
    schema: { type: 'string' },
    example: '"3"',
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Texts come in the best of the languages of the shop, else in its default.',
    schema: { type: 'string' },
    example: 'ro',
  },
};

/** Finds a mounted route by `GET /api/storefront/products/`, with or without the slash at its end. */
export type FindRoute = (name: string) => DocumentedRoute | undefined;

/** The query parameters that are another route's, where that is mounted. */
function borrowed({ route }: DocumentedRoute, find: FindRoute, own: readonly Parameter[]): Parameter[] {
  const { query, without = [] } = route.options.sameAs ?? {};
  const referenced = query === undefined ? undefined : find(query)?.route.options.query;
  if (referenced === undefined) return [];
  const known = new Set([...own.map(nameOfParameter), ...without]);
  return queryParameters(referenced).filter((parameter) => !known.has(nameOfParameter(parameter)));
}
function nameOfParameter({ name, $ref }: Parameter): unknown {
  return name ?? sharedParameters[String($ref).split('/').at(-1) as string]?.name;
}

const unpagedLimit: Parameter = {
  name: 'limit',
  in: 'query',
  description: 'Accepted as on every list. This list isn’t paged: it has all rows.',
  schema: { type: 'integer', minimum: 1, maximum: 100 },
  example: 100,
};
const isOwnParser = (query: QueryLike | undefined): boolean =>
  typeof (query as { parse?: unknown } | undefined)?.parse === 'function';

/** Everything that an operation takes besides its body. */
export function parametersOf(mounted: DocumentedRoute, { find, tagged }: { find: FindRoute; tagged: boolean }): Parameter[] {
  const { route, path, family } = mounted;
  const { options } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const parameters = inPath.map((name): Parameter => pathParameter(name, (options.params as Shape | undefined)?.[name]));
  const own = options.query === undefined ? [] : queryParameters(options.query);
  parameters.push(...own, ...borrowed(mounted, find, own));
  if (
    route.method === 'GET' &&
    options.list &&
    !parameters.some((each) => nameOfParameter(each) === 'limit') &&
    !isOwnParser(options.query)
  )
    parameters.push(unpagedLimit);
  if (takesKey(mounted)) parameters.push(shared('IdempotencyKey'));
  if (takesVersion(mounted)) parameters.push(shared('IfMatch'));
  if (tagged) parameters.push(shared('IfNoneMatch'));
  if (family === 'storefront') parameters.push(shared('AcceptLanguage'));
  return parameters;
}

const resources: ReadonlySet<string> = new Set(['admin', 'storefront', 'super-admin']);
/** Whether the operation honours `Idempotency-Key`. */
export function takesKey({ route, family }: DocumentedRoute): boolean {
  return route.method === 'POST' && route.options.idempotent !== false && resources.has(family);
}
/** Whether the operation honours `If-Match`. */
export function takesVersion({ route, family, path }: DocumentedRoute): boolean {
  return (
    (route.method === 'PATCH' || route.method === 'PUT' || route.method === 'DELETE') &&
    resources.has(family) &&
    path.includes('{')
  );
}
function pathParameter(name: string, field: AnyField | undefined): Parameter {
  const schema = field ? valueSchema(name, field) : { type: 'string', format: 'uuid' };
  return withExample({ name, in: 'path', required: true, schema }, name);
}

function withExample(parameter: Parameter, name: string): Parameter {
  const example = exampleOf(
    { type: 'object', properties: { [name]: parameter.schema as JsonSchema }, required: [name] },
    () => undefined,
  ) as Record<string, unknown> | undefined;
  return example && name in example ? { ...parameter, example: example[name] } : parameter;
}

/** What a value of the field looks like in a query: amounts of money are whole minor units, lists are separated by commas. */
function valueSchema(name: string, field: AnyField): JsonSchema {
  const { spec } = field;
  if (spec.kind === 'money') return { type: 'integer', description: 'Minor units.' };
  if (spec.kind === 'list') return { type: 'array', items: valueSchema(name, spec.item as AnyField), maxItems: spec.max ?? 500 };
  return fieldJsonSchema(name, plain(spec));
}
function plain({ example, ...spec }: FieldSpec): AnyField {
  // Null is the example of a body that leaves the property out, and of a parameter that has no example.
  return new Field({
    ...spec,
    ...(example === undefined || example === null ? {} : { example }),
    nullable: false,
    hasDefault: false,
    readonly: false,
    translatable: false,
  });
}

function isList(query: QueryLike): query is QueryLike & { options: ListOptions<Shape> } {
  return (
    typeof (query as { parse?: unknown }).parse === 'function' &&
    typeof (query as { options?: { defaultSort?: unknown } }).options?.defaultSort === 'string'
  );
}

function queryParameters(query: QueryLike): Parameter[] {
  if (typeof (query as QueryParser).parse !== 'function') return shapeParameters(query as Shape);
  return [...(isList(query) ? listParameters(query.options) : []), ...shapeParameters((query as QueryParser).describes ?? {})];
}

function shapeParameters(shape: Shape): Parameter[] {
  return Object.entries(shape).map(([name, field]) => {
    const { spec } = field;
    if (name === '*' || spec.kind === 'json') return freeParameter(name, spec.description);
    const schema = valueSchema(name, field);
    if (spec.hasDefault && spec.defaultValue !== null && spec.defaultValue !== undefined) schema.default = spec.defaultValue;
    const required = !spec.hasDefault && !spec.nullable;
    const more = {
      ...(required ? { required } : {}),
      ...(spec.description ? { description: spec.description } : {}),
    };
    return spec.example === null ? withStyle(name, schema, more) : query(name, schema, more);
  });
}

/** A parameter with free keys, such as `option[Size]=M`, or any other parameter. */
function freeParameter(name: string, description: string | undefined): Parameter {
  const schema: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };
  const style = name === '*' ? { name: 'others', style: 'form' } : { name, style: 'deepObject' };
  return { ...style, in: 'query', explode: true, ...(description ? { description } : {}), schema };
}

function query(name: string, schema: JsonSchema, more: Parameter = {}): Parameter {
  return withExample(withStyle(name, schema, more), name);
}

function withStyle(name: string, schema: JsonSchema, more: Parameter): Parameter {
  return { name, in: 'query', ...more, ...(schema.type === 'array' ? { style: 'form', explode: false } : {}), schema };
}

function listParameters(options: ListOptions<Shape>): Parameter[] {
  const parameters: Parameter[] = [shared('Limit'), shared('Cursor'), shared('Total')];
  if (options.search) parameters.push(shared('Search'));
  const sorts = Object.keys(options.sorts ?? {});
  if (sorts.length > 0)
    parameters.push(
      query(
        'sort',
        {
          type: 'array',
          items: { type: 'string', enum: sorts.flatMap((name) => [name, `-${name}`]) },
          uniqueItems: true,
          default: options.defaultSort.split(','),
        },
        { description: '`-` sorts downwards.' },
      ),
    );
  // `?total=` asks for the count, so a filter of that name is written with an operator.
  for (const [name, filter] of Object.entries(options.filters ?? {}))
    for (const operator of operatorsOf(filter))
      if (operator !== 'eq' || !taken.has(name)) parameters.push(filterParameter(name, filter, operator));
  return [...parameters, ...shapeParameters(options.extra ?? {})];
}

/** What a list reads for itself. */
const taken: ReadonlySet<string> = new Set(['limit', 'cursor', 'sort', 'q', 'total']);
const ordered: ReadonlySet<string> = new Set(['int', 'ppm', 'bp', 'money', 'instant', 'date', 'decimal']);
function operatorsOf(filter: ListFilter): readonly Operator[] {
  return (
    filter.operators ?? (ordered.has(filter.field.spec.kind) ? ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] : ['eq', 'ne', 'in'])
  );
}
const meanings: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  in: 'is one of',
};

function filterParameter(name: string, filter: ListFilter, operator: Operator): Parameter {
  const { spec } = filter.field;
  const schema = valueSchema(name, spec.kind === 'list' ? (spec.item as AnyField) : filter.field);
  const full = operator === 'eq' ? name : `${name}[${operator}]`;
  const description = `Rows whose \`${name}\` ${meanings[operator]} ${operator === 'in' ? 'these, separated by commas (in a value written `\\,`)' : 'this'}.`;
  return operator === 'in'
    ? query(full, { type: 'array', items: schema, minItems: 1, maxItems: 100 }, { description })
    : query(full, schema, { description });
}
