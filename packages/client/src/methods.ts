import { downloadOf } from './download.ts';
import { Pages } from './pages.ts';
import { queryOf } from './query.ts';
import { type Call, type Connection, jsonOf, send } from './transport.ts';
import type { CallOptions, Page } from './values.ts';

/** Prefixes of the families of routes. */
export const prefixes = {
  admin: '/api/admin',
  storefront: '/api/storefront',
  superAdmin: '/api/super-admin',
  auth: '/api/auth',
  system: '',
} as const;

interface RouteLine {
  method: string;
  path: string;
  /** `l` list, `b` body, `u` upload of a file, `q` query, `k` keyed POST, `f` file, `r` redirect. */
  flags: string;
  textType: string | undefined;
}
interface Namespace {
  [name: string]: unknown;
}

/** Builds the methods of a table: nested namespaces, each of which may be a method too (`settings.store()`, `settings.store.replace()`). */
export function methodsOf(connection: Connection, prefix: string, tables: readonly string[]): Namespace {
  const root: Namespace = {};
  for (const line of tables.join('\n').split('\n')) {
    if (line === '') continue;
    const [name, method, path, flags = '', textType] = line.split(' ') as [string, string, string, string?, string?];
    const call = methodOf(connection, { method, path: prefix + path, flags, textType });
    const steps = name.split('.');
    const last = steps.pop() as string;
    let parent = root;
    for (const step of steps) parent = define(parent, step, parent[step] ?? {}) as Namespace;
    const present = parent[last];
    // A namespace that exists already becomes a method with the same properties.
    // cast: a function with the methods below it as properties is both a method and a namespace.
    if (present) for (const [key, value] of Object.entries(present)) define(call as unknown as Namespace, key, value);
    define(parent, last, call);
  }
  return root;
}

/** `name` and other properties of functions can't be assigned. */
function define(target: Namespace, key: string, value: unknown): unknown {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
}

function methodOf(connection: Connection, { method, path, flags, textType }: RouteLine): (...args: unknown[]) => unknown {
  const has = (flag: string): boolean => flags.includes(flag);
  const parameters = path.split('{}').length - 1;
  return (...args) => {
    const ids = args.splice(0, parameters);
    const filled = path.replaceAll('{}', () => encodeURIComponent(idOf(ids.shift(), `${method} ${path}`)));
    const body = has('b') ? args.shift() : undefined;
    const query = has('q') ? (args.shift() as Record<string, unknown> | undefined) : undefined;
    const options = (args.shift() ?? {}) as CallOptions;
    const call: Call = {
      method,
      path: filled,
      query,
      body: has('u') && body instanceof Blob ? formOf(body) : body,
      textType,
      isKeyed: has('k'),
      options,
    };
    if (has('l'))
      return new Pages((cursor) =>
        send(
          connection,
          cursor === undefined ? call : { ...call, query: { ...query, cursor } },
          jsonOf as () => Promise<Page<unknown>>,
        ),
      );
    if (has('r')) return urlOf(connection, call);
    return send(connection, call, has('f') ? fileOf : jsonOf).then((value) => {
      connection.onJson?.(value);
      return value;
    });
  };
}

/** An empty id would address the list instead of one row. */
function idOf(value: unknown, route: string): string {
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  throw new TypeError(`${route}: each {} needs a text or a number, and one is ${value === '' ? 'empty' : String(value)}`);
}

/** A file, or the JSON that says when it will be ready. */
async function fileOf(response: Response): Promise<unknown> {
  return /^application\/json/.test(response.headers.get('content-type') ?? '') ? jsonOf(response) : downloadOf(response);
}

function formOf(file: Blob): FormData {
  const form = new FormData();
  form.append('file', file);
  return form;
}

const urlOf = ({ baseUrl }: Connection, { path, query }: Call): string => `${baseUrl}${path}${queryOf(query)}`;
