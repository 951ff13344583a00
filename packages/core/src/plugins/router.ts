import { Router } from '@koa/router';
import { thrownMessage } from '@storeloom/keys';
import type { Method, Plugin, Route } from '@storeloom/plugin-sdk';
import { createRouter, optionsOf, type PluginRouters, type RouterRouteOptions } from '@storeloom/plugin-sdk/router';
import compose from 'koa-compose';
import type { KoaMiddleware, RouterContext } from '../http/koa-handler.ts';
import { type Family, prefixes } from '../http/routes.ts';

type Layer = Router['stack'][number];
type Wrong = (problem: string) => void;

const families = {
  admin: 'admin',
  storefront: 'storefront',
  superAdmin: 'super-admin',
  auth: 'auth',
  system: 'system',
} as const satisfies Record<keyof PluginRouters, Family>;

/** A route that a plugin declared on one of its routers. */
export interface RouterRoute {
  readonly family: (typeof families)[keyof PluginRouters];
  readonly route: Route;
  readonly middleware: KoaMiddleware;
}

/**
 * The routes of a plugin's `router(r)`. Each is read from the router's stack, so that middleware, `param`, prefixes and nested routers
 * are resolved by @koa/router itself; only the matching is the kernel's.
 */
export function routesOfRouter(plugin: Plugin, wrong: Wrong): RouterRoute[] {
  if (!plugin.router) return [];
  const used = new Map<keyof PluginRouters, Router>();
  const routers: Partial<PluginRouters> = {};
  for (const name of Object.keys(families) as (keyof PluginRouters)[])
    Object.defineProperty(routers, name, {
      enumerable: true,
      get: () => used.get(name) ?? used.set(name, createRouter() as Router).get(name),
    });
  try {
    const result: unknown = plugin.router(routers as PluginRouters);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      wrong('its router function is async; declare the routes synchronously');
      return [];
    }
  } catch (error) {
    wrong(`its router function throws: ${thrownMessage(error)}`);
    return [];
  }
  return [...used].flatMap(([name, router]) => compileRouter(name, router, wrong));
}

/** Layers that answer one method on one path: the route's own, and those of `all`. */
interface Group {
  readonly method: Method;
  readonly path: string;
  readonly layers: Layer[];
  explicit: boolean;
  options: RouterRouteOptions;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];
/** `all` registers every method of node:http. */
const isAll = (layer: Layer): boolean =>
  layer.methods.includes('TRACE') && methods.every((method) => layer.methods.includes(method));

function compileRouter(name: keyof PluginRouters, own: Router, wrong: Wrong): RouterRoute[] {
  const family = families[name];
  const prefix = prefixes[family];
  for (const layer of own.stack) checkMiddlewareLayer(name, layer, wrong);
  // Nested under the family's prefix, so that its patterns fit the request's path, and `koa.router.url(name)` gives whole addresses.
  const router = new Router(prefix === '' ? {} : { prefix }).use(own.routes());
  const groups = new Map<string, Group>();
  for (const layer of router.stack) {
    if (layer.methods.length === 0) continue;
    const path = treePath(layer, `r.${name}: ${layer.methods.at(-1)} ${String(layer.path)}`, wrong);
    if (path === undefined) continue;
    const declared = declaredOptions(layer, `${layer.methods.at(-1)} ${path}`, wrong);
    for (const method of methodsOf(layer, `r.${name}: ${path}`, wrong)) {
      const key = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
      const group = groups.get(key);
      if (!group) groups.set(key, { method, path, layers: [layer], explicit: !isAll(layer), options: declared ?? {} });
      else if (!isAll(layer) && group.explicit) wrong(`${method} ${path} is declared twice on r.${name}; give both to one route`);
      else {
        group.layers.push(layer);
        if (isAll(layer)) group.options = Object.keys(group.options).length > 0 ? group.options : (declared ?? {});
        else {
          group.explicit = true;
          group.options = declared ?? group.options;
        }
      }
    }
  }
  return [...groups.values()].map((group) => ({
    family,
    route: routeOf(group, prefix),
    middleware: chainOf(router, group),
  }));
}

function routeOf({ method, path, options }: Group, prefix: string): Route {
  const { transaction = 'none', ...rest } = options;
  return Object.freeze({
    method,
    path: path.slice(prefix.length) || '/',
    // Without a transaction there is nothing that a stored response could be committed with.
    options: transaction === 'request' ? rest : { ...rest, transaction, idempotent: false },
    handler: () => {
      throw new Error('a route of a router is answered by its middleware');
    },
  });
}

