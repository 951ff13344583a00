import { StaleTenantError } from '@storeloom/data';
import { type Actor, type Ctx, type PlatformCtx, Problem, Reply, type Req } from '@storeloom/plugin-sdk';
import { contextOf, inTransaction } from '../context/context.ts';
import type { Scope } from '../context/scope.ts';
import type { Admitted } from './admit.ts';
import {
  type Claim,
  claim,
  finish,
  type IdempotencyHost,
  type KnownResponse,
  RepeatedRequestError,
  read as readClaim,
  requestHash,
  type StoredResponse,
  store,
} from './idempotency.ts';
import { runMiddleware } from './koa-handler.ts';
import type { PipelineHost } from './pipeline-host.ts';
import { type ResponseParts, responseOf } from './response.ts';
import type { CompiledRoute } from './routes.ts';

const idempotencyKeyPattern = /^[\x21-\x7e]{8,128}$/;

/** Runs the handler in one transaction, with the row of the Idempotency-Key, audit rows, outbox events and the stored response. */
export async function work(admitted: Admitted, request: Req<unknown, unknown, unknown>, bytes: Buffer): Promise<ResponseParts> {
  const { host, route, koa, scope, entry, checkRevision } = admitted;
  const ctx = contextOf(host.context, route.plugin as string, scope);
  const call = (): unknown =>
    route.middleware
      ? runMiddleware(route.middleware, admitted, ctx as Ctx, request)
      : route.route.handler(ctx as Ctx | PlatformCtx, request);
  const none = route.route.options.transaction === 'none' || route.family === 'auth' || route.family === 'system';
  const streams = route.route.options.rawBody === 'stream';
  // Routes that can't be repeated (external calls, a consumed stream) compare the tenant's revision up front.
  if (checkRevision && (none || streams) && entry && (await host.tenants.moved(entry)))
    throw new StaleTenantError(entry.tenant.id);
  if (none || route.route.options.auth === 'open') {
    const result = await call();
    return responseOf(
      route,
      result instanceof Reply && result.after
        ? new Reply(result.status, await result.after(ctx as Ctx), { headers: { ...result.headers } })
        : result,
      koa.url,
    );
  }
  const wanted = keyOf(host, route, scope, request, bytes);
  const unit = async (): Promise<{ response: ResponseParts; result: unknown }> => {
    const { db } = ctx;
    // The claim is sent with the first statements of the handler, which run after it and are rolled back if the key is in use. Middleware may
    // have other effects.
    const claimed = wanted && claim(db, keys(host), wanted);
    // It is awaited below. Until then a refused key must not count as an unhandled rejection, which would end the process.
    claimed?.catch(() => undefined);
    let result: unknown;
    try {
      if (route.middleware) refuseRepeated(await claimed);
      result = await call();
    } catch (error) {
      refuseRepeated(await claimed);
      throw error;
    }
    refuseRepeated(await claimed);
    const response = responseOf(route, result, koa.url);
    if (wanted) store(db, keys(host), wanted, stored(response), !(result instanceof Reply && result.after));
    return { response, result };
  };
  let done: Awaited<ReturnType<typeof unit>>;
  try {
    done = await inTransaction(host.context, scope, unit, {
      readOnly: !route.writes,
      configured: route.family === 'storefront',
      ...(checkRevision && entry && !streams ? { tenantRevision: entry.stamp } : {}),
    });
  } catch (error) {
    if (!(error instanceof RepeatedRequestError)) throw error;
    return replayed(await finalResponse(host, scope, wanted as Claim, error.known));
  }
  const { response, result } = done;
  if (!(result instanceof Reply && result.after)) return response;
  const body = await result.after(ctx as Ctx);
  const grown = responseOf(route, new Reply(result.status, body, { headers: { ...result.headers } }), koa.url);
  if (wanted) await inTransaction(host.context, scope, async () => finish(ctx.db, keys(host), wanted, stored(grown)));
  return grown;
}

/** @throws RepeatedRequestError if the key has a response */
function refuseRepeated(known: KnownResponse | undefined): void {
  if (known) throw new RepeatedRequestError(known);
}

function keys(host: PipelineHost): IdempotencyHost {
  return { seal: host.context.seal, unseal: host.context.unseal, now: host.context.clock.now };
}

/** Returns the claim of the request's Idempotency-Key, scoped to tenant, actor and route. */
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

function stored(response: ResponseParts): StoredResponse {
  return { status: response.status, headers: response.headers, body: typeof response.body === 'string' ? response.body : null };
}
function replayed(response: StoredResponse): ResponseParts {
  return { status: response.status, headers: { ...response.headers, 'idempotency-replayed': 'true' }, body: response.body };
}

/** Waits up to 10 s for the final response of the first request, which may still be calling a provider after its commit. */
async function finalResponse(host: PipelineHost, scope: Scope, wanted: Claim, first: KnownResponse): Promise<StoredResponse> {
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
