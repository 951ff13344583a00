import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import {
  type Actor,
  type Authenticator,
  type Ctx,
  type PlatformCtx,
  Problem,
  type ProblemExtra,
  Reply,
  type Req,
  type Tenant,
} from '@storeloom/plugin-sdk';
import type Koa from 'koa';
import { type ContextHost, contextOf, inTransaction, type Scope } from '../context.ts';
import { TenantMoved } from '../database/tenant-moved.ts';
import { normalHost, type TenantDirectory, type TenantEntry } from '../tenancy.ts';
import { type Answer, answerOf, etagMatches, etagOf, ifMatchVersion } from './answer.ts';
import { isJsonType, maxJsonBytes, parseJson, readBytes } from './body.ts';
import { type Caller, callerOf } from './caller.ts';
import {
  type Claim,
  claim,
  type IdempotencyHost,
  read as readClaim,
  requestHash,
  type StoredAnswer,
  store,
} from './idempotency.ts';
import { asProblem, type ProblemTable, problemBody } from './problems.ts';
import type { ResponseCache } from './response-cache.ts';
import type { CompiledRoute, RouteTable } from './routes.ts';
import { parseCookies, pickLocale, readTarget } from './target.ts';

export interface PipelineHost {
  readonly context: ContextHost;
  readonly tenants: TenantDirectory;
  readonly routes: RouteTable;
  readonly problems: ProblemTable;
  readonly cache: ResponseCache;
  /** Drops what this process remembers of a tenant. */
  forget(tenantId: string): void;
  /** False while changes that other processes make can't be heard: whole answers are not taken from memory then. */
  hears(): boolean;
  authenticator(): Authenticator | undefined;
  /** State of a plugin of the installation that isn't ready. */
  stateOf(plugin: string): string | undefined;
  /** Throws `rate_limited`; gives the headers that tell the limit. */
  limit(route: CompiledRoute, scope: Scope, req: Req<unknown, unknown, unknown>): Promise<Record<string, string>>;
  webhook(
    route: CompiledRoute,
    input: {
      raw: Buffer;
      headers: IncomingMessage['headers'];
      query: Record<string, string>;
      params: Record<string, string>;
      ip: string | null;
      requestId: string;
    },
  ): Promise<Answer>;
  core(route: CompiledRoute, req: IncomingMessage): Promise<Answer>;
  allowedOrigins(tenantId: string): readonly string[];
  ipOf(req: IncomingMessage): string | null;
  draining(): boolean;
  observe(
    route: CompiledRoute | undefined,
    method: string,
    status: number,
    seconds: number,
    whose: { requestId: string; tenantId: string | undefined },
  ): void;
  onError(error: unknown, fields: Record<string, unknown>): void;
}

const maxInFlight = 600;
const maxInFlightTenant = 300;

const writeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const requestIdPattern = /^[\w-]{8,64}$/;
const idempotencyKeyPattern = /^[\x21-\x7e]{8,128}$/;

/** id, timer → match → authentication → tenant → gate → permission → rate limit → validate → unit of work → serialise → metrics. */
export function createPipeline(host: PipelineHost): Koa.Middleware {
  let inFlight = 0;
  const perTenant = new Map<string, number>();

  return async (koa) => {
    const started = performance.now();
    const { req } = koa;
    const method = req.method ?? 'GET';
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
    let route: CompiledRoute | undefined;
    let answer: Answer;
    let tenantId: string | undefined;
    const departure = new Departure(koa.res);
    inFlight++;
    try {
      if (inFlight > maxInFlight)
        throw new Problem('unavailable', { detail: 'Too many requests are being served.', retryAfter: 1 });
      checkFraming(req);
      const target = readTarget(req.url ?? '/');
      const requestHost = normalHost(hostHeader(req));
      const match = host.routes.match(method, target.path);
      if (!match) {
        answer = await unmatched(host, method, target.path, requestHost, req);
      } else {
        const { route: matched, params } = match;
        route = matched;
        const bodyOf = once((limit: number) => readBytes(req, limit));
        answer = await withFreshTenant(host, async (compare) => {
          // A copy: who calls may take the token out of it.
          const query = new URLSearchParams(target.query);
          const current = await admit(host, matched, params, req, query, requestHost, requestId, departure, bodyOf, compare);
          if (tenantId === undefined && current.scope.tenant) {
            tenantId = current.scope.tenant.id;
            const busy = (perTenant.get(tenantId) ?? 0) + 1;
            perTenant.set(tenantId, busy);
            if (busy > maxInFlightTenant)
              throw new Problem('unavailable', { detail: 'The shop is serving too many requests.', retryAfter: 1 });
          }
          const served = await serve(host, matched, current, koa);
          cors(host, served.headers, req, current.scope.tenant ?? current.scope.hostTenant);
          return served;
        });
      }
    } catch (error) {
      // Nobody hears it, and it is nobody's fault.
      const left = departure.seen && (error as Error).name === 'AbortError';
      answer = problemAnswer(host, left ? new Problem('unavailable') : error, req, requestId, route);
    } finally {
      inFlight--;
      if (tenantId !== undefined) {
        const left = (perTenant.get(tenantId) ?? 1) - 1;
        if (left === 0) perTenant.delete(tenantId);
        else perTenant.set(tenantId, left);
      }
    }
    const headers: Answer['headers'] = { ...answer.headers, 'x-request-id': requestId };
    if (host.draining()) headers.connection = 'close';
    send(koa, { ...answer, headers });
    host.observe(route, method, answer.status, (performance.now() - started) / 1000, { requestId, tenantId });
  };
}

