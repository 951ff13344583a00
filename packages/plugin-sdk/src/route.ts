import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ZodType } from 'zod';
import type { Ctx, PlatformCtx } from './context.ts';
import type { CreateOf, Shape } from './field.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Reads a query string by rules of its own (`List` is one). Throws `invalid_parameter`. */
export interface QueryParser<T = unknown> {
  parse(params: URLSearchParams): T;
  /**
   * The parameters that it reads, for OpenAPI; with those of a `List` where it is one. A field of kind `json` stands for
   * `name[key]=value`, one called `*` for whatever else comes.
   */
  readonly describes?: Shape;
}
/** A body of one of several shapes; the body itself says which. `choice` makes it. */
export interface Choice<S extends Shape = Shape> {
  readonly '~choice': { readonly shapes: readonly S[]; shapeOf(body: Readonly<Record<string, unknown>>): S };
}
/** A shape of fields, a choice of shapes, a zod schema, or any Standard Schema. */
export type SchemaLike = Shape | Choice | ZodType | StandardSchemaV1;
/** What `query` of a route takes. */
export type QueryLike = Shape | QueryParser;
export type ValueOf<X> =
  X extends ZodType<infer O>
    ? O
    : X extends StandardSchemaV1<unknown, infer O>
      ? O
      : X extends QueryParser<infer O>
        ? O
        : X extends Choice<infer S>
          ? CreateOfEach<S>
          : X extends Shape
            ? CreateOf<X>
            : undefined;
type CreateOfEach<S extends Shape> = S extends Shape ? CreateOf<S> : never;

/** Several limits a route; the first that is exhausted answers 429. */
export interface RateLimit {
  /** Points for each key within `seconds`. */
  points: number;
  seconds: number;
  /** What is counted: the caller's address (default), the tenant, the actor, or a value of the request. */
  by?: 'ip' | 'tenant' | 'actor' | ((req: Req<unknown, unknown, unknown>) => string);
  /** Routes that share a name share the bucket. Default: the route. */
  name?: string;
}

export interface RouteOptions<
  P extends SchemaLike | undefined = SchemaLike | undefined,
  Q extends QueryLike | undefined = QueryLike | undefined,
  B extends SchemaLike | undefined = SchemaLike | undefined,
> {
  /** Admin: the one permission it needs. Required there. */
  permission?: string;
  /** Storefront: `public` (default; guest or customer) or `customer` (a guest gets 401). Admin: `open` for the two routes without a bearer. */
  auth?: 'public' | 'customer' | 'open';
  summary?: string;
  /** Path parameters that aren't UUIDs. A parameter without an entry must be a UUID, else 404. */
  params?: P;
  query?: Q;
  body?: B;
  /** Body as it comes: `raw` a Buffer (≤ 1 MB), `stream` a Readable up to `maxBytes`, of one of `contentTypes`. */
  rawBody?: 'raw' | 'stream';
  contentTypes?: readonly string[];
  maxBytes?: number;
  /** PATCH semantics: members left out stay out (no defaults). Default: true for PATCH. */
  partial?: boolean;
  /** Shape or schema of the answer, for OpenAPI. A list says `list: true` and gives its row. */
  response?: SchemaLike;
  list?: boolean;
  /**
   * For OpenAPI, where what this route takes or answers is another's, whose plugin may be missing: that route's method and full path,
   * `GET /api/storefront/orders/{id}`. `query` adds its parameters to the own ones, but for those named in `without`; `response` gives the
   * answer, or the row where either is a list.
   */
  sameAs?: { response?: string; query?: string; without?: readonly string[] };
  /** Success status for OpenAPI. Default 200. */
  status?: number;
  /** Media type of an answer that isn't JSON. */
  produces?: string;
  /** A GET that writes (a lazily made cart). */
  writes?: boolean;
  /** `none`: the handler opens its own transactions with `ctx.transaction` (long or outside work). */
  transaction?: 'none';
  /** Public storefront answer, the same for all guests: cached a tenant, locale and target; dropped by `ctx.dropCache(tag)`. Seconds. */
  cache?: { tags: readonly string[]; maxAge: number };
  rateLimit?: RateLimit | readonly RateLimit[];
  /** Beyond the interface's list. */
  additive?: boolean;
  /** Problem codes that the route may answer, for OpenAPI. */
  problems?: readonly string[];
  /** Entity for the audit row. Default: from the permission. */
  entity?: string;
  deprecated?: { since: string; sunset?: string; replacement?: string };
  /** `auth` and `system` routes: refuses a caller by its headers before the body is read, by throwing a problem. */
  admit?: (ctx: PlatformCtx, req: Pick<Req<unknown, unknown, unknown>, 'headers' | 'host' | 'cookies'>) => void | Promise<void>;
  /** Honour Idempotency-Key (POST only). Default true; false where the answer holds secrets. */
  idempotent?: boolean;
}

