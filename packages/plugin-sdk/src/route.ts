import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ZodType } from 'zod';
import type { Ctx, PlatformCtx } from './context.ts';
import type { CreateOf, Shape } from './field.ts';
import { assertKnownProperties } from './known-properties.ts';
import type { Declared, ResultOf } from './response.ts';

/** HTTP method of a route. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Parses a query string by its own rules, as `List` does. Throws 400 `invalid_parameter`. */
export interface QueryParser<T = unknown> {
  /** Returns the parsed parameters. */
  parse(params: URLSearchParams): T;
  /**
   * Parameters it reads, for OpenAPI; in addition to those of a `List`. A field of kind `json` stands for `name[key]=value`, one
   * called `*` for any other parameter.
   */
  readonly describes?: Shape;
}
/** A body of one of several shapes, which the body itself determines. Made by `choice`. */
export interface Choice<S extends Shape = Shape> {
  readonly '~choice': { readonly shapes: readonly S[]; shapeOf(body: Readonly<Record<string, unknown>>): S };
}
/** A shape of fields, a choice of shapes, a zod schema, or any Standard Schema. */
export type SchemaLike = Shape | Choice | ZodType | StandardSchemaV1;
/** What `query` of a route accepts. */
export type QueryLike = Shape | QueryParser;
/** The value that a schema validates to. */
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

/** A rate limit of a route. A route can have several; the first one exhausted is answered with 429. */
export interface RateLimit {
  /** Requests allowed for each key within `seconds`. */
  points: number;
  /** Length of the window. */
  seconds: number;
  /**
   * What is counted: the caller's network (`ip`, default: IPv4 by /24, IPv6 by /64), the visitor (`visitor`: a signed-in customer, otherwise the
   * address), the tenant, the actor, or a value of the request.
   */
  by?: 'ip' | 'visitor' | 'tenant' | 'actor' | ((req: Req<unknown, unknown, unknown>) => string);
  /** Counts only requests for which this returns true, by their validated body. Default: all. */
  when?: (req: Req<unknown, unknown, unknown>) => boolean;
  /** Routes with the same name share the limit. Default: the route. */
  name?: string;
}

/**
 * For OpenAPI, if the query or response is that of another route, whose plugin may be missing: method and full path of that
 * route, `GET /api/storefront/orders/{id}`. `query` adds its parameters except those in `without`; `response` is its response,
 * or its row if either is a list.
 */
export interface SameAs {
  /** Route with the same response. */
  readonly response?: string;
  /** Route with the same query parameters. */
  readonly query?: string;
  /** Parameters of that query that this route doesn't accept. */
  readonly without?: readonly string[];
}

/** Options of a route. */
export interface RouteOptions<
  P extends SchemaLike | undefined = SchemaLike | undefined,
  Q extends QueryLike | undefined = QueryLike | undefined,
  B extends SchemaLike | undefined = SchemaLike | undefined,
  R extends SchemaLike | undefined = SchemaLike | undefined,
  L extends boolean | undefined = boolean | undefined,
  X extends Readonly<Record<number, SchemaLike>> | undefined = Readonly<Record<number, SchemaLike>> | undefined,
  A extends SameAs | undefined = SameAs | undefined,
