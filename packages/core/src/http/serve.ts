import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type PlatformCtx, Problem, type Req } from '@storeloom/plugin-sdk';
import { contextOf } from '../context/context.ts';
import type { Scope } from '../context/scope.ts';
import type { Admitted } from './admit.ts';
import { isJsonType, maxJsonBytes, parseJson } from './body.ts';
import { conditional, etagOf, ifMatchVersion, type ResponseParts } from './response.ts';
import type { CachedResponse } from './response-cache.ts';
import { work } from './unit-of-work.ts';

/** Everything after admission: cached response, rate limit, validation, unit of work, conditional headers. */
export async function serve(admitted: Admitted): Promise<ResponseParts> {
  const { host, route, scope } = admitted;
  const { req } = admitted.koa;
  checkAccept(admitted);
  if (route.family === 'core') return conditional(await host.core(route, req), req.headers['if-none-match']);
  if (route.family === 'webhooks') {
    const raw = await admitted.readBody(maxJsonBytes);
    return host.webhook(route, {
      raw,
      headers: req.headers,
      query: Object.fromEntries(admitted.query),
      params: admitted.params,
      ip: scope.ip,
      requestId: scope.requestId,
    });
  }
  const { options } = route.route;
  const cached =
    options.cache && scope.tenant && scope.actor.type === 'guest' && host.receivesChanges() ? cacheKey(scope, req) : undefined;
  if (cached !== undefined) {
    const found = host.cache.get(cached, (options.cache as { maxAge: number }).maxAge * 1000);
    if (found) return publicResponse(options.cache as { maxAge: number }, found, req);
  }
  const epoch = scope.tenant ? host.cache.epoch(scope.tenant.id) : 0;
  const request: MutableRequest = {
    params: admitted.params,
    query: route.parseQuery(admitted.query),
    body: undefined,
    headers: req.headers,
    ifMatch: ifMatchVersion(req.headers['if-match']),
    stream: undefined,
    method: route.route.method,
    url: req.url ?? '/',
    host: admitted.requestHost ?? '',
    cookies: admitted.cookies,
    countFor: admitted.countFor,
  };
  // Limits by a value of the body wait for it; all others run before it is read.
  const limitedByBody = route.limits.some(({ by, when }) => typeof by === 'function' || when !== undefined);
  const limitHeaders = route.limits.length > 0 && !limitedByBody ? await host.limit(route, scope, request) : {};
  await options.admit?.(contextOf(host.context, route.plugin as string, scope) as PlatformCtx, request);
  const bytes = await readBody(admitted, request);
  if (limitedByBody) Object.assign(limitHeaders, await host.limit(route, scope, request));
  const response = await work(admitted, request, bytes);
  if (
    route.route.method === 'GET' &&
    typeof response.body === 'string' &&
    response.status === 200 &&
    options.cache &&
    scope.tenant
  ) {
    response.headers.etag = etagOf(response.body);
    if (cached !== undefined && response.headers['set-cookie'] === undefined) {
      const { body, headers } = response;
      const entry = host.cache.set(cached, { tenant: scope.tenant.id, tags: options.cache.tags, epoch }, { body, headers });
      return publicResponse(options.cache, entry, req, limitHeaders);
    }
  }
  Object.assign(response.headers, limitHeaders);
  response.headers['cache-control'] ??= 'no-store';
  return route.route.method === 'GET' ? conditional(response, req.headers['if-none-match']) : response;
}

type AnyRequest = Req<unknown, unknown, unknown>;
type MutableRequest = { -readonly [K in keyof AnyRequest]: AnyRequest[K] };

/** Reads and validates the body into the request. Returns its bytes, which Idempotency-Key compares. */
async function readBody(admitted: Admitted, request: MutableRequest): Promise<Buffer> {
  const { route, scope } = admitted;
  const { req } = admitted.koa;
  const { rawBody, contentTypes, maxBytes = maxJsonBytes } = route.route.options;
  if (rawBody) {
    checkType(req, contentTypes);
    if (rawBody === 'raw') return (request.body = await admitted.readBody(maxBytes));
    request.stream = limited(req, maxBytes);
    return noBytes;
  }
  if (!route.parseBody) return noBytes;
  const bytes = await admitted.readBody(maxJsonBytes);
  if (bytes.length > 0 && !isJsonType(req.headers['content-type']))
    throw new Problem('unsupported_media_type', { detail: 'The body must be application/json.' });
  const value = parseJson(bytes);
  if (route.route.method !== 'DELETE' || bytes.length > 0)
    request.body = await route.parseBody(value, scope.tenant ?? scope.hostTenant ?? undefined);
  return bytes;
}
const noBytes = Buffer.alloc(0);

function publicResponse(
  cache: { maxAge: number },
  { body, headers, variants }: CachedResponse,
  req: IncomingMessage,
  more: Readonly<Record<string, string>> = {},
): ResponseParts {
  return conditional(
    {
      status: 200,
      headers: {
        ...headers,
        ...more,
        'cache-control': `public, max-age=${cache.maxAge}, stale-while-revalidate=${cache.maxAge * 4}`,
        // Signed-in callers get private responses.
        vary: 'Host, Accept-Language, Authorization, Cookie, Origin',
      },
      body,
      variants,
    },
    req.headers['if-none-match'],
  );
}
function cacheKey(scope: Scope, req: IncomingMessage): string {
  return `${scope.tenant?.id} ${scope.locale} ${req.url}`;
}

/** @throws Problem `not_acceptable`, before the route has an effect */
function checkAccept({ koa, route }: Admitted): void {
  const { accept } = koa.req.headers;
  const { produces, response } = route.route.options;
  if (accept === undefined || accept.includes('*/*') || route.family === 'webhooks' || produces === '*/*') return;
  // Middleware negotiates on its own.
  if (route.middleware && produces === undefined) return;
  const types =
    produces === undefined ? ['application/json'] : [produces, response === undefined ? [] : 'application/json'].flat();
  if (koa.accepts(...types) === false) throw new Problem('not_acceptable', { detail: `The response is ${types.join(' or ')}.` });
}

function checkType(req: IncomingMessage, types: readonly string[] | undefined): void {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (types && (type === undefined || !types.includes(type)))
    throw new Problem('unsupported_media_type', { detail: `The body must be one of ${types.join(', ')}.` });
}

/** Returns the request as a stream that fails with 413 above the limit. */
function limited(req: IncomingMessage, limit: number): Readable {
  if (Number(req.headers['content-length'] ?? 0) > limit)
    throw new Problem('payload_too_large', { detail: `The body exceeds ${limit} bytes.` });
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) req.destroy(new Problem('payload_too_large', { detail: `The body exceeds ${limit} bytes.` }));
  });
  req.pause();
  return req;
}