export interface Req<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly headers: IncomingHttpHeaders;
  /** Version asked for by `If-Match`, undefined without one. */
  readonly ifMatch: number | undefined;
  /** With `rawBody: 'stream'`. */
  readonly stream: Readable | undefined;
  readonly method: Method;
  /** Path and query as sent. */
  readonly url: string;
  readonly host: string;
  readonly cookies: Readonly<Record<string, string>>;
}

type Params<P> = P extends SchemaLike ? ValueOf<P> & Record<string, string> : Record<string, string>;
/** The request of a route with these schemas of path parameters, query and body. */
export type RequestOf<P, Q, B> = Req<
  Params<P>,
  Q extends QueryLike ? ValueOf<Q> : Record<string, never>,
  B extends SchemaLike ? ValueOf<B> : undefined
>;
export type Handler<P, Q, B, C = Ctx> = (ctx: C, req: RequestOf<P, Q, B>) => unknown;

export interface Route {
  readonly method: Method;
  /** Relative to the family's prefix, `/orders/{id}/ship`; full for the `system` family. */
  readonly path: string;
  readonly options: RouteOptions;
  readonly handler: (ctx: never, req: never) => unknown;
}

/** One route with the same pipeline as a resource's. */
export function route<
  const P extends SchemaLike | undefined = undefined,
  const Q extends QueryLike | undefined = undefined,
  const B extends SchemaLike | undefined = undefined,
>(method: Method, path: string, options: RouteOptions<P, Q, B>, handler: Handler<P, Q, B>): Route {
  return Object.freeze({ method, path, options, handler: handler as Route['handler'] });
}

/** A super-admin route: no tenant in its context. */
export function platformRoute<
  const P extends SchemaLike | undefined = undefined,
  const Q extends QueryLike | undefined = undefined,
  const B extends SchemaLike | undefined = undefined,
>(method: Method, path: string, options: RouteOptions<P, Q, B>, handler: Handler<P, Q, B, PlatformCtx>): Route {
  return Object.freeze({ method, path, options, handler: handler as Route['handler'] });
}

export interface InboundRequest {
  /** The bytes as they came. */
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly ip: string | null;
  /** Seconds since the epoch. */
  readonly now: number;
}
export interface InboundReply {
  status: number;
  body?: unknown;
  type?: string;
}

/** A provider's notification. Order: tenant → verify (before parsing) → event id → unique row → 2xx, `handle` in a job. */
export interface Inbound {
  readonly method?: 'GET' | 'POST';
  readonly provider: string;
  /** The tenant the notification is for: from the path, or from the provider's account. Undefined answers like a bad signature. */
  tenant(ctx: PlatformCtx, req: InboundRequest): Promise<string | undefined>;
  /** False, or thrown `provider_not_configured`: 401 `signature_invalid` or 501. No transaction is open here, in `challenge` and in `eventId`. */
  verify(ctx: Ctx, req: InboundRequest): Promise<boolean>;
  /** GET handshake. */
  challenge?(ctx: Ctx, req: InboundRequest): Promise<InboundReply>;
  eventId(ctx: Ctx, req: InboundRequest): string;
  /** Runs as a job, at least once; idempotent. `ctx` has no open transaction. */
  handle(ctx: Ctx, event: { eventId: string; raw: string; headers: Record<string, string> }): Promise<void>;
  /** What the provider wants to read. No transaction is open. Default: 200 `{received: true}`. */
  ack?(req: InboundRequest, ctx: Ctx): InboundReply | Promise<InboundReply>;
}
export function inbound(definition: Inbound): Inbound {
  return Object.freeze(definition);
}
