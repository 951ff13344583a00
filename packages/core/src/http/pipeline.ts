import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { StaleTenantError } from '@storeloom/data';
import { Problem, type ProblemExtra } from '@storeloom/plugin-sdk';
import type Koa from 'koa';
import { normalizeHost } from '../tenancy/directory.ts';
import { addressOf } from './address.ts';
import { admit } from './admit.ts';
import { readBytes } from './body.ts';
import { ClientDisconnect } from './client-disconnect.ts';
import { compress } from './compression.ts';
import { cors } from './cors.ts';
import { checkFraming, hostHeader } from './framing.ts';
import type { PipelineHost } from './pipeline-host.ts';
import { asProblem, problemBody } from './problems.ts';
import type { ResponseParts } from './response.ts';
import { type CompiledRoute, normalPath } from './routes.ts';
import { send } from './send.ts';
import { serve } from './serve.ts';
import { readTarget } from './target.ts';
import { TenantLimits } from './tenant-limits.ts';

const maxInFlight = 600;
/** Bodies being received. They aren't counted as requests in progress, so that slow clients don't take the place of others. */
const maxReceiving = 2000;

const requestIdPattern = /^[\w-]{8,64}$/;

/**
 * Creates the request pipeline: id, timer → match → `admit` (authentication, tenant, gate, permission) → `serve` (rate limit, validation,
 * unit of work) → `finish` (CORS, compression) → send → metrics.
 */
export function createPipeline(host: PipelineHost): Koa.Middleware {
  let inFlight = 0;
  let receiving = 0;
  const limits = new TenantLimits();

  return async (koa) => {
    const started = performance.now();
    const { req } = koa;
    const method = req.method ?? 'GET';
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
    let route: CompiledRoute | undefined;
    let response: ResponseParts;
    let tenantId: string | undefined;
    const address = addressOf(host.ipOf(req));
    const disconnect = new ClientDisconnect(koa.res);
    // Given back when the response has been sent, not when it is ready: until then a slow client holds memory and a socket.
    const hold = (release: () => void): void => void (koa.res.closed ? release() : koa.res.once('close', release));
    inFlight++;
    try {
      if (inFlight > maxInFlight)
        throw new Problem('unavailable', { detail: 'The server is handling too many requests.', retryAfter: 1 });
      checkFraming(req);
      const target = readTarget(req.url ?? '/');
      const requestHost = normalizeHost(hostHeader(req));
      const match = host.routes.match(method, target.path);
      if (!match) {
        response = await unmatched(host, method, target.path, req);
      } else {
        const { route: matched, params } = match;
        route = matched;
        const readBody = once(async (limit: number) => {
          if (receiving >= maxReceiving)
            throw new Problem('unavailable', { detail: 'The server is receiving too many requests.', retryAfter: 1 });
          const memory = limits.growing(tenantId, address, 'bodyBytes');
          hold(memory.release);
          receiving++;
          inFlight--;
          try {
            return await readBytes(req, limit, memory.growTo);
          } finally {
            receiving--;
            inFlight++;
          }
        });
        let isCounted = false;
        const count = (tenant: string | undefined): void => {
          hold(limits.take(tenant, address, 'requests'));
          if (matched.route.options.rawBody === 'stream') hold(limits.take(tenant, address, 'uploads'));
        };
        const countFor = (tenant: string): void => {
          if (tenantId === tenant) return;
          if (tenantId !== undefined) throw new Error(`the request is counted for the tenant ${tenantId} already`);
          tenantId = tenant;
          count(tenant);
        };
        response = await withFreshTenant(host, async (checkRevision) => {
          // A copy: authentication may take a token out of it.
          const query = new URLSearchParams(target.query);
          const admitted = await admit({
            host,
            koa,
            route: matched,
            params,
            query,
            requestHost,
            requestId,
            disconnect,
            readBody,
            countFor,
            checkRevision,
          });
          if (!isCounted) {
            tenantId = admitted.scope.tenant?.id;
            count(tenantId);
            isCounted = true;
          }
          const served = await serve(admitted);
          if (served.body instanceof Readable) {
            served.body.on('error', (error: NodeJS.ErrnoException) => {
              if (!isDisconnect(error)) host.onError(error, { requestId, route: matched.path, plugin: matched.plugin });
            });
            holdStream(served.body, () =>
              hold(limits.take(tenantId ?? requestHost, address, tenantId === undefined ? 'files' : 'downloads')),
            );
          }
          return served;
        });
      }
    } catch (error) {
      // The client is gone: no response can reach it, and it is no fault to log.
      const isIncomplete = req.destroyed && !req.complete && !(error instanceof Problem);
      const left = isIncomplete || (disconnect.hasAborted && (error as Error).name === 'AbortError');
      response = problemResponse(host, left ? new Problem('unavailable') : error, req, requestId, route);
    } finally {
      inFlight--;
    }
    try {
      response = await finish(host, req, response, route);
    } catch (error) {
      if (response.body instanceof Readable) response.body.destroy();
      response = problemResponse(host, error, req, requestId, route);
    }
    response.headers['x-request-id'] = requestId;
    const sent = respond(koa, response, (error) => problemResponse(host, error, req, requestId, route));
    host.observe(route, method, sent, (performance.now() - started) / 1000, { requestId, tenantId });
  };
}

