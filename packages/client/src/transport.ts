import { ProblemError, StoreloomError } from './problem-error.ts';
import { queryOf } from './query.ts';
import { renewed, type TokenSource } from './tokens.ts';
import type { CallOptions, Problem } from './values.ts';

/** A request before it is sent. Hooks may change its headers. */
export interface OutgoingRequest {
  /** `GET` and others, in capitals. */
  readonly method: string;
  /** Full address with its query. */
  readonly url: string;
  /** Headers of this attempt, in lower case. */
  readonly headers: Record<string, string>;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Functions that see every attempt. An error that they throw ends the call. */
export interface Hooks {
  /** Called before an attempt. */
  request?(request: OutgoingRequest): void | Promise<void>;
  /** Called after the headers of a response; must not read its body. */
  response?(response: Response, request: OutgoingRequest): void | Promise<void>;
}

/** Part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the calls of a client share. */
export interface Connection {
  /** Address without a slash at its end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly token: TokenSource;
  readonly timeout: number;
  readonly retries: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly hooks: Hooks;
  readonly locale: string | undefined;
  /** Headers that may change between calls: the token of a cart. */
  readonly currentHeaders?: () => Readonly<Record<string, string>>;
  /** Called with the JSON of every response. */
  readonly onJson?: (value: unknown) => void;
}

export interface Call {
  method: string;
  /** Path from the root. */
  path: string;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  /** Content type of a body that is text. */
  textType?: string | undefined;
  /** Whether the route stores the response under the `Idempotency-Key`, so that a POST can be repeated. */
  isKeyed: boolean;
  options: CallOptions;
}

/** Longest pause before a retry, in milliseconds. A response that wants a longer one is returned as the error that it is. */
const longestPause = 30_000;
const shortestPause = 250;
/** Routes that give tokens: a 401 means their body. A renewal that waits for itself would never end. */
const signsIn = /^\/api\/(?:v1\/)?auth\/(?:login|refresh)$/;
const transient: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** A response, whose body is read within the timeout by `read`. */
export async function send<T>(connection: Connection, call: Call, read: (response: Response) => Promise<T>): Promise<T> {
  const { options } = call;
  const encoded = encode(call);
  const fixed = fixedHeaders(connection, call, encoded.type);
  const isRepeatable =
    (call.method === 'GET' || call.method === 'HEAD' || (call.method === 'POST' && call.isKeyed)) && !encoded.isStream;
  const retries = isRepeatable ? (options.retries ?? connection.retries) : 0;
  const url = `${connection.baseUrl}${call.path}${queryOf(call.query)}`;
  let token = await connection.token.get();
  let isRenewed = false;
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    const headers = { ...fixed, ...(token === undefined || fixed.authorization ? {} : { authorization: `Bearer ${token}` }) };
    const request: OutgoingRequest = { method: call.method, url, headers, attempt };
    await connection.hooks.request?.(request);
    const result = await one(connection, request, encoded, call, read);
    if (result.ok) return result.value;
    const { error } = result;
    const problem = error instanceof ProblemError ? error : undefined;
    if (
      problem?.code === 'unauthenticated' &&
      !isRenewed &&
      !encoded.isStream &&
      !fixed.authorization &&
      !signsIn.test(call.path)
    ) {
      const next = await renewed(connection.token, token);
      if (next === undefined) throw error;
      token = next;
      isRenewed = true;
      continue;
    }
    if (attempt > retries || !isTransient(error)) throw error;
    const asked = problem?.retryAfter;
    if (asked !== undefined && asked > longestPause) throw error;
    // Random, so that the clients of one outage don't return together.
    const pause = Math.min(longestPause, shortestPause * 2 ** (attempt - 1));
    await sleep(asked === undefined ? pause * (0.5 + Math.random() / 2) : asked + shortestPause * Math.random(), options.signal);
  }
}

const isTransient = (error: StoreloomError): boolean =>
  error instanceof ProblemError
    ? transient.has(error.status) || error.code === 'idempotency_in_flight'
    : error.code === 'connection_failed' || error.code === 'timeout';

type Result<T> = { ok: true; value: T } | { ok: false; error: StoreloomError };

