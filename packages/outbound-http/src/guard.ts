import type { LookupFunction } from 'node:net';
import { type GuardedHttp, type Log, problem } from '@storeloom/plugin-sdk';
import ipaddr from 'ipaddr.js';
import { addressRefusal, isLocalName, isLoopback } from './addresses.ts';
import { createNameLookup, isUnknownName, type NameLookup } from './name-lookup.ts';

export interface HttpGuardOptions {
  /** Development: http, loopback and local names that resolve to it are allowed, on any port. */
  allowLocal?: boolean;
  /** Ports besides 443 (and 80 for http). */
  ports?: readonly number[];
  /** Returns every address of a name. Default: queries the system's name servers. */
  resolve?: NameLookup;
  /** Certificates to trust besides the system's, for a test's own server. */
  ca?: string;
  log?: Log;
  /** W3C trace context of the work that sends the request. */
  traceparent?: () => string | undefined;
}

type Refusal =
  | 'url_invalid'
  | 'scheme_refused'
  | 'credentials_refused'
  | 'port_refused'
  | 'host_refused'
  | 'host_unanswered'
  | 'address_refused';

const defaultTimeout = 15_000;
const maxTimeout = 120_000;
/** Milliseconds to wait for the resolution of a name. */
const resolvePatience = 3000;
const defaultBytes = 5 * 1024 * 1024;
const maxBytesEver = 100 * 1024 * 1024;
/** Headers that the client sets itself. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

function refuse(code: Refusal, message: string): Error {
  return problem('validation_failed', {
    detail: `This URL is not allowed: ${message}.`,
    errors: [{ pointer: '/url', code, message }],
  });
}

/**
 * Sends all requests to URLs given by users, protected against server-side request forgery. Checks the parsed host, so that every notation
 * of an address is covered; resolves a name once, requires every address to be public, and connects to a checked address, with the name in
 * Host and SNI. Redirects are returned, not followed. Each request is checked.
 * @throws Problem `validation_failed` with `url_invalid`, `scheme_refused`, `credentials_refused`, `port_refused`, `host_refused` or
 *   `address_refused`; `unavailable` without a response in time, or if it is too large. `check` reports `host_unanswered` if the name servers
 *   don't respond.
 */
export function createHttpGuard({
  allowLocal = false,
  ports = [],
  resolve = createNameLookup(),
  ca,
  log,
  traceparent,
}: HttpGuardOptions = {}): GuardedHttp {
  function check(text: string): URL {
    // Reject URLs that a header or a log line can't contain.
    if (text.length > 2048 || !URL.canParse(text)) throw refuse('url_invalid', 'must be an absolute URL');
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(allowLocal && url.protocol === 'http:'))
      throw refuse('scheme_refused', 'must begin with https://');
    if (url.username !== '' || url.password !== '')
      throw refuse('credentials_refused', 'must not contain a user name or password');
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    if (!allowLocal && port !== 443 && port !== 80 && !ports.includes(port))
      throw refuse('port_refused', `port ${port} is not allowed`);
    return url;
  }

  /** Resolves the host. `unanswered` returns the error if no name server responds. */
  async function addressesOf(url: URL, patienceMs: number, unanswered: (reason: string) => Error): Promise<string[]> {
    const host = url.hostname;
    const literal = host.startsWith('[') ? host.slice(1, -1) : host;
    const isAddress = ipaddr.isValid(literal);
    if (!isAddress && isLocalName(host) && !allowLocal) throw refuse('host_refused', 'must be a public host name');
    const signal = AbortSignal.timeout(patienceMs);
    let addresses: readonly string[];
    try {
      addresses = isAddress ? [literal] : await resolve(host, signal);
    } catch (error) {
      const { code } = error as { code?: unknown };
      log?.info({ host, code }, 'a host name could not be resolved');
      if (!isLocalName(host) && !isUnknownName(error))
        throw unanswered(signal.aborted || code === 'ETIMEOUT' ? 'timeout' : 'unreachable');
      throw refuse('host_refused', 'the host name does not exist');
    }
    if (addresses.length === 0) throw refuse('host_refused', 'the host name does not exist');
    for (const address of addresses) {
      const reason = addressRefusal(address);
      if (reason === undefined || (allowLocal && isLoopback(address))) continue;
      log?.warn({ host, address, reason }, 'a request to an internal address was rejected');
      throw refuse('address_refused', 'must resolve to a public address');
    }
    return [...addresses];
  }

  return {
    async check(text) {
      const url = check(text);
      await addressesOf(url, resolvePatience, () =>
        refuse('host_unanswered', 'no name server responded for the host; try again later'),
      );
    },
    async fetch(text, { method = 'GET', headers = {}, body, timeoutMs = defaultTimeout, maxBytes = defaultBytes } = {}) {
      const url = check(text);
      const limit = Math.min(maxBytes, maxBytesEver);
      const patienceMs = Math.min(timeoutMs, maxTimeout);
      const signal = AbortSignal.timeout(patienceMs);
      const silent = (reason: string): Error => problem('unavailable', { detail: `${url.host} did not respond.`, reason });
      const addresses = await addressesOf(url, Math.min(patienceMs, resolvePatience), silent);
      // Loaded on first use: it is a tenth of all modules, and many processes never need it.
      const { Agent, request } = await import('undici');
      const agent = new Agent({
        connect: { lookup: pinned(addresses), ...(ca ? { ca } : {}) },
        pipelining: 0,
        maxHeaderSize: 64 * 1024,
      });
      const trace = traceparent?.();
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method: method as 'GET',
          headers: {
            'accept-encoding': 'identity',
            ...(trace === undefined ? {} : { traceparent: trace }),
            ...sendable(headers),
          },
          body: body ?? null,
          signal,
        });
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of answer.body) {
          size += (chunk as Buffer).length;
          if (size > limit)
            throw problem('unavailable', { detail: `${url.host} sent more than ${limit} bytes.`, reason: 'answer_too_large' });
          chunks.push(chunk as Buffer);
        }
        return { status: answer.statusCode, headers: flat(answer.headers), body: Buffer.concat(chunks) };
      } catch (error) {
        if (error instanceof Error && error.name === 'Problem') throw error;
        const { code } = error as { code?: unknown };
        log?.info({ host: url.host, code, name: (error as Error).name }, 'an outgoing request failed');
        throw silent(signal.aborted ? 'timeout' : 'unreachable');
      } finally {
        await agent.destroy();
      }
    },
  };
}

/** Returns a lookup of the checked addresses, so that the name isn't resolved again. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all) callback(null, answers);
    else callback(null, first?.address as string, first?.family);
  };
}

function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())));
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  return plain;
}
