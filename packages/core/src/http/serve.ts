import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type PlatformCtx, Problem, type Req } from '@storeloom/plugin-sdk';
import { contextOf } from '../context.ts';
import type { Scope } from '../scope.ts';
import type { Admitted } from './admit.ts';
import { type Answer, etagMatches, etagOf, ifMatchVersion } from './answer.ts';
import { isJsonType, maxJsonBytes, parseJson } from './body.ts';
import { work } from './unit-of-work.ts';

/** Everything after admission: cached answer, rate limit, validation, unit of work, conditional headers. */
export async function serve(admitted: Admitted): Promise<Answer> {
  const { host, route, scope } = admitted;
  const { req } = admitted.koa;
  if (route.family === 'core') return host.core(route, req);
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
    options.cache && scope.tenant && scope.actor.type === 'guest' && scope.tokens.cart === undefined && host.hears()
      ? cacheKey(scope, req)
      : undefined;
  if (cached !== undefined) {
    const found = host.cache.get(cached, (options.cache as { maxAge: number }).maxAge * 1000);
    if (found) return publicAnswer(options.cache as { maxAge: number }, found.body, found.etag, req);
  }
  const epoch = scope.tenant ? host.cache.epoch(scope.tenant.id) : 0;
  const query = route.parseQuery(admitted.query);
  const request: { -readonly [K in keyof Req<unknown, unknown, unknown>]: Req<unknown, unknown, unknown>[K] } = {
    params: admitted.params,
    query,
    body: undefined,
    headers: req.headers,
    ifMatch: ifMatchVersion(req.headers['if-match']),
    stream: undefined,
    method: route.route.method,
    url: req.url ?? '/',
    host: admitted.requestHost ?? '',
    cookies: admitted.cookies,
  };
  const limitHeaders =
    route.limits.length > 0 && route.limits.every((limit) => typeof limit.by !== 'function')
      ? await host.limit(route, scope, request)
      : {};
  await options.admit?.(contextOf(host.context, route.plugin as string, scope) as unknown as PlatformCtx, request);
  let bytes: Buffer = Buffer.alloc(0);
  if (options.rawBody) {
    checkType(req, options.contentTypes);
    if (options.rawBody === 'stream') request.stream = limited(req, options.maxBytes ?? maxJsonBytes);
    else request.body = bytes = await admitted.readBody(options.maxBytes ?? maxJsonBytes);
  } else if (route.parseBody) {
    bytes = await admitted.readBody(maxJsonBytes);
    if (bytes.length > 0 && !isJsonType(req.headers['content-type']))
      throw new Problem('unsupported_media_type', { detail: 'The body must be application/json.' });
    const value = parseJson(bytes);
    if (route.route.method !== 'DELETE' || bytes.length > 0)
      request.body = await route.parseBody(value, scope.tenant ?? scope.hostTenant ?? undefined);
  }
  if (route.limits.some((limit) => typeof limit.by === 'function'))
    Object.assign(limitHeaders, await host.limit(route, scope, request));
  const answer = await work(admitted, request, bytes);
  Object.assign(answer.headers, limitHeaders);
  if (route.route.method === 'GET' && typeof answer.body === 'string' && answer.status === 200) {
    if (options.cache && scope.tenant) {
      const etag = etagOf(answer.body);
      if (cached !== undefined) {
        host.cache.set(cached, scope.tenant.id, options.cache.tags, epoch, answer.body, etag);
        return publicAnswer(options.cache, answer.body, etag, req, answer.headers);
      }
      answer.headers.etag = etag;
    }
    const { etag } = answer.headers;
    if (typeof etag === 'string' && etagMatches(req.headers['if-none-match'], etag))
      return { status: 304, headers: { etag, 'cache-control': 'no-store' }, body: null };
  }
  answer.headers['cache-control'] ??= 'no-store';
  return answer;
}

function publicAnswer(
  cache: { maxAge: number },
  body: string,
  etag: string,
  req: IncomingMessage,
  headers: Record<string, string | string[]> = {},
): Answer {
  const common = {
    ...headers,
    etag,
    'cache-control': `public, max-age=${cache.maxAge}, stale-while-revalidate=${cache.maxAge * 4}`,
    // Who is signed in, or has a cart, gets an answer of their own.
    vary: 'Host, Accept-Language, Authorization, Cookie, X-Cart-Token, Origin',
  };
  if (etagMatches(req.headers['if-none-match'], etag)) return { status: 304, headers: common, body: null };
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8', ...common }, body };
}
function cacheKey(scope: Scope, req: IncomingMessage): string {
  return `${scope.tenant?.id} ${scope.locale} ${req.url}`;
}

function checkType(req: IncomingMessage, types: readonly string[] | undefined): void {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (types && (type === undefined || !types.includes(type)))
    throw new Problem('unsupported_media_type', { detail: `The body must be one of ${types.join(', ')}.` });
}

/** The request's stream with a cap on its size. */
function limited(req: IncomingMessage, limit: number): Readable {
  if (Number(req.headers['content-length'] ?? 0) > limit)
    throw new Problem('payload_too_large', { detail: `The body may have ${limit} bytes.` });
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) req.destroy(new Problem('payload_too_large', { detail: `The body may have ${limit} bytes.` }));
  });
  req.pause();
  return req;
}