/**
 * Sends the response. One that can't be sent, such as one with a header that HTTP can't carry, becomes the problem that `failed` returns; if
 * a part of it was sent already, the connection is closed. Returns the status that was sent.
 */
function respond(koa: Koa.Context, response: ResponseParts, failed: (error: unknown) => ResponseParts): number {
  try {
    send(koa, response);
    return response.status;
  } catch (error) {
    if (response.body instanceof Readable) response.body.destroy();
    const problem = failed(error);
    if (koa.res.headersSent) {
      koa.res.destroy();
      return response.status;
    }
    for (const name of koa.res.getHeaderNames()) koa.res.removeHeader(name);
    problem.headers['x-request-id'] = response.headers['x-request-id'] as string;
    send(koa, problem);
    return problem.status;
  }
}

/** Adds what every response has, errors included: CORS, compression, and no `Location` that can't be read. */
async function finish(
  host: PipelineHost,
  req: IncomingMessage,
  response: ResponseParts,
  route: CompiledRoute | undefined,
): Promise<ResponseParts> {
  const headers: ResponseParts['headers'] = { ...response.headers, 'x-content-type-options': 'nosniff' };
  const { location } = headers;
  if ((response.status === 201 || response.status === 202) && typeof location === 'string' && location.startsWith('/')) {
    const path = normalPath(location.split('?', 1)[0] as string);
    const target = host.routes.match('GET', path)?.route.path;
    // `/metafields/definitions/{id}` also matches `/metafields/{entityType}/{id}`, which isn't the created resource.
    const isOther = route !== undefined && path.startsWith(`${route.path}/`) && target?.startsWith(`${route.path}/`) === false;
    if (target === undefined || isOther) delete headers.location;
  }
  await cors(host, headers, req);
  if (host.draining()) headers.connection = 'close';
  const plain = { ...response, headers };
  // Sign-in and CSRF responses consist of tokens.
  if (route?.family === 'auth' || route?.family === 'system') return plain;
  return compress(plain, req.headers['accept-encoding']);
}

/**
 * Repeats the request if the tenant in this process's memory turned out stale. The fourth attempt no longer compares: it uses an entry
 * read after the request arrived, so a tenant that changes constantly can't starve it.
 */
async function withFreshTenant(
  host: PipelineHost,
  serveOnce: (checkRevision: boolean) => Promise<ResponseParts>,
): Promise<ResponseParts> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await serveOnce(attempt < 4);
    } catch (error) {
      if (!(error instanceof StaleTenantError)) throw error;
      host.forget(error.tenantId);
    }
  }
}

/** Errors with which a stream ends whose client has left. */
const disconnects: ReadonlySet<string | undefined> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ABORT_ERR']);
const isDisconnect = ({ code }: NodeJS.ErrnoException): boolean => disconnects.has(code);

/** Destroys a stream whose response is refused: nothing else would close its file or end its work. */
function holdStream(stream: Readable, hold: () => void): void {
  try {
    hold();
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Runs `work` on the first call; later calls get the same promise. */
function once<A, T>(work: (given: A) => Promise<T>): (given: A) => Promise<T> {
  let done: Promise<T> | undefined;
  return (given) => (done ??= work(given));
}

async function unmatched(host: PipelineHost, method: string, path: string, req: IncomingMessage): Promise<ResponseParts> {
  const allow = host.routes.allowed(path);
  if (allow.length === 0) throw new Problem('not_found', { detail: 'No route has this path.' });
  if (method !== 'OPTIONS') throw new Problem('method_not_allowed', { detail: `Allowed methods: ${allow.join(', ')}.`, allow });
  const headers: Record<string, string> = { allow: [...allow, 'OPTIONS'].join(', ') };
  if (await cors(host, headers, req)) {
    headers['access-control-allow-methods'] = allow.join(', ');
    headers['access-control-allow-headers'] =
      'authorization, content-type, idempotency-key, if-match, if-none-match, accept-language, range, if-range, traceparent, x-cart-token, x-order-token, x-manage-token, x-csrf-token, x-request-id';
    headers['access-control-max-age'] = '600';
  }
  return { status: 204, headers, body: null };
}

function problemResponse(
  host: PipelineHost,
  error: unknown,
  req: IncomingMessage,
  requestId: string,
  route: CompiledRoute | undefined,
): ResponseParts {
  const problem = asProblem(error);
  const instance = (req.url ?? '/').split('?', 1)[0] as string;
  const body = problemBody(problem, host.problems, instance, requestId);
  const headers: Record<string, string | string[]> = {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
  };
  const extra: ProblemExtra = problem.extra;
  if (body.status === 401) headers['www-authenticate'] = 'Bearer realm="storeloom", error="invalid_token"';
  if (body.status === 405 && Array.isArray(extra.allow)) headers.allow = (extra.allow as string[]).join(', ');
  if (typeof extra.retryAfter === 'number') headers['retry-after'] = String(Math.ceil(extra.retryAfter));
  if (typeof extra.headers === 'object' && extra.headers !== null) {
    Object.assign(headers, extra.headers);
    delete body.headers;
  }
  if (body.status >= 500 && body.status !== 501 && !(error instanceof Problem))
    host.onError(error, { requestId, route: route?.path, plugin: route?.plugin });
  if (!req.complete) headers.connection = 'close';
  return { status: body.status, headers, body: JSON.stringify(body) };
}
