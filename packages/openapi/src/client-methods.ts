import type { OpenApiDocument } from './document.ts';

/** One operation of the document, as `@storeloom/client` calls it. */
export interface ClientMethod {
  /** Short name of the plugin; `core` for the kernel. */
  readonly plugin: string;
  readonly family: ClientFamily;
  /** `orders.packingSlip`. */
  readonly name: string;
  /** `GET`. */
  readonly method: string;
  /** Full path: `/api/admin/orders/{id}/packing-slip`. */
  readonly path: string;
  /** Path below the family's prefix, as the document spells it. */
  readonly below: string;
  readonly operation: Operation;
}

export type ClientFamily = 'admin' | 'storefront' | 'superAdmin' | 'auth' | 'system';

export type Schema = Record<string, unknown>;
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
  readonly 'x-plugin'?: string;
  readonly 'x-permission'?: string;
  readonly 'x-mirror-of'?: string;
}

const families: readonly (readonly [prefix: string, family: ClientFamily])[] = [
  ['/api/admin', 'admin'],
  ['/api/storefront', 'storefront'],
  ['/api/super-admin', 'superAdmin'],
  ['/api/auth', 'auth'],
];
/** Families whose first segment is the group of a resource; in the others the family is. */
const grouped: ReadonlySet<ClientFamily> = new Set(['admin', 'storefront', 'superAdmin']);

/** Names that an object or function has already, or that make it a thenable. */
const reserved = new Set(
  'then call apply bind prototype constructor arguments caller name length toString valueOf __proto__ as auth system cartToken'.split(
    ' ',
  ),
);

/**
 * Returns the methods of every operation but provider webhooks and the mirror under `/api/v1`, sorted by family and name. The name is a
 * function of the operation alone, so that a new route never renames an old one:
 *
 * - static segments of the path in camelCase are namespaces, parameters are arguments;
 * - GET of a list is `list`; GET, PATCH, PUT, DELETE and POST of a path that ends in a parameter are `get`, `update`, `replace`, `remove` and
 *   `post`; of a group (`/api/admin/orders`) GET and POST are `get` and `create`;
 * - PATCH, PUT and DELETE of other paths are `update`, `replace` and `remove` below the last segment;
 * - POST with status 201 to a plural (`/orders/{id}/items`) is `create` below it;
 * - any other GET or POST is called as its last segment: `orders.packingSlip(id)`.
 *
 * @throws Error if two operations have one name, or a name is reserved
 */
export function clientMethods(document: OpenApiDocument): ClientMethod[] {
  const methods: ClientMethod[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    if (path === '/api/webhooks' || path.startsWith('/api/webhooks/')) continue;
    for (const [verb, value] of Object.entries(item)) {
      const operation = value as Operation;
      if (operation['x-mirror-of'] !== undefined) continue;
      const [prefix, family] = families.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [
        '',
        'system' as const,
      ];
      const below = path.slice(prefix.length);
      const method = verb.toUpperCase();
      const name = nameOf(method, below, family, operation);
      methods.push({ plugin: operation['x-plugin'] ?? 'core', family, name, method, path, below, operation });
    }
  }
  methods.sort((a, b) => compare(a.family, b.family) || compare(a.name, b.name));
  check(methods);
  return methods;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function nameOf(method: string, below: string, family: ClientFamily, operation: Operation): string {
  const segments = (family === 'system' ? below.replace(/^\/api(?=\/)/, '') : below).split('/').filter(Boolean);
  const names = segments.filter((segment) => !segment.startsWith('{')).map(camel);
  const last = segments.at(-1) ?? '';
  const verb = verbOf(method, { operation, last, isGroup: grouped.has(family) && segments.length === 1 });
  const steps = verb === undefined ? names : [...names, verb];
  return steps.length === 0 ? 'root' : steps.join('.');
}

function verbOf(
  method: string,
  { operation, last, isGroup }: { operation: Operation; last: string; isGroup: boolean },
): string | undefined {
  const isParameter = last.startsWith('{');
  switch (method) {
    case 'GET':
      return rowOf(operation) ? 'list' : isParameter || isGroup ? 'get' : undefined;
    case 'POST':
      if (isParameter) return 'post';
      return isGroup || ('201' in operation.responses && last.endsWith('s')) ? 'create' : undefined;
    case 'PATCH':
      return 'update';
    case 'PUT':
      return 'replace';
    default:
      return 'remove';
  }
}

/** Schema of a list's rows; undefined for an operation that returns no list. */
export function rowOf({ responses }: Operation): Schema | undefined {
  const { properties } = (responses['200']?.content?.['application/json']?.schema ?? {}) as {
    properties?: Record<string, Schema>;
  };
  return properties?.page && properties.data?.type === 'array' ? (properties.data.items as Schema) : undefined;
}

/** `gift-cards` → `giftCards`. */
function camel(segment: string): string {
  return segment.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '');
}

function check(methods: readonly ClientMethod[]): void {
  const known = new Map<string, ClientMethod>();
  const faults: string[] = [];
  for (const one of methods) {
    const label = `${one.method} ${one.path} (${one.plugin})`;
    const full = `${one.family}.${one.name}`;
    const other = known.get(full);
    if (other) faults.push(`${label} and ${other.method} ${other.path} (${other.plugin}) are both ${full}`);
    known.set(full, one);
    const taken = one.name.split('.').find((step) => reserved.has(step));
    if (taken !== undefined) faults.push(`${label} would be ${full}, and ${taken} is reserved`);
  }
  if (faults.length > 0)
    throw new Error(`The client can't name these operations:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
}