> {
  /** Admin: the permission that the route requires. */
  permission?: string;
  /**
   * Storefront: `public` (default; guest or customer) or `customer` (a guest gets 401). Admin: `open` for a step of the sign-in, before
   * there is a bearer token; only the plugin that provides the authenticator may declare one.
   */
  auth?: 'public' | 'customer' | 'open';
  /** Summary for OpenAPI. */
  summary?: string;
  /** Path parameters that aren't UUIDs. A parameter without an entry must be a UUID, otherwise the response is 404. */
  params?: P;
  /** Query parameters; unknown ones are 400 `invalid_parameter`. */
  query?: Q;
  /** Body; unknown properties are 422 `unknown_field`. */
  body?: B;
  /**
   * The body as received: `raw` a Buffer of at most 1 MB, `stream` a Readable of at most `maxBytes`, of one of `contentTypes`.
   */
  rawBody?: 'raw' | 'stream';
  /** Accepted media types of a raw body. */
  contentTypes?: readonly string[];
  /** Maximum size of a streamed body. */
  maxBytes?: number;
  /** True for PATCH semantics: omitted properties stay omitted, without defaults. Default: true for PATCH. */
  partial?: boolean;
  /**
   * Schema of the response, for OpenAPI and the type of the handler's result; of a row if `list` is true. Properties beyond it are
   * never sent.
   */
  response?: R;
  /** True if the response is a page of rows. */
  list?: L;
  /** Schemas of further responses of success by status, returned as a `Reply`: `{ 202: { jobId: f.id() } }`. */
  otherResponses?: X;
  /** Query or response of another route. */
  sameAs?: A;
  /** Status of a successful response, for OpenAPI. Default 200. */
  status?: number;
  /** Media types of a response that isn't JSON. */
  produces?: string | readonly string[];
  /** True for a GET that writes (a cart created on first use). */
  writes?: boolean;
  /** `none`: the handler opens its own transactions with `ctx.transaction` (long work, external calls). */
  transaction?: 'none';
  /**
   * Caches a public storefront response that is the same for all guests, for each tenant, locale and URL. `maxAge` is in seconds;
   * `ctx.dropCache(tag)` drops it.
   */
  cache?: { tags: readonly string[]; maxAge: number };
  /** Rate limits of the route. */
  rateLimit?: RateLimit | readonly RateLimit[];
  /** True for a route beyond the specified interface. */
  additive?: boolean;
  /** False leaves a storefront or auth route out of the versioned mirror under `/api/v1`. Default true. */
  mirror?: false;
  /** Problem codes that the route can answer with, for OpenAPI. */
  problems?: readonly string[];
  /** Entity of the audit entry. Default: that of the permission. */
  entity?: string;
  /** Marks the route as deprecated: sends `Deprecation` and `Sunset`. */
  deprecated?: { since: string; sunset?: string; replacement?: string };
  /** `auth` and `system` routes: rejects a caller by its headers, before the body is read, by throwing a problem. */
  admit?: (ctx: PlatformCtx, req: Pick<Req<unknown, unknown, unknown>, 'headers' | 'host' | 'cookies'>) => void | Promise<void>;
  /** Whether `Idempotency-Key` is honoured (POST only). Default true; set false if the response contains secrets. */
  idempotent?: boolean;
}

/** A validated request. */
export interface Req<P, Q, B> {
  /** Path parameters. */
  readonly params: P;
  /** Parsed query. */
  readonly query: Q;
  /** Validated body. */
  readonly body: B;
  /** Headers in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Version in `If-Match`; undefined without one. */
  readonly ifMatch: number | undefined;
  /** The body, with `rawBody: 'stream'`. */
  readonly stream: Readable | undefined;
  /** HTTP method. */
  readonly method: Method;
  /** Path and query as sent. */
  readonly url: string;
  /** Host name as sent. */
  readonly host: string;
  /** Cookies by name. */
  readonly cookies: Readonly<Record<string, string>>;
  /**
   * Counts the request among those that a tenant has in progress, for a route without a tenant whose input names one. Call it once, before the
   * body is read.
   * @throws Problem 503 `unavailable` above the tenant's limits
   */
  countFor(tenantId: string): void;
}

type ParamsOfPath<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParamsOfPath<Rest>
  : unknown;
type Params<P, Path extends string> = (P extends SchemaLike ? ValueOf<P> : unknown) & ParamsOfPath<Path> & Record<string, string>;
/** The request of a route with these schemas of path parameters, query and body; `Path` names its path parameters. */
export type RequestOf<P, Q, B, Path extends string = string> = Req<
  Params<P, Path>,
  Q extends QueryLike ? ValueOf<Q> : Record<string, never>,
  B extends SchemaLike ? ValueOf<B> : undefined
>;
/** Handles a request. A returned value is the body of a 200; return a `Reply`, `FileReply` or `JsonText` for anything else. */
export type Handler<P, Q, B, C = Ctx, H = unknown, Path extends string = string> = (
  ctx: C,
  req: RequestOf<P, Q, B, Path>,
) => H | Promise<H>;

type Answer<R, L, X, A> = { response: R; list: L; otherResponses: X; sameAs: A };

/** A route. */
export interface Route {
  /** HTTP method. */
  readonly method: Method;
  /** Relative to the family's prefix, `/orders/{id}/ship`; the full path in the `system` family. */
  readonly path: string;
  /** Options of the route. */
  readonly options: RouteOptions;
  /** Handles a request. */
  handler(ctx: Ctx | PlatformCtx, req: Req<unknown, unknown, unknown>): unknown;
}

