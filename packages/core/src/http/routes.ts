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
  type Route,
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

function compileRoute(mounted: MountedRoute): CompiledRoute {
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

type RouteMatch = { route: CompiledRoute; params: Record<string, string | undefined> };
export interface RouteTable {
  match(method: string, path: string): RouteMatch | undefined;
  /** Methods of the path, for 405. */
  allowed(path: string): string[];
  readonly routes: readonly CompiledRoute[];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Compiles all routes into one tree. Static segments win over parameters, independent of registration order. */
export function compileRoutes(mounted: readonly MountedRoute[]): RouteTable {
  const router = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 500,
  });
  const routes = mounted.map(compileRoute);
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    router.on(route.route.method, path, () => undefined, route);
  }
  const find = (method: (typeof methods)[number], path: string): RouteMatch | undefined => {
    const found = router.find(method, path);
    return found ? { route: found.store as CompiledRoute, params: found.params } : undefined;
  };
  return {
    routes,
    match: (method, path) =>
      method === 'HEAD' ? find('GET', path) : methods.includes(method as 'GET') ? find(method as 'GET', path) : undefined,
    allowed(path) {
      const allow = methods.filter((method) => find(method, path) !== undefined) as string[];
      if (allow.includes('GET')) allow.splice(1, 0, 'HEAD');
      return allow;
    },
  };
}
