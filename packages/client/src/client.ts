import { methodsOf, prefixes } from './methods.ts';
import type { Family, MethodsOf, Slice } from './slice.ts';
import { sourceOf, type Token } from './tokens.ts';
import { type Connection, type Fetch, type Hooks, jsonOf, send } from './transport.ts';
import type { CallOptions } from './values.ts';

/** Options of `createClient`. */
export interface ClientOptions<S extends readonly Slice[]> {
  /** Address of the API, `https://api.example.com`. */
  baseUrl: string;
  /** Bearer token of calls. Default: none. */
  token?: Token | undefined;
  /** Slices of the plugins that the client calls. */
  slices: S;
  /** Milliseconds for one attempt. Default 30,000. */
  timeout?: number;
  /** Repeats after a connection failure, a timeout or a status of 408, 429, 502, 503 or 504, for GET and POST. Default 2. */
  retries?: number;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** Languages of texts and messages, as in `Accept-Language`. */
  locale?: string;
  /** Functions that see every attempt. */
  hooks?: Hooks;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
}

/** Options of `client.storefront`. */
export interface StorefrontOptions {
  /** Host of the shop, `shop.example` or `shop.example:4000`; replaces the host of `baseUrl`. Default: that of `baseUrl`. */
  host?: string;
  /** Languages of texts and messages. Default: that of the client. */
  locale?: string;
  /** Token of a customer. Default: none, a guest. */
  token?: Token;
  /** Token of a guest's cart. Without one, the client keeps the token of the first cart that a response contains. */
  cartToken?: string;
  /** Called with the token of a new cart: store it to keep the cart. */
  onCartToken?(token: string): void;
  /** Token of one order, as its e-mails contain it. */
  orderToken?: string;
  /** Token of one booking or ticket. */
  manageToken?: string;
}

/** A request that no method covers. */
export interface RawRequest extends CallOptions {
  /** Properties of the query, as methods take them. */
  query?: Readonly<Record<string, unknown>>;
  /** JSON, or form data, a Blob or bytes. */
  body?: unknown;
}

/** The storefront of one shop, as a guest or a customer. */
export type Storefront<S extends readonly Slice[]> = MethodsOf<S, 'storefront'> & {
  /** Sign-in, registration and recovery of the shop's customers. */
  readonly auth: MethodsOf<S, 'auth'>;
  /** Routes outside the families. */
  readonly system: MethodsOf<S, 'system'>;
  /** Returns the same storefront with the token of a customer. */
  as(token: Token): Storefront<S>;
  /** Token of the cart: the option, or that of the latest response with a cart. */
  readonly cartToken: string | undefined;
};

/** A client of one installation. */
export interface Client<S extends readonly Slice[]> {
  /** Routes under `/api/admin`, for staff. */
  readonly admin: MethodsOf<S, 'admin'>;
  /** Routes under `/api/super-admin`, for operators. */
  readonly superAdmin: MethodsOf<S, 'superAdmin'>;
  /** Routes under `/api/auth`. */
  readonly auth: MethodsOf<S, 'auth'>;
  /** Routes outside the families: health, files, uploads. */
  readonly system: MethodsOf<S, 'system'>;
  /**
   * Returns the routes under `/api/storefront` of one shop, as a guest. The host determines the shop. The client's token isn't sent: a host
   * belongs to its tenant.
   */
  storefront(options?: StorefrontOptions): Storefront<S>;
  /** Returns the same client with another token. */
  as(token: Token): Client<S>;
  /** Sends a request to any path and returns the JSON of its response. A POST is retried only with `idempotencyKey`. */
  request(method: string, path: string, request?: RawRequest): Promise<unknown>;
}

/**
 * Returns a client whose methods are those of the slices.
 *
 * ```ts
 * import { createClient } from '@storeloom/client';
 * import { catalog, orders } from '@storeloom/client/slices';
 *
 * const client = createClient({ baseUrl: 'https://api.example.com', token, slices: [catalog, orders] });
 * for await (const product of client.admin.products.list({ status: { in: ['active'] } })) console.log(product.title);
 * ```
 *
 * @throws TypeError if `baseUrl` isn't an absolute URL
 */
export function createClient<const S extends readonly Slice[]>(options: ClientOptions<S>): Client<S> {
  const { baseUrl, token, slices, timeout = 30_000, retries = 2, headers = {}, hooks = {}, locale } = options;
  const connection: Connection = {
    baseUrl: baseOf(new URL(baseUrl)),
    // `fetch` must be called without the client as `this`, and tests replace the global one later.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    token: sourceOf(token),
    timeout,
    retries,
    headers,
    hooks,
    locale,
  };
  return clientOf(connection, slices);
}

const baseOf = (url: URL): string => `${url.origin}${url.pathname}`.replace(/\/+$/, '');

function clientOf<const S extends readonly Slice[]>(connection: Connection, slices: S): Client<S> {
  const methods = <K extends Family>(family: K, of = connection): MethodsOf<S, K> => build(of, slices, family) as MethodsOf<S, K>;
  return {
    admin: methods('admin'),
    superAdmin: methods('superAdmin'),
    auth: methods('auth'),
    system: methods('system'),
    storefront: (options = {}) => storefrontOf(connection, slices, options),
    as: (token) => clientOf({ ...connection, token: sourceOf(token) }, slices),
    request: (method, path, { query, body, ...options } = {}) =>
      send(connection, { method, path, query, body, isKeyed: options.idempotencyKey !== undefined, options }, jsonOf),
  };
}

function build(connection: Connection, slices: readonly Slice[], family: Family): object {
  return methodsOf(
    connection,
    prefixes[family],
    slices.map(({ routes }) => routes[family] ?? ''),
  );
}

/** The token of a cart, which the clients of one visitor share. */
interface Cart {
  token: string | undefined;
}

function storefrontOf<S extends readonly Slice[]>(
  connection: Connection,
  slices: S,
  options: StorefrontOptions,
  cart: Cart = { token: options.cartToken },
): Storefront<S> {
  const { host, locale, token, onCartToken, orderToken, manageToken } = options;
  const of: Connection = {
    ...connection,
    token: sourceOf(token),
    ...(host === undefined ? {} : { baseUrl: withHost(connection.baseUrl, host) }),
    ...(locale === undefined ? {} : { locale }),
    headers: {
      ...connection.headers,
      ...(orderToken === undefined ? {} : { 'x-order-token': orderToken }),
      ...(manageToken === undefined ? {} : { 'x-manage-token': manageToken }),
    },
    currentHeaders: (): Record<string, string> => (cart.token === undefined ? {} : { 'x-cart-token': cart.token }),
    onJson(value) {
      const token = (value as { cartToken?: unknown } | null | undefined)?.cartToken;
      if (typeof token !== 'string' || token === cart.token) return;
      cart.token = token;
      onCartToken?.(token);
    },
  };
  return Object.defineProperties(build(of, slices, 'storefront'), {
    auth: { value: build(of, slices, 'auth') },
    system: { value: build(of, slices, 'system') },
    as: { value: (customer: Token) => storefrontOf(connection, slices, { ...options, token: customer }, cart) },
    cartToken: { get: () => cart.token },
  }) as Storefront<S>;
}

function withHost(baseUrl: string, host: string): string {
  const url = new URL(baseUrl);
  url.host = host;
  if (!host.includes(':')) url.port = '';
  return baseOf(url);
}