const routeProperties: Readonly<Record<keyof RouteOptions, true>> = {
  permission: true,
  auth: true,
  summary: true,
  params: true,
  query: true,
  body: true,
  rawBody: true,
  contentTypes: true,
  maxBytes: true,
  partial: true,
  response: true,
  list: true,
  otherResponses: true,
  sameAs: true,
  status: true,
  produces: true,
  writes: true,
  transaction: true,
  cache: true,
  rateLimit: true,
  additive: true,
  mirror: true,
  problems: true,
  entity: true,
  deprecated: true,
  admit: true,
  idempotent: true,
};

/** Declares routes whose handlers get a context of type `C`. */
export type DeclareRoute<C extends Ctx | PlatformCtx> = <
  const Path extends string,
  const P extends SchemaLike | undefined = undefined,
  const Q extends QueryLike | undefined = undefined,
  const B extends SchemaLike | undefined = undefined,
  const R extends SchemaLike | undefined = undefined,
  const L extends boolean | undefined = undefined,
  const X extends Readonly<Record<number, SchemaLike>> | undefined = undefined,
  const A extends SameAs | undefined = undefined,
  H extends ResultOf<Answer<R, L, X, A>> = ResultOf<Answer<R, L, X, A>>,
>(
  method: Method,
  path: Path,
  options: RouteOptions<P, Q, B, R, L, X, A>,
  handler: Handler<P, Q, B, C, H, Path> & Declared<H, Answer<R, L, X, A>>,
) => Route;

const declareRoute =
  <C extends Ctx | PlatformCtx>(name: string): DeclareRoute<C> =>
  (method, path, options, handler) => {
    assertKnownProperties(`${name} ${method} ${path}`, options, routeProperties);
    return Object.freeze({ method, path, options, handler });
  };

/** Returns a route of the admin or storefront family, with the same pipeline as the routes of a resource. */
export const route: DeclareRoute<Ctx> = declareRoute('route');

/** Returns a super-admin, auth or system route: its context has no tenant. */
export const platformRoute: DeclareRoute<PlatformCtx> = declareRoute('platformRoute');

/** A notification of a provider, as received. */
export interface InboundRequest {
  /** Body in bytes. */
  readonly raw: Buffer;
  /** Headers in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Query parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** IP address of the sender. */
  readonly ip: string | null;
  /** Seconds since 1970. */
  readonly now: number;
}
/** The response to a provider. */
export interface InboundReply {
  /** HTTP status. */
  status: number;
  /** Body; JSON unless it is a string. */
  body?: unknown;
  /** Media type. */
  type?: string;
}

/**
 * Receives notifications of a provider. Order: tenant, `verify` (before parsing), event id, unique row, 2xx response; `handle`
 * runs in a job.
 */
export interface Inbound {
  /** Default POST. */
  readonly method?: 'GET' | 'POST';
  /** Name of the provider. */
  readonly provider: string;
  /**
   * Returns the tenant of the notification, from the path or the provider's account. Undefined is answered like an invalid
   * signature.
   */
  tenant(ctx: PlatformCtx, req: InboundRequest): Promise<string | undefined>;
  /**
   * Checks the signature. False is answered with 401 `signature_invalid`; it can throw `provider_not_configured`. No transaction
   * is open, nor in `challenge` and `eventId`.
   */
  verify(ctx: Ctx, req: InboundRequest): Promise<boolean>;
  /** Answers the handshake of a provider (GET). */
  challenge?(ctx: Ctx, req: InboundRequest): Promise<InboundReply>;
  /** Returns the id of the notification; a repeated one is acknowledged but not handled again. */
  eventId(ctx: Ctx, req: InboundRequest): string;
  /** Handles the notification in a job, at least once; it must be idempotent. `ctx` has no open transaction. */
  handle(ctx: Ctx, event: { eventId: string; raw: string; headers: Record<string, string> }): Promise<void>;
  /** Returns the response that the provider expects. No transaction is open. Default: 200 `{received: true}`. */
  ack?(req: InboundRequest, ctx: Ctx): InboundReply | Promise<InboundReply>;
}
/** Returns a receiver of notifications, for `webhooks` of definePlugin. */
export function inbound(definition: Inbound): Inbound {
  return Object.freeze(definition);
}
