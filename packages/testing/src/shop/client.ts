import { Agent, request } from 'undici';
import { checkOf } from './response-check.ts';

/** A response. */
export interface TestResponse<B = Record<string, unknown>> {
  /** HTTP status. */
  status: number;
  /** Headers in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** Parsed JSON, otherwise the text. */
  body: B;
  /** Body as received. */
  text: string;
}

/** Options of a request. */
export interface CallOptions {
  /** JSON body. */
  body?: unknown;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Body sent as it is, with its own content type. */
  raw?: { content: string | Buffer; type: string };
}

/** Who signed in and does so again before the token ends, as a browser would: some tests take longer. */
class SignedIn {
  readonly first: string;
  private current: string;
  private at = performance.now();
  private readonly again: () => Promise<string>;
  constructor(first: string, again: () => Promise<string>) {
    this.first = first;
    this.current = first;
    this.again = again;
  }
  async authorization(): Promise<string> {
    if (performance.now() - this.at > 300_000) {
      this.at = performance.now();
      this.current = await this.again();
    }
    return this.current;
  }
}

/** Sends requests to one shop: base URL, host and credentials. */
export class TestClient {
  /** Base URL of the process. */
  readonly base: string;
  /** Host header. */
  readonly host: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  private readonly agent: Agent;
  /** Returns a client that signs in, and again before the token expires. `signIn` returns the value of `Authorization`. */
  private readonly signedIn: SignedIn | undefined;
  constructor(
    base: string,
    host: string,
    headers: Record<string, string> = {},
    agent = new Agent({ connections: 256, pipelining: 1 }),
    signedIn?: SignedIn,
  ) {
    this.base = base;
    this.host = host;
    this.headers = headers;
    this.agent = agent;
    this.signedIn = signedIn;
  }
  /** Signs in, and stays so. `signIn` gives the value of `Authorization`. */
  static async signedIn(base: string, host: string, signIn: () => Promise<string>): Promise<TestClient> {
    const first = await signIn();
    return new TestClient(base, host, { authorization: first }, undefined, new SignedIn(first, signIn));
  }
  /** Returns a client with further headers. */
  with(headers: Record<string, string>): TestClient {
    return new TestClient(this.base, this.host, { ...this.headers, ...headers }, this.agent, this.signedIn);
  }
  /** Returns a client of another process of the installation. */
  at(base: string): TestClient {
    return new TestClient(base, this.host, { ...this.headers }, this.agent, this.signedIn);
  }
  /** Sends a request. */
  async call<B = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}): Promise<TestResponse<B>> {
    const headers: Record<string, string> = { host: this.host, ...this.headers, ...options.headers };
    if (this.signedIn && headers.authorization === this.signedIn.first)
      headers.authorization = await this.signedIn.authorization();
    let body: string | Buffer | undefined;
    if (options.raw) {
      body = options.raw.content;
      headers['content-type'] = options.raw.type;
    } else if (options.body !== undefined) {
      body = JSON.stringify(options.body);
      headers['content-type'] ??= 'application/json';
    }
    const response = await request(`${this.base}${path}`, {
      method: method as 'GET',
      headers,
      body: body ?? null,
      dispatcher: this.agent,
    });
    const text = Buffer.from(await response.body.arrayBuffer()).toString('utf8');
    const type = String(response.headers['content-type'] ?? '');
    const answered = {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: (type.includes('json') && text !== '' ? JSON.parse(text) : text) as B,
    };
    await checkOf(this.base)?.check(method, path, answered);
    return answered;
  }
  /** Sends a GET. */
  get<B = Record<string, unknown>>(path: string, options?: CallOptions): Promise<TestResponse<B>> {
    return this.call<B>('GET', path, options);
  }
  /** Sends a POST. */
  post<B = Record<string, unknown>>(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse<B>> {
    return this.call<B>('POST', path, { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) });
  }
  /** Sends a PUT. */
  put<B = Record<string, unknown>>(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse<B>> {
    return this.call<B>('PUT', path, { body: body ?? {}, ...(headers ? { headers } : {}) });
  }
  /** Sends a PATCH. */
  patch<B = Record<string, unknown>>(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse<B>> {
    return this.call<B>('PATCH', path, { body: body ?? {}, ...(headers ? { headers } : {}) });
  }
  /** Sends a DELETE. */
  delete<B = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<TestResponse<B>> {
    return this.call<B>('DELETE', path, headers ? { headers } : {});
  }
  /** Closes the connections. */
  async close(): Promise<void> {
    await this.agent.close();
  }
}
