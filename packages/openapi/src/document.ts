import type { EventType, SchemaLike, Shape } from '@storeloom/plugin-sdk';
import { f } from '@storeloom/plugin-sdk';
import { createComponents } from './components.ts';
import { groupOf, pascal } from './naming.ts';
import { operationOf } from './operation.ts';
import { type FindRoute, sharedParameters } from './parameters.ts';
import { createProblemResponses } from './problem-responses.ts';
import type { DocumentedRoute, ProblemTable } from './route.ts';
import { securitySchemes } from './security.ts';
import { webhooksOf } from './webhooks.ts';

export type OpenApiDocument = Record<string, unknown> & {
  openapi: string;
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>>;
};

export interface OpenApiInput {
  /** Version of the product. */
  version: string;
  /** Every mounted route, in any order; the document's order is that of the paths. */
  routes: readonly DocumentedRoute[];
  /** Receivers of providers' notifications and figures of the dashboard, where `routes` hasn't got them yet. */
  contributions?: {
    readonly inbound: readonly {
      plugin: string;
      path: string;
      methods: readonly ('GET' | 'POST')[];
      inbound: { provider: string };
    }[];
    readonly stats: readonly { plugin: string; name: string; path: string; permission: string }[];
  };
  /** Plugin → its public documents. */
  schemas?: ReadonlyMap<string, Readonly<Record<string, SchemaLike>>>;
  /** Plugin → a sentence about what it does, for the groups of its routes. */
  descriptions?: ReadonlyMap<string, string>;
  /** Event types; the public ones are described as webhooks. */
  events?: Iterable<EventType & { readonly type: string; readonly plugin: string }>;
  /** The one table of problem codes. */
  errors: ProblemTable;
  /**
   * Describe the routes and events of this plugin alone, `core` for the kernel's. What they take over from routes of other plugins is
   * resolved, and names of schemas don't depend on other plugins.
   */
  plugin?: string;
  /** Address of the installation, without a slash at its end. Default: the one that serves the document. */
  serverUrl?: string;
}

/** OpenAPI 3.1 of every route. Takes some hundred milliseconds for a thousand of them: build it when it is asked for, and keep it. */
export function buildOpenApi(input: OpenApiInput): OpenApiDocument {
  const components = createComponents(input.errors);
  const problems = createProblemResponses(input.errors);
  const paths: Record<string, Record<string, unknown>> = {};
  const groups = new Map<string, Set<string>>();
  const ids = new Set<string>();
  const routes = unified(allRoutes(input));
  const named = new Map(routes.map((mounted) => [bare(`${mounted.route.method} ${mounted.path}`), mounted]));
  const find: FindRoute = (name) => named.get(bare(name));
  const isDescribed = (plugin: string | null): boolean => input.plugin === undefined || (plugin ?? 'core') === input.plugin;
  for (const mounted of routes.filter(({ plugin }) => isDescribed(plugin))) {
    const operation = operationOf(mounted, { components, problems, find });
    const id = free(operation.operationId as string, ids);
    const item = paths[mounted.path] ?? {};
    item[mounted.route.method.toLowerCase()] = { ...operation, operationId: id };
    paths[mounted.path] = item;
    const group = groupOf(mounted);
    const owners = groups.get(group) ?? new Set();
    groups.set(group, owners.add(mounted.plugin ?? 'core'));
  }
  for (const [plugin, schemas] of [...(input.schemas ?? [])].filter(([plugin]) => isDescribed(plugin)))
    for (const [name, schema] of Object.entries(schemas))
      components.schema(`${pascal(plugin)}${pascal(name)}`, schema, 'answer', 'every-language');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Storeloom',
      version: input.version,
      summary: 'A multi-tenant commerce framework.',
      description:
        'Every route that this installation serves, with the plugin that owns it. A path answers with and without a slash at its end; `HEAD` answers wherever `GET` does.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: input.serverUrl ?? '/', description: 'This installation.' }],
    tags: [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, owners]) => ({ name, description: sentencesOf(owners, input.descriptions) })),
    paths,
    webhooks: webhooksOf(
      [...(input.events ?? [])].filter(({ plugin }) => isDescribed(plugin)),
      components,
      ids,
    ),
    components: {
      schemas: components.schemas,
      responses: problems.responses,
      parameters: sharedParameters,
      headers,
      securitySchemes,
    },
    'x-problems': Object.fromEntries(
      [...input.errors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, { status, title }]) => [code, { status, title }]),
    ),
  };
}