/** One attempt. Errors of the caller (its signal and hooks) are thrown; those of the network and API are results. */
async function one<T>(
  connection: Connection,
  request: OutgoingRequest,
  { body, isStream }: Encoded,
  { options }: Call,
  read: (response: Response) => Promise<T>,
): Promise<Result<T>> {
  const limit = options.timeout ?? connection.timeout;
  const aborter = new AbortController();
  let isLate = false;
  let isHook = false;
  const timer = setTimeout(() => {
    isLate = true;
    aborter.abort();
  }, limit);
  try {
    const response = await connection.fetch(request.url, {
      method: request.method,
      headers: request.headers,
      // The API doesn't redirect its methods, and a followed redirect would turn a POST into a GET and send tokens elsewhere.
      redirect: 'manual',
      // A file is read after the call: the caller's signal still ends it then, the timeout doesn't.
      signal: options.signal ? AbortSignal.any([aborter.signal, options.signal]) : aborter.signal,
      ...(body === undefined ? {} : { body }),
      ...(isStream ? { duplex: 'half' } : {}),
    } as RequestInit);
    isHook = true;
    await connection.hooks.response?.(response, request);
    isHook = false;
    if (response.ok) return { ok: true, value: await read(response) };
    return { ok: false, error: await problemOf(response, connection.baseUrl) };
  } catch (error) {
    if (isHook) throw error;
    if (error instanceof StoreloomError) return { ok: false, error };
    options.signal?.throwIfAborted();
    if (isLate) {
      const message = `${request.method} ${request.url}: no response within ${limit} ms`;
      return { ok: false, error: new StoreloomError('timeout', message, { cause: error }) };
    }
    const message = `${request.method} ${request.url}: the connection failed`;
    return { ok: false, error: new StoreloomError('connection_failed', message, { cause: error }) };
  } finally {
    clearTimeout(timer);
  }
}

async function problemOf(response: Response, baseUrl: string): Promise<StoreloomError> {
  const text = await response.text();
  const { status } = response;
  const retryAfter = pauseOf(response.headers.get('retry-after'));
  const docs = (code: string): string => `${baseUrl}/errors/${code}`;
  if (/^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '')) {
    const problem = parsed(text) as Partial<Problem> | undefined;
    if (typeof problem?.code === 'string')
      return new ProblemError({ ...problem, errors: problem.errors ?? [] } as Problem, docs(problem.code), retryAfter);
  }
  const code = 'unexpected_response';
  const problem: Problem = {
    type: `urn:storeloom:error:${code}`,
    title: 'Unexpected response',
    status,
    code,
    detail: `The response with status ${status} has no problem document: ${text.slice(0, 200)}`,
    instance: new URL(response.url || baseUrl).pathname,
    requestId: response.headers.get('x-request-id') ?? '',
    errors: [],
  };
  return new ProblemError(problem, docs(code), retryAfter);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a response; undefined for an empty body. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const value = parsed(text);
  if (value === undefined)
    throw new StoreloomError('unexpected_response', `${response.url}: the body of status ${response.status} isn't JSON`);
  return value;
}

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). */
function pauseOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function fixedHeaders(connection: Connection, { method, options }: Call, type: string | undefined): Record<string, string> {
  const { ifMatch } = options;
  const locale = options.locale ?? connection.locale;
  return lowerCase({
    accept: '*/*',
    ...(type ? { 'content-type': type } : {}),
    ...(locale ? { 'accept-language': locale } : {}),
    ...(method === 'POST' ? { 'idempotency-key': options.idempotencyKey ?? randomKey() } : {}),
    ...(ifMatch === undefined ? {} : { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }),
    ...connection.headers,
    ...connection.currentHeaders?.(),
    ...options.headers,
  });
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** 128 random bits. `crypto.randomUUID` is missing on pages without TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

interface Encoded {
  body: BodyInit | undefined;
  /** Undefined where the runtime states it: form data with its boundary, a Blob with its type. */
  type: string | undefined;
  isStream: boolean;
}

function encode({ body, textType }: Call): Encoded {
  const isStream = body instanceof ReadableStream;
  if (body === undefined) return { body, type: undefined, isStream };
  if (body instanceof FormData || body instanceof URLSearchParams || (body instanceof Blob && body.type !== ''))
    return { body, type: undefined, isStream };
  if (isStream || body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body) || typeof body === 'string')
    return { body: body as BodyInit, type: textType ?? 'application/octet-stream', isStream };
  return { body: JSON.stringify(body), type: 'application/json', isStream };
}
