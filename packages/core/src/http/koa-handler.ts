import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { RouterContext as KoaRouterContext } from '@koa/router';
import { type Ctx, type generalProblems, Problem, Reply, type Req } from '@storeloom/plugin-sdk';
import type { RouterState } from '@storeloom/plugin-sdk/router';
import Koa, { type DefaultContext } from 'koa';
import type { Admitted } from './admit.ts';

/** The Koa context of a route that a plugin declared with `router(r)`. */
export type RouterContext = KoaRouterContext<RouterState, DefaultContext>;
export type KoaMiddleware = (koa: RouterContext, next: () => Promise<unknown>) => unknown;

/** Makes the contexts. It serves nothing: a plugin's middleware runs inside the pipeline. */
const app = new Koa();
app.on('error', (error: unknown, koa?: RouterContext) => {
  koa?.state.ctx.log.error({ err: error, plugin: koa.state.ctx.plugin }, 'a router reported an error');
});

/**
 * Runs a route's Koa middleware, and turns what it left in the context into a reply.
 * It gets a response object of its own that no socket belongs to: nothing is sent but by the pipeline, and an attempt that is repeated
 * leaves nothing behind.
 * @throws Problem for an http-error, for a status of 400 and above, and where nothing was answered
 */
export async function runMiddleware(
  middleware: KoaMiddleware,
  { koa: { req }, scope, route }: Admitted,
  ctx: Ctx,
  request: Req<unknown, unknown, unknown>,
): Promise<Reply> {
  const res = new ServerResponse(req);
  res.statusCode = 404;
  const koa = app.createContext(req, res) as RouterContext;
  koa.state = { ctx, req: request as RouterState['req'] };
  koa.request.ip = scope.ip ?? '';
  (koa.request as { body?: unknown }).body = request.body;
  try {
    await middleware(koa, async () => undefined);
  } catch (error) {
    // Koa destroys a stream that is replaced.
    koa.body = null;
    throw isHttpError(error) && !isInternal(error.status)
      ? problemOfStatus(error.status, error.expose ? error.message : undefined, error.headers)
      : error;
  }
  if (koa.respond === false || koa.res.headersSent || koa.res.writableEnded)
    throw new Error(`${route.route.method} ${route.path} writes to koa.res; answer with koa.body, which takes streams too`);
  return replyOf(koa, `${route.route.method} ${route.path}`);
}

function replyOf(koa: RouterContext, label: string): Reply {
  const { status } = koa;
  const body: unknown = koa.body;
  if (status >= 400) {
    koa.body = null;
    // Thrown, so that it is logged and counted as an error of the plugin.
    if (isInternal(status)) throw new Error(`${label} set the status ${status}`);
    throw problemOfStatus(status, typeof body === 'string' ? body : undefined, kept(koa, false));
  }
  const content = contentOf(body);
  return new Reply(status, content, { headers: kept(koa, content instanceof Readable) });
}

function contentOf(body: unknown): unknown {
  if (body instanceof Blob) return Readable.fromWeb(body.stream() as NodeReadableStream);
  if (body instanceof ReadableStream) return Readable.fromWeb(body as NodeReadableStream);
  if (body instanceof Response) return body.body === null ? null : Readable.fromWeb(body.body as NodeReadableStream);
  return body;
}

/** The pipeline's own: what is sent, to whom, and how it is framed. */
const pipelineHeaders = /^(?:access-control-.*|x-content-type-options|x-request-id|connection|keep-alive|transfer-encoding)$/;

function kept(koa: RouterContext, isStream: boolean): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(koa.response.headers)
      .filter(([name, value]) => value !== undefined && !pipelineHeaders.test(name) && (isStream || name !== 'content-length'))
      .map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
}

interface HttpError extends Error {
  readonly status: number;
  readonly expose: boolean;
  readonly headers?: Record<string, string>;
}
/** As http-errors makes them: `koa.throw`, `koa.assert`, and most Koa middleware. */
function isHttpError(error: unknown): error is HttpError {
  if (!(error instanceof Error) || error instanceof Problem) return false;
  const { status, expose } = error as Partial<HttpError>;
  return typeof status === 'number' && typeof expose === 'boolean';
}

const codes: Readonly<Record<number, keyof typeof generalProblems>> = {
  400: 'malformed_request',
  401: 'unauthenticated',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  410: 'expired',
  412: 'version_conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
  501: 'provider_not_configured',
  503: 'unavailable',
};
/** Statuses that the caller gets as 500 `internal_error`. */
const isInternal = (status: number): boolean => status >= 500 && !(status in codes);

/** Headers that belong to an error; the others describe a body that isn't sent. */
const errorHeaders = /^(?:allow|retry-after|www-authenticate|ratelimit(?:-policy)?)$/i;

function problemOfStatus(status: number, detail: string | undefined, headers: Record<string, string | string[]> = {}): Problem {
  const code = codes[status] ?? 'malformed_request';
  const own = Object.entries(headers).filter(([name]) => errorHeaders.test(name));
  return new Problem(code, {
    ...(detail !== undefined && status < 500 ? { detail } : {}),
    ...(own.length > 0 ? { headers: Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])) } : {}),
  });
}
