import {
  type Field,
  type FieldMode,
  f,
  type Locales,
  Problem,
  parseBody,
  parseParameter,
  parseQuery,
  type QueryParser,
  type RateLimit,
  type ResponseFilter,
  type Route,
  responseFilter,
  type SchemaLike,
  type Shape,
  uuidPattern,
} from '@storeloom/plugin-sdk';
import findMyWay from 'find-my-way';
import type { KoaMiddleware } from './koa-handler.ts';

export type Family = 'admin' | 'storefront' | 'super-admin' | 'auth' | 'system' | 'webhooks' | 'core';

export interface MountedRoute {
  readonly family: Family;
  /** Null for the core's own routes. */
  readonly plugin: string | null;
  readonly route: Route;
  /** `/api/admin/orders/{id}` without a trailing slash (but `/`). */
  readonly path: string;
  /** For routes declared with `router(r)`: runs instead of the route's handler. */
  readonly middleware?: KoaMiddleware;
}

/** A route with everything that can be computed before the first request. */
export interface CompiledRoute extends MountedRoute {
  readonly prefix: string;
  readonly writes: boolean;
  readonly limits: readonly RateLimit[];
  parseParams(params: Record<string, string | undefined>): Record<string, string>;
  parseQuery(query: URLSearchParams): unknown;
  /** Undefined if the route accepts no body. */
  readonly parseBody: ((value: unknown, tenant: Locales | undefined) => Promise<unknown>) | undefined;
  /** Removes what the response of this status doesn't declare. */
  declared(status: number, body: unknown): unknown;
}

export const prefixes: Readonly<Record<Family, string>> = {
  admin: '/api/admin',
  storefront: '/api/storefront',
  'super-admin': '/api/super-admin',
  auth: '/api/auth',
  system: '',
  webhooks: '/api/webhooks',
  core: '',
};

export function normalPath(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function compileRoute(
  mounted: MountedRoute,
  find: (name: string) => MountedRoute | undefined,
  onUndeclared: UndeclaredListener | undefined,
): CompiledRoute {
  const { route, path } = mounted;
  const { options } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const declared = (options.params ?? {}) as Shape;
  const query = options.query;
  const partial = options.partial ?? route.method === 'PATCH';
  const takesBody = route.method !== 'GET' && !options.rawBody;
  const schema = options.body as SchemaLike | undefined;
  return {
    ...mounted,
    prefix: path.startsWith('/api/v1/') ? `/api/v1${prefixes[mounted.family].slice(4)}` : prefixes[mounted.family],
    writes: route.method !== 'GET' || options.writes === true,
    limits:
      options.rateLimit === undefined
        ? []
        : Array.isArray(options.rateLimit)
          ? (options.rateLimit as RateLimit[])
          : [options.rateLimit as RateLimit],
    parseParams(params) {
      const values: Record<string, string> = {};
      for (const name of names) {
        const raw = params[name] ?? '';
        const field = declared[name] as Field<unknown, FieldMode> | undefined;
        if (field) {
          const value = raw.includes('\0') ? undefined : parseParameter(field.spec, raw);
          if (value === undefined) throw new Problem('not_found');
          values[name] = value as string;
        } else if (uuidPattern.test(raw)) values[name] = raw;
        else throw new Problem('not_found');
      }
      return values;
    },
    parseQuery:
      query !== undefined && isParser(query)
        ? (given) => query.parse(given)
        : options.list === true && route.method === 'GET' && !Object.hasOwn(query ?? {}, 'limit')
          ? (given) => unpaged((query ?? {}) as Shape, given)
          : (given) => parseQuery((query ?? {}) as Shape, given),
    parseBody: !takesBody
      ? undefined
      : schema === undefined
        ? async (value) => parseBody({}, value, { partial: true })
        : async (value, tenant) => parseBody(schema, value, { partial, ...(tenant ? { tenant } : {}) }),
    declared: compileResponses(mounted, find, onUndeclared),
  };
}
/** Returns the filter of a route's responses by their status. The response of another route is filtered by that route's schema. */
function compileResponses(
  { route: { method, options }, path }: MountedRoute,
  find: (name: string) => MountedRoute | undefined,
  onUndeclared: UndeclaredListener | undefined,
): CompiledRoute['declared'] {
  const { response, list, otherResponses = {}, sameAs } = options;
  const report = onUndeclared && ((property: string) => onUndeclared(`${method} ${path}`, property));
  const schema = sameAs?.response === undefined ? response : find(sameAs.response)?.route.options.response;
  const filter = schema && responseFilter(schema);
  const main = filter && list ? pageFilter(filter) : filter;
  const others = new Map(Object.entries(otherResponses).map(([status, other]) => [Number(status), responseFilter(other)]));
  return (status, body) => {
    const found = others.has(status) ? others.get(status) : main;
    return found ? found(body, report) : body;
  };
}
function pageFilter(row: ResponseFilter): ResponseFilter {
  return (value, report) => {
    const { data, page, warnings } = value as { data?: unknown; page?: unknown; warnings?: unknown };
    if (!Array.isArray(data)) return value;
    return { data: data.map((each) => row(each, report)), page, ...(warnings === undefined ? {} : { warnings }) };
  };
}
const anyLimit = f.int({ min: 1, max: 100 }).optional();
/** A list that never pages accepts `limit` like every other one, and returns all rows. */
function unpaged(query: Shape, given: URLSearchParams): unknown {
  const { limit: _, ...values } = parseQuery({ ...query, limit: anyLimit }, given);
  return values;
}
function isParser(query: Shape | QueryParser): query is QueryParser {
  return typeof (query as QueryParser).parse === 'function';
}

/** Called with the route (`GET /api/admin/orders/{id}`) and the path of a property that a handler returned but the response doesn't declare. */
export type UndeclaredListener = (route: string, property: string) => void;

type RouteMatch = { route: CompiledRoute; params: Record<string, string | undefined> };
export interface RouteTable {
  match(method: string, path: string): RouteMatch | undefined;
  /** Methods of the path, for 405. */
  allowed(path: string): string[];
  readonly routes: readonly CompiledRoute[];
}

/** A route's method and path, without the names of parameters. */
const bareName = (method: string, path: string): string => `${method} ${normalPath(path.replace(/\{\w+\}/g, '{}'))}`;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Compiles all routes into one tree. Static segments win over parameters, independent of registration order. */
export function compileRoutes(mounted: readonly MountedRoute[], onUndeclared?: UndeclaredListener): RouteTable {
  const router = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 500,
  });
  const named = new Map(mounted.map((each) => [bareName(each.route.method, each.path), each]));
  const find = (name: string): MountedRoute | undefined => {
    const [method = '', path = ''] = name.split(' ');
    return named.get(bareName(method, path));
  };
  const routes = mounted.map((each) => compileRoute(each, find, onUndeclared));
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    router.on(route.route.method, path, () => undefined, route);
  }
  const lookUp = (method: (typeof methods)[number], path: string): RouteMatch | undefined => {
    const found = router.find(method, path);
    return found ? { route: found.store as CompiledRoute, params: found.params } : undefined;
  };
  return {
    routes,
    match: (method, path) =>
      method === 'HEAD' ? lookUp('GET', path) : methods.includes(method as 'GET') ? lookUp(method as 'GET', path) : undefined,
    allowed(path) {
      const allow = methods.filter((method) => lookUp(method, path) !== undefined) as string[];
      if (allow.includes('GET')) allow.splice(1, 0, 'HEAD');
      return allow;
    },
  };
}
