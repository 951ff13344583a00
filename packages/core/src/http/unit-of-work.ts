import { type Actor, type Ctx, Problem, Reply, type Req } from '@storeloom/plugin-sdk';
import { contextOf, inTransaction } from '../context/context.ts';
import type { Scope } from '../context/scope.ts';
import { StaleTenantError } from '../database/stale-tenant-error.ts';
import type { Admitted } from './admit.ts';
import {
  type Claim,
  claim,
  type IdempotencyHost,
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
      ? runMiddleware(route.middleware, admitted, ctx as unknown as Ctx, request)
      : route.route.handler(ctx as never, request as never);
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
      const response = responseOf(route, result, koa.url);
      const after = result instanceof Reply ? result.after : undefined;
      if (wanted) store(db, keys(host), wanted, stored(response), after === undefined);
      return { response, after, result };
    },
    {
      readOnly: !route.writes,
      configured: route.family === 'storefront',
      ...(checkRevision && entry && !streams ? { tenantRevision: entry.stamp } : {}),
    },
  );
  if ('replay' in done && done.replay) return replayed(await finalResponse(host, scope, wanted as Claim, done.replay));
  const { response, after, result } = done as {
    response: ResponseParts;
    after: ((ctx: Ctx) => Promise<unknown>) | undefined;
    result: Reply;
  };
  if (!after) return response;
  const body = await after(ctx as unknown as Ctx);
  const grown = responseOf(route, new Reply(result.status, body, { headers: { ...result.headers } }), koa.url);
  if (wanted) await inTransaction(host.context, scope, async () => store(ctx.db, keys(host), wanted, stored(grown), true));
  return grown;
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
async function finalResponse(
  host: PipelineHost,
  scope: Scope,
  wanted: Claim,
  first: { stored: StoredResponse; final: boolean },
): Promise<StoredResponse> {
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
