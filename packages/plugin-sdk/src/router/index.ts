import { Router as KoaRouter, type RouterOptions } from '@koa/router';
import type { DefaultContext } from 'koa';
import type { Ctx, PlatformCtx } from '../context.ts';
import type { QueryLike, Req, RequestOf, RouteOptions, SchemaLike } from '../route.ts';

/** What a router's handlers find in `koa.state`. */
export interface RouterState<C = Ctx> {
  /** The plugin's context: tenant, actor, services. No transaction is open in it unless the route asks for one. */
  readonly ctx: C;
  /** The validated request, as a `route()` handler gets it: path parameters, query, body. */
  readonly req: Req<Record<string, string>, unknown, unknown>;
}

/** A router of `@koa/router` whose handlers find the plugin's context in `koa.state.ctx`. */
export type Router<C = Ctx> = KoaRouter<RouterState<C>, DefaultContext>;

/**
 * Creates a router to nest under one of a plugin's: `r.admin.use('/reports', reports.routes())`. Its prefix follows that of the outer
 * router; of several calls of `prefix`, the last one counts. `routes()` copies what is declared: declare routes, middleware and prefix of
 * the nested router first, since later ones would be served nowhere.
 * For super-admin, auth and system routes: `createRouter<PlatformCtx>()`.
 *
 * @throws Error for `on`, whose events the kernel's route table never fires, and for a declaration after `routes()`
 */
export function createRouter<C extends Ctx | PlatformCtx = Ctx>(options?: RouterOptions): Router<C> {
  const router = new KoaRouter<RouterState<C>, DefaultContext>(options);
  let copied = false;
  const replace = (name: 'on' | 'routes' | 'register' | 'use' | 'prefix', by: (...args: unknown[]) => unknown): void =>
    void Object.defineProperty(router, name, { value: by });
  replace('on', () => {
    throw new Error('on() has no effect: the kernel answers unknown paths with 404 and other methods with 405. Leave it out.');
  });
  const routes = router.routes.bind(router);
  replace('routes', () => {
    copied = true;
    return routes();
  });
  for (const name of ['register', 'use', 'prefix'] as const) {
    const declare = router[name].bind(router) as (...args: unknown[]) => unknown;
    replace(name, (...args) => {
      const [path] = args;
      const what = typeof path === 'string' ? path : `${name}()`;
      if (copied)
        throw new Error(
          `${what} is declared after routes() of its router was nested, and would be served nowhere. Declare it before.`,
        );
      return declare(...args);
    });
  }
  return router;
}

/**
 * The routers that `definePlugin({ router(r) })` fills, one a family; paths are relative to the family's prefix. Webhooks have none:
 * `inbound()` verifies the signature before anything reads the body.
 */
export interface PluginRouters {
  /** `/api/admin`: staff of the tenant. Every route names a permission. */
  readonly admin: Router;
  /** `/api/storefront`: guests and customers of the tenant whose host is called. */
  readonly storefront: Router;
  /** `/api/super-admin`: operators. */
  readonly superAdmin: Router<PlatformCtx>;
  /** `/api/auth`. */
  readonly auth: Router<PlatformCtx>;
  /** Full paths outside of all families. */
  readonly system: Router<PlatformCtx>;
}

/** Options of a router's route: those of `route()`, but for the transaction. */
export interface RouterRouteOptions<
  P extends SchemaLike | undefined = SchemaLike | undefined,
  Q extends QueryLike | undefined = QueryLike | undefined,
  B extends SchemaLike | undefined = SchemaLike | undefined,
> extends Omit<RouteOptions<P, Q, B>, 'transaction'> {
  /**
   * `none` (default): no transaction is open, the handler opens its own with `ctx.transaction`. `request`: the unit of work of `route()`
   * around the whole chain: one transaction, read-only for GET, repeated after a serialisation failure, with Idempotency-Key on POST.
   */
  transaction?: 'none' | 'request';
}

/** Middleware that passes on and tells the type of `koa.state.req`. */
export type OptionsMiddleware<R> = (
  koa: { readonly state: { readonly req: R } },
  next: () => Promise<unknown>,
) => Promise<unknown>;

const optionsKey = Symbol.for('storeloom.router.options');

/**
 * Declares a route's options among its middleware, and types `koa.state.req` for the handlers after it. An admin route without a
 * `permission` fails the plugin at load.
 * @example
 * r.admin.get('/labels/:id', routeOptions({ permission: 'shipping.label.read', produces: 'application/pdf' }), async (koa) => {
 *   koa.type = 'application/pdf';
 *   koa.body = await label(koa.state.ctx, koa.params.id);
 * });
 */
export function routeOptions<
  const P extends SchemaLike | undefined = undefined,
  const Q extends QueryLike | undefined = undefined,
  const B extends SchemaLike | undefined = undefined,
>(options: RouterRouteOptions<P, Q, B>): OptionsMiddleware<RequestOf<P, Q, B>> {
  const middleware: OptionsMiddleware<RequestOf<P, Q, B>> = (_koa, next) => next();
  return Object.assign(middleware, { [optionsKey]: options });
}

/** The options that a middleware declares; undefined for every other middleware. */
export function optionsOf(middleware: unknown): RouterRouteOptions | undefined {
  return typeof middleware === 'function' ? (middleware as { [optionsKey]?: RouterRouteOptions })[optionsKey] : undefined;
}