const core = 'Health, metrics, errors, files and this document.';
/** Describes a group by its plugins. */
function sentencesOf(owners: ReadonlySet<string>, descriptions: OpenApiInput['descriptions']): string {
  return [...owners]
    .sort()
    .map((owner) => (owner === 'core' ? core : (descriptions?.get(owner) ?? `Routes of the plugin ${owner}.`)))
    .join(' ');
}

/** A path without the slash at its end and the names of its parameters. */
const bare = (name: string): string => name.replace(/\{\w+\}/g, '{}').replace(/(?<=.)\/$/, '');

function free(id: string, taken: Set<string>): string {
  let one = id;
  for (let n = 2; taken.has(one); n++) one = `${id}${n}`;
  taken.add(one);
  return one;
}

const period: Shape = {
  from: f.date().optional().describe('First day, in the zone of the shop.'),
  to: f.date().optional().describe('Last day.'),
};
const figures: Shape = {
  metrics: f.json().describe('Figures by name.'),
  series: f.json().optional().describe('Figures by day.'),
  lists: f.json().optional().describe('Rows by the name of their list.'),
  masked: f.list(f.text()).optional().describe('Figures that the caller may not see.'),
};

function allRoutes(input: OpenApiInput): DocumentedRoute[] {
  const known = new Set(input.routes.map((mounted) => `${mounted.route.method} ${mounted.path}`));
  const extra: DocumentedRoute[] = [];
  const add = (mounted: DocumentedRoute): void => {
    if (!known.has(`${mounted.route.method} ${mounted.path}`)) extra.push(mounted);
  };
  const handler = (): never => {
    throw new Error('a documented route is not called');
  };
  for (const { plugin, path, methods, inbound } of input.contributions?.inbound ?? []) {
    for (const method of methods)
      add({
        family: 'webhooks',
        plugin,
        path,
        route: {
          method,
          path,
          handler,
          options: { summary: method === 'GET' ? `Handshake of ${inbound.provider}` : `Notification of ${inbound.provider}` },
        },
      });
  }
  for (const { plugin, name, path, permission } of input.contributions?.stats ?? []) {
    add({
      family: 'admin',
      plugin,
      path,
      route: {
        method: 'GET',
        path,
        handler,
        options: { permission, summary: `Figures: ${name}`, query: period, response: figures },
      },
    });
  }
  return [...input.routes, ...extra];
}

/** OpenAPI takes two spellings of one path for two paths: parameters get the names of the first route of that shape. */
function unified(routes: readonly DocumentedRoute[]): DocumentedRoute[] {
  const sorted = [...routes].sort((a, b) => (a.path === b.path ? order(a) - order(b) : a.path < b.path ? -1 : 1));
  const spelled = new Map<string, string>();
  return sorted.map((mounted) => {
    const shape = mounted.path.replace(/\{\w+\}/g, '{}');
    const path = spelled.get(shape) ?? mounted.path;
    spelled.set(shape, path);
    return path === mounted.path ? mounted : { ...mounted, path, route: renamed(mounted, path) };
  });
}
const order = ({ route }: DocumentedRoute): number => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(route.method);

function renamed({ route, path }: DocumentedRoute, to: string): DocumentedRoute['route'] {
  const params = route.options.params as Shape | undefined;
  if (!params) return route;
  const names = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const [before, after] = [names(path), names(to)];
  const moved = Object.fromEntries(Object.entries(params).map(([name, field]) => [after[before.indexOf(name)] ?? name, field]));
  return { ...route, options: { ...route.options, params: moved } };
}

const headers: Record<string, Record<string, unknown>> = {
  RequestId: { description: 'Names this request in logs and in support.', schema: { type: 'string' } },
  ETag: { description: 'The version, for `If-Match` and `If-None-Match`.', schema: { type: 'string' } },
  Link: { description: 'RFC 8288, `rel="next"`.', schema: { type: 'string' } },
  Location: { description: 'Where the new thing is.', schema: { type: 'string' } },
  IdempotencyReplayed: {
    description: '`true` for the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  RateLimitPolicy: { description: 'The limits of the route, `"default";q=100;w=60`.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of them, `"default";r=50;t=30`.', schema: { type: 'string' } },
};
