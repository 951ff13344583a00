import type { IncomingMessage } from 'node:http';
import { Router, type RouterContext, type RouterMiddleware } from '@koa/router';
import type { Middleware } from 'koa';
import semver from 'semver';

/** The supported requests; all other features of Verdaccio are disabled. */
export type RegistryRequest =
  | { readonly kind: 'ping' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'whoami' }
  | { readonly kind: 'search'; readonly text: string; readonly from: number; readonly size: number }
  | { readonly kind: 'packument'; readonly name: string }
  | { readonly kind: 'version'; readonly name: string; readonly version: string }
  | { readonly kind: 'tarball'; readonly name: string; readonly version: string }
  | { readonly kind: 'tags'; readonly name: string }
  | { readonly kind: 'publish'; readonly name: string }
  | { readonly kind: 'tag' | 'untag'; readonly name: string; readonly tag: string };

const namePattern = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const isPackageName = (text: string): boolean => text.length <= 214 && namePattern.test(text);
const tagPattern = /^[a-z][a-z0-9._-]{0,63}$/i;
/** A tag that is also a version range would shadow the range. */
export const isTag = (text: string): boolean => tagPattern.test(text) && semver.validRange(text) === null;
const isVersion = (text: string): boolean => semver.valid(text) === text;

/** `@acme/hotel` → `hotel`. */
export const unscoped = (name: string): string => name.slice(name.indexOf('/') + 1);
export const tarballName = (name: string, version: string): string => `${unscoped(name)}-${version}.tgz`;

const requests = new WeakMap<IncomingMessage, RegistryRequest>();
/** The kind of a request, set by `registryRoutes`; undefined if the registry has no such route. */
export const requestOf = (req: IncomingMessage): RegistryRequest | undefined => requests.get(req);

type Parameters = Readonly<Record<string, string>>;
const ask =
  (read: (params: Parameters, query: URLSearchParams) => RegistryRequest | undefined): RouterMiddleware =>
  (koa, next) => {
    const request = read(koa.params, new URLSearchParams(koa.querystring));
    if (request) requests.set(koa.req, request);
    return next();
  };
/** For routes below a package. `-` is the root of all other routes. */
const named = (read: (name: string, params: Parameters) => RegistryRequest | undefined): RouterMiddleware =>
  ask((params) => {
    const { name = '' } = params;
    return name !== '-' && isPackageName(name) ? read(name, params) : undefined;
  });

/** All routes of the registry. Paths match exactly: case-sensitive, without trailing slash. */
const router = new Router({ strict: true, sensitive: true, exclusive: 'specificity' });

router.get(
  '/-/ping',
  ask(() => ({ kind: 'ping' })),
);
router.get(
  '/-/whoami',
  ask(() => ({ kind: 'whoami' })),
);
router.get(
  '/-/npm/v1/keys',
  ask(() => ({ kind: 'keys' })),
);
router.get(
  '/-/v1/search',
  ask((_, query) => {
    const [from, size] = [Number(query.get('from') ?? 0), Number(query.get('size') ?? 20)];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(size) || from < 0 || size < 0 || size > 250) return undefined;
    return { kind: 'search', text: (query.get('text') ?? '').slice(0, 200), from, size };
  }),
);

router.get(
  '/-/package/:name/dist-tags',
  named((name) => ({ kind: 'tags', name })),
);
const tagRoute = (kind: 'tag' | 'untag'): RouterMiddleware =>
  named((name, { tag = '' }) => (isTag(tag) ? { kind, name, tag } : undefined));
router.register('/-/package/:name/dist-tags/:tag', ['PUT', 'POST'], [tagRoute('tag')]);
router.delete('/-/package/:name/dist-tags/:tag', tagRoute('untag'));

router.put(
  '/:name',
  named((name) => ({ kind: 'publish', name })),
);
router.get(
  '/:name',
  named((name) => ({ kind: 'packument', name })),
);
router.get(
  '/:name/:version',
  named((name, { version = '' }) => (isVersion(version) || isTag(version) ? { kind: 'version', name, version } : undefined)),
);
router.get(
  '/:name/-/:file',
  named((name, { file = '' }) => {
    const start = `${unscoped(name)}-`;
    const version = file.startsWith(start) && file.endsWith('.tgz') ? file.slice(start.length, -'.tgz'.length) : '';
    return isVersion(version) ? { kind: 'tarball', name, version } : undefined;
  }),
);

/** The slash of a scope can be encoded or plain (`/@acme%2fhotel`, `/@acme/hotel`); the routes see one segment. */
const oneSegment = (path: string): string => path.replace(/^(\/(?:-\/package\/)?(?:@|%40)[^/%]+)\//, '$1%2f');

const routes = router.routes();
/** Koa middleware that determines the kind of a request without responding. */
export const registryRoutes: Middleware = (koa, next) => {
  koa.newRouterPath = oneSegment(koa.path);
  return routes(koa as RouterContext, next);
};

/** The normalised URL for Verdaccio, so that it processes exactly the checked request. */
export function canonicalUrl(request: RegistryRequest): string {
  const name = 'name' in request ? encodeURIComponent(request.name).replace(/^%40/, '@') : '';
  switch (request.kind) {
    case 'tarball':
      return `/${name}/-/${tarballName(request.name, request.version)}`;
    case 'publish':
      return `/${name}`;
    case 'tag':
    case 'untag':
      return `/-/package/${name}/dist-tags/${request.tag}`;
    default:
      throw new Error(`${request.kind} is handled by the gate itself`);
  }
}