/** The request's path in its one spelling. As it was sent, `/%74hings` say, it could get past a `use` of `/things`. */
const addresses = new WeakMap<RouterContext, string>();

/** The middleware of a route in the order of declaration. What `use` puts on a path is matched against each request's parameters. */
function chainOf(router: Router, { path, layers }: Group): KoaMiddleware {
  const addressOf = (params: Readonly<Record<string, string>>): string =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const chain = router.stack
    .filter((layer) => layer.methods.length === 0 || layers.includes(layer))
    .map((layer): KoaMiddleware => {
      const stack = compose(layer.stack as KoaMiddleware[]);
      return (koa, next) => {
        const address = addresses.get(koa) as string;
        if (!layer.match(address)) return next();
        koa.captures = layer.captures(address);
        koa.params = layer.params(address, koa.captures, koa.params);
        koa.request.params = koa.params;
        koa.routerPath = String(layer.path);
        koa.routerName = layer.name;
        return stack(koa, next);
      };
    });
  const run = compose(chain);
  const { name, path: pattern } = layers.find((layer) => !isAll(layer)) ?? (layers[0] as Layer);
  return (koa: RouterContext, next) => {
    koa.router = router;
    koa.routeMatched = true;
    koa._matchedRoute = pattern;
    koa._matchedRouteName = name;
    koa.params = {};
    addresses.set(koa, addressOf(koa.state.req.params));
    return run(koa, next);
  };
}

function checkMiddlewareLayer(name: keyof PluginRouters, layer: Layer, wrong: Wrong): void {
  if (layer.methods.length > 0) return;
  const where = `r.${name}.use(${String(layer.path)})`;
  // @koa/router puts no prefix before an expression: it would match nothing, or too much.
  if (layer.path instanceof RegExp) wrong(`${where}: a regular expression has no prefix; write the path as text`);
  else if (layer.path.length > 1 && layer.path.endsWith('/'))
    wrong(`${where}: paths match without their trailing slash; leave it out`);
  if (layer.stack.some((middleware) => optionsOf(middleware)))
    wrong(`${where}: routeOptions belongs to each route, not to use()`);
}

function methodsOf(layer: Layer, label: string, wrong: Wrong): readonly Method[] {
  if (isAll(layer)) return methods;
  const wanted = layer.methods.filter((method) => !(method === 'HEAD' && layer.methods.includes('GET')));
  for (const method of wanted)
    if (!methods.includes(method as Method))
      wrong(
        method === 'HEAD'
          ? `${label}: HEAD is served wherever GET is; declare GET`
          : method === 'OPTIONS'
            ? `${label}: OPTIONS is served by the kernel, which answers CORS preflights`
            : `${label}: ${method} is no method of a route; use ${methods.join(', ')}`,
      );
  return methods.filter((method) => wanted.includes(method));
}

function declaredOptions(layer: Layer, label: string, wrong: Wrong): RouterRouteOptions | undefined {
  const declared = layer.stack.map((middleware) => optionsOf(middleware)).filter((options) => options !== undefined);
  if (declared.length > 1) wrong(`${label} has routeOptions ${declared.length} times; give them once`);
  return declared[0];
}

/** The path as the route table writes it, `/things/{id}`. Undefined: refused. */
function treePath({ path, opts }: Layer, label: string, wrong: Wrong): string | undefined {
  const refuse = (why: string): undefined => void wrong(`${label}: ${why}`);
  if (path instanceof RegExp) return refuse('a regular expression can\'t be a route; write a path such as "/files/:name"');
  if (!path.startsWith('/')) return refuse('a path begins with /');
  if (opts.strict === true) return refuse('a path is served with and without its trailing slash; leave out `strict`');
  if (/[{}]/.test(path)) return refuse('an optional part can\'t be held; give the paths as a list, ["/files", "/files/:name"]');
  if (path.includes('*'))
    return refuse(
      'a wildcard can\'t be held; write one parameter for each segment, "/files/:folder/:name", or take the rest as a query parameter',
    );
  if (/:"/.test(path) || path.includes('\\'))
    return refuse("quotes and escapes can't be held; name parameters by letters and digits");
  const segments = path.split('/').slice(1);
  const odd = segments.find((segment) => segment.includes(':') && !/^:[a-zA-Z]\w*$/.test(segment));
  if (odd !== undefined)
    return refuse(
      `a parameter takes a whole segment and is named by letters and digits; write ":name" for "${odd}" and check its value`,
    );
  return path.replace(/:(\w+)/g, '{$1}');
}