/** The caller hangs up before the answer is written. Few handlers ask: the signal is made for those that do. */
class Departure {
  private readonly res: ServerResponse;
  private controller: AbortController | undefined;
  constructor(res: ServerResponse) {
    this.res = res;
  }
  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = new AbortController();
      this.controller = controller;
      const closed = (): void => {
        if (!this.res.writableFinished) controller.abort();
      };
      if (this.res.closed) closed();
      else this.res.once('close', closed);
    }
    return this.controller.signal;
  }
  /** Somebody who asked for the signal was told. */
  get seen(): boolean {
    return this.controller?.signal.aborted === true;
  }
}

/** A text goes straight out with its headers; what flows, and what has no body, is Koa's to end. */
function send(koa: Koa.Context, { status, headers, body }: Answer): void {
  if (typeof body === 'string' && headers['content-type'] !== undefined && status !== 204 && status !== 304) {
    koa.respond = false;
    headers['content-length'] = String(Buffer.byteLength(body));
    koa.res.writeHead(status, headers);
    koa.res.end(koa.req.method === 'HEAD' ? undefined : body);
    return;
  }
  koa.status = status;
  for (const [name, value] of Object.entries(headers)) koa.set(name, value);
  koa.body = body;
  if (body === null) koa.status = status;
}

/**
 * Serves anew where this process went by a tenant that has changed. Where it changes faster than a request is served, the last attempt
 * goes by what was read since the request came.
 */
async function withFreshTenant(host: PipelineHost, serveOnce: (compare: boolean) => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await serveOnce(attempt < 4);
    } catch (error) {
      if (!(error instanceof TenantMoved)) throw error;
      host.forget(error.tenantId);
    }
  }
}

/** The same outcome however often it is asked for. */
function once<A, T>(work: (given: A) => Promise<T>): (given: A) => Promise<T> {
  let done: Promise<T> | undefined;
  return (given) => (done ??= work(given));
}

/** Two hosts, two ways to say where the body ends, a coding that nobody undoes: refused before anything is read. */
function checkFraming(req: IncomingMessage): void {
  const { rawHeaders } = req;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1 || (req.headers['content-length'] !== undefined && req.headers['transfer-encoding'] !== undefined))
    throw new Problem('malformed_request', { detail: 'The request is framed ambiguously.' });
  const coding = req.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', { detail: 'The body may not be compressed.' });
}
function hostHeader(req: IncomingMessage): string | undefined {
  const target = req.url ?? '';
  if (/^https?:\/\//i.test(target) && URL.canParse(target) && normalHost(new URL(target).host) !== normalHost(req.headers.host))
    throw new Problem('malformed_request', { detail: 'The target names another host than the Host header.' });
  return req.headers.host;
}

async function unmatched(
  host: PipelineHost,
  method: string,
  path: string,
  requestHost: string | undefined,
  req: IncomingMessage,
): Promise<Answer> {
  const allow = host.routes.allowed(path);
  if (allow.length === 0) throw new Problem('not_found', { detail: 'No route has this path.' });
  if (method !== 'OPTIONS') throw new Problem('method_not_allowed', { detail: `The path takes ${allow.join(', ')}.`, allow });
  const headers: Record<string, string> = { allow: [...allow, 'OPTIONS'].join(', ') };
  const entry = requestHost === undefined ? undefined : await host.tenants.byHost(requestHost);
  if (cors(host, headers, req, entry?.tenant ?? null)) {
    headers['access-control-allow-methods'] = allow.join(', ');
    headers['access-control-allow-headers'] =
      'authorization, content-type, idempotency-key, if-match, if-none-match, accept-language, x-cart-token, x-order-token, x-manage-token, x-csrf-token, x-request-id';
    headers['access-control-max-age'] = '600';
  }
  return { status: 204, headers, body: null };
}

/** The tenant's own hosts and the origins it lists; never `*`. */
function cors(
  host: PipelineHost,
  headers: Record<string, string | string[]>,
  req: IncomingMessage,
  tenant: Tenant | null,
): boolean {
  const { origin } = req.headers;
  if (origin === undefined || !tenant || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (!tenant.hosts.includes(url.hostname) && !host.allowedOrigins(tenant.id).includes(url.origin)) return false;
  headers['access-control-allow-origin'] = url.origin;
  headers['access-control-allow-credentials'] = 'true';
  headers['access-control-expose-headers'] = 'etag, link, location, retry-after, x-request-id, idempotency-replayed';
  if (headers.vary === undefined) headers.vary = 'Origin';
  else if (!/\borigin\b/i.test(String(headers.vary))) headers.vary = `${String(headers.vary)}, Origin`;
  return true;
}

interface Current {
  scope: Scope;
  entry: TenantEntry | undefined;
  caller: Caller;
  params: Record<string, string>;
  query: URLSearchParams;
  cookies: Record<string, string>;
  req: IncomingMessage;
  host: string;
  /** The body, which can be read once. */
  bodyOf: (limit: number) => Promise<Buffer>;
  /** What is remembered of the tenant is compared with the database. */
  compare: boolean;
}

/** Everything before the body is read: who calls, which tenant, may they. */
async function admit(
  host: PipelineHost,
  route: CompiledRoute,
  params: Record<string, string | undefined>,
  req: IncomingMessage,
  query: URLSearchParams,
  requestHost: string | undefined,
  requestId: string,
  departure: Departure,
  bodyOf: (limit: number) => Promise<Buffer>,
  compare: boolean,
): Promise<Current> {
  const cookies = parseCookies(req.headers.cookie);
  const caller = await callerOf(
    { tenants: host.tenants, authenticator: host.authenticator, now: host.context.clock.now },
    route,
    req,
    cookies,
    requestHost,
    query,
  );
  const { entry, actor } = caller;
  const writes = route.writes;
  if (entry) {
    try {
      if (entry.tenant.status === 'terminated')
        throw route.family === 'admin' ? new Problem('unauthenticated') : new Problem('tenant_not_found');
      if (entry.tenant.status === 'suspended' && (route.family === 'storefront' || writes))
        throw new Problem('tenant_suspended', { retryAfter: 3600 });
      gate(host, route, entry);
    } catch (refusal) {
      // Nothing else would ask the database: what is refused from memory alone must still be so.
      if (compare && (await host.tenants.moved(entry))) throw new TenantMoved(entry.tenant.id);
      throw refusal;
    }
  } else if (route.plugin !== null) {
    const state = host.stateOf(route.plugin);
    if (state !== undefined && state !== 'ready')
      throw new Problem('plugin_unavailable', { plugin: route.plugin, state, retryAfter: 60 });
  }
  const { permission } = route.route.options;
  if (route.family === 'admin' && permission !== undefined && actor.type === 'staff' && !actor.can(permission))
    throw new Problem('forbidden', { permission, detail: `This needs the permission ${permission}.` });
  if (caller.byCookie && writeMethods.has(route.route.method)) checkCsrf(host, req, cookies);
  const tenant = entry?.tenant ?? null;
  const language = tenant ?? caller.hostTenant;
  const scope: Scope = {
    tenant,
    hostTenant: caller.hostTenant,
    actor,
    tokens: caller.tokens,
    ip: host.ipOf(req),
    userAgent: req.headers['user-agent']?.slice(0, 300) ?? null,
    locale: language ? pickLocale(req.headers['accept-language'], language.locales, language.defaultLocale) : 'en',
    requestId,
    get signal() {
      return departure.signal;
    },
    on: entry ? (plugin) => entry.decisions.get(plugin)?.on === true : () => true,
    action: permission ?? null,
    tx: null,
    audit: [],
    history: [],
    events: [],
    contexts: new Map(),
    services: new Map(),
  };
  return {
    scope,
    entry,
    caller,
    params: route.parseParams(params),
    query,
    cookies,
    req,
    host: requestHost ?? '',
    bodyOf,
    compare,
  };
}

function gate(host: PipelineHost, route: CompiledRoute, entry: TenantEntry): void {
  if (route.plugin === null) return;
  const decision = entry.decisions.get(route.plugin);
  if (decision?.on) return;
  const state = host.stateOf(route.plugin);
  if (state === 'failed' || state === 'blocked')
    throw new Problem('plugin_unavailable', { plugin: route.plugin, state, retryAfter: 60 });
  if (route.family === 'admin')
    throw new Problem('plugin_not_enabled', { plugin: route.plugin, why: decision?.why ?? 'not_installed' });
  throw new Problem('not_found');
}

function checkCsrf(host: PipelineHost, req: IncomingMessage, cookies: Record<string, string>): void {
  const { origin } = req.headers;
  const header = req.headers['x-csrf-token'];
  const sameOrigin =
    origin === undefined
      ? req.headers['sec-fetch-site'] === undefined || req.headers['sec-fetch-site'] === 'same-origin'
      : URL.canParse(origin) && normalHost(new URL(origin).host) === normalHost(req.headers.host);
  if (!sameOrigin || !host.authenticator()?.checkCsrf(cookies, typeof header === 'string' ? header : undefined))
    throw new Problem('csrf_failed', {
      detail: 'Writes with cookies need X-CSRF-Token from /api/csrf-token and the same origin.',
    });
}

async function serve(host: PipelineHost, route: CompiledRoute, current: Current, koa: Koa.Context): Promise<Answer> {
  const { req, scope } = current;
  if (route.family === 'core') return host.core(route, req);
  if (route.family === 'webhooks') {
    const raw = await current.bodyOf(maxJsonBytes);
    return host.webhook(route, {
      raw,
      headers: req.headers,
      query: Object.fromEntries(current.query),
      params: current.params,
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
  const query = route.parseQuery(current.query);
  const request: { -readonly [K in keyof Req<unknown, unknown, unknown>]: Req<unknown, unknown, unknown>[K] } = {
    params: current.params,
    query,
    body: undefined,
    headers: req.headers,
    ifMatch: ifMatchVersion(req.headers['if-match']),
    stream: undefined,
    method: route.route.method,
    url: req.url ?? '/',
    host: current.host,
    cookies: current.cookies,
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
    else request.body = bytes = await current.bodyOf(options.maxBytes ?? maxJsonBytes);
  } else if (route.parseBody) {
    bytes = await current.bodyOf(maxJsonBytes);
    if (bytes.length > 0 && !isJsonType(req.headers['content-type']))
      throw new Problem('unsupported_media_type', { detail: 'The body must be application/json.' });
    const value = parseJson(bytes);
    if (route.route.method !== 'DELETE' || bytes.length > 0)
      request.body = await route.parseBody(value, scope.tenant ?? scope.hostTenant ?? undefined);
  }
  if (route.limits.some((limit) => typeof limit.by === 'function'))
    Object.assign(limitHeaders, await host.limit(route, scope, request));
  const answer = await work(host, route, current, request, bytes, koa);
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

/** The unit of work: one transaction with the key's row, the handler, its audit rows and the stored answer. */
async function work(
  host: PipelineHost,
  route: CompiledRoute,
  { scope, entry, compare }: Current,
  request: Req<unknown, unknown, unknown>,
  bytes: Buffer,
  koa: Koa.Context,
): Promise<Answer> {
  const ctx = contextOf(host.context, route.plugin as string, scope);
  const call = (): unknown => route.route.handler(ctx as never, request as never);
  const none = route.route.options.transaction === 'none' || route.family === 'auth' || route.family === 'system';
  const streams = route.route.options.rawBody === 'stream';
  // What can't begin again, since it may have talked to others or has read the stream, is compared before it begins.
  if (compare && (none || streams) && entry && (await host.tenants.moved(entry))) throw new TenantMoved(entry.tenant.id);
  if (none || route.route.options.auth === 'open') {
    const result = await call();
    return answerOf(
      route,
      result instanceof Reply && result.after
        ? new Reply(result.status, await result.after(ctx as unknown as Ctx), { headers: { ...result.headers } })
        : result,
      koa.url,
    );
  }
  const wanted = keyOf(host, route, scope, request, bytes);
  const done = await inTransaction(
    host.context,
    scope,
    async () => {
      const { db } = ctx;
      if (wanted) {
        const known = await claim(db, keys(host), wanted);
        if (known) return { replay: known };
      }
      const result = await call();
      const answer = answerOf(route, result, koa.url);
      const after = result instanceof Reply ? result.after : undefined;
      if (wanted) store(db, keys(host), wanted, stored(answer), after === undefined);
      return { answer, after, result };
    },
    {
      readOnly: !route.writes,
      request: true,
      configured: route.family === 'storefront',
      ...(compare && entry && !streams ? { tenantRevision: entry.stamp } : {}),
    },
  );
  if ('replay' in done && done.replay) return replayed(await finalAnswer(host, scope, wanted as Claim, done.replay));
  const { answer, after, result } = done as {
    answer: Answer;
    after: ((ctx: Ctx) => Promise<unknown>) | undefined;
    result: Reply;
  };
  if (!after) return answer;
  const body = await after(ctx as unknown as Ctx);
  const grown = answerOf(route, new Reply(result.status, body, { headers: { ...result.headers } }), koa.url);
  if (wanted) await inTransaction(host.context, scope, async () => store(ctx.db, keys(host), wanted, stored(grown), true));
  return grown;
}

function keys(host: PipelineHost): IdempotencyHost {
  return { seal: host.context.seal, unseal: host.context.unseal, now: host.context.clock.now };
}

/** The claim that the request's Idempotency-Key makes: tenant + actor + route. */
function keyOf(
  host: PipelineHost,
  route: CompiledRoute,
  scope: Scope,
  request: Req<unknown, unknown, unknown>,
  bytes: Buffer,
): Claim | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || route.route.method !== 'POST' || route.route.options.idempotent === false) return undefined;
  if (typeof key !== 'string' || !idempotencyKeyPattern.test(key))
    throw new Problem('invalid_parameter', {
      parameter: 'Idempotency-Key',
      detail: 'The Idempotency-Key must have 8 to 128 printable characters.',
    });
  const who = callerKey(scope.actor) ?? (scope.tokens.cart === undefined ? `ip:${scope.ip ?? ''}` : `cart:${scope.tokens.cart}`);
  return {
    tenantId: scope.tenant?.id ?? null,
    scope: host.context.sign('idempotency', `${who} ${route.path}`),
    key,
    hash: requestHash(request.method, request.url, bytes),
  };
}
function callerKey(actor: Actor): string | undefined {
  if (actor.type === 'staff' || actor.type === 'operator') return `user:${actor.userId}`;
  return actor.type === 'customer' ? `customer:${actor.customerId}` : undefined;
}

function stored(answer: Answer): StoredAnswer {
  return { status: answer.status, headers: answer.headers, body: typeof answer.body === 'string' ? answer.body : null };
}
function replayed(answer: StoredAnswer): Answer {
  return { status: answer.status, headers: { ...answer.headers, 'idempotency-replayed': 'true' }, body: answer.body };
}

/** The first caller may still be talking to a provider after its commit: wait for its last word, but not for ever. */
async function finalAnswer(
  host: PipelineHost,
  scope: Scope,
  wanted: Claim,
  first: { stored: StoredAnswer; final: boolean },
): Promise<StoredAnswer> {
  let known = first;
  for (let waited = 0; !known.final && waited < 10_000; waited += 100) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = await inTransaction(
      host.context,
      scope,
      () => readClaim((scope.tx as NonNullable<Scope['tx']>).db, keys(host), wanted),
      { readOnly: true },
    );
    if (next) known = next;
  }
  return known.stored;
}

function problemAnswer(
  host: PipelineHost,
  error: unknown,
  req: IncomingMessage,
  requestId: string,
  route: CompiledRoute | undefined,
): Answer {
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
