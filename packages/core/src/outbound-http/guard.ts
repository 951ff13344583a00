import type { LookupFunction } from 'node:net';
import { type GuardedHttp, type Log, problem } from '@storeloom/plugin-sdk';
import ipaddr from 'ipaddr.js';
import { traceparent } from '../observability/trace.ts';
import { addressRefusal, isLocalName, isLoopback } from './addresses.ts';
import { createNameLookup, isUnknownName, type NameLookup } from './name-lookup.ts';

export interface HttpGuardOptions {
  /** Development: http, loopback and local names that resolve to it are allowed, on any port. */
  allowLocal?: boolean;
  /** Ports besides 443 (and 80 for http). */
  ports?: readonly number[];
  /** Every address of a name. Default: what the system's name servers say. */
  resolve?: NameLookup;
  /** Certificates to trust besides the system's, for a test's own server. */
  ca?: string;
  log?: Log;
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
/** Who saves or calls an address waits that long for its name. */
const resolvePatience = 3000;
const defaultBytes = 5 * 1024 * 1024;
const maxBytesEver = 100 * 1024 * 1024;
/** Set by the client from what was checked. */
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
    detail: `The address may not be called: ${message}.`,
    errors: [{ pointer: '/url', code, message }],
  });
}

/**
 * The only way by which an address that somebody typed is called. The parsed host is what is checked, so every spelling of an address is
 * that address; a name is resolved once, every answer must be public, and the connection goes to an address that was checked, with the
 * name in Host and SNI. Redirects are answers like others. Each call checks anew.
 * @throws Problem `validation_failed` with `url_invalid`, `scheme_refused`, `credentials_refused`, `port_refused`, `host_refused` or
 *   `address_refused`; `unavailable` where no answer came in time, of a name server neither, or a too long one. `check` says
 *   `host_unanswered` of a name whose servers don't answer: nothing was called that could be away.
 */
export function createHttpGuard({
  allowLocal = false,
  ports = [],
  resolve = createNameLookup(),
  ca,
  log,
}: HttpGuardOptions = {}): GuardedHttp {
  function check(text: string): URL {
    // What a header or a log line can't carry is no address that somebody meant.
    if (text.length > 2048 || !URL.canParse(text)) throw refuse('url_invalid', 'must be an absolute URL');
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(allowLocal && url.protocol === 'http:'))
      throw refuse('scheme_refused', 'must begin with https://');
    if (url.username !== '' || url.password !== '') throw refuse('credentials_refused', 'must not carry a user name or password');
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    if (!allowLocal && port !== 443 && port !== 80 && !ports.includes(port))
      throw refuse('port_refused', `port ${port} is not allowed`);
    return url;
  }

  /** `unanswered`: what to throw where nobody says whether there is such a name. */
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
      throw refuse('host_refused', 'the host name is not known');
    }
    if (addresses.length === 0) throw refuse('host_refused', 'the host name is not known');
    for (const address of addresses) {
      const reason = addressRefusal(address);
      if (reason === undefined || (allowLocal && isLoopback(address))) continue;
      log?.warn({ host, address, reason }, 'a call to an address inside was refused');
      throw refuse('address_refused', 'must lead to a public address');
    }
    return [...addresses];
  }

  return {
    async check(text) {
      const url = check(text);
      await addressesOf(url, resolvePatience, () =>
        refuse('host_unanswered', 'no name server answered for the host; try again later'),
      );
    },
    async fetch(text, { method = 'GET', headers = {}, body, timeoutMs = defaultTimeout, maxBytes = defaultBytes } = {}) {
      const url = check(text);
      const limit = Math.min(maxBytes, maxBytesEver);
      const patienceMs = Math.min(timeoutMs, maxTimeout);
      const signal = AbortSignal.timeout(patienceMs);
      const silent = (reason: string): Error => problem('unavailable', { detail: `${url.host} did not answer.`, reason });
      const addresses = await addressesOf(url, Math.min(patienceMs, resolvePatience), silent);
      // A tenth of the modules of a boot, for what many processes never do.
      const { Agent, request } = await import('undici');
      const agent = new Agent({
        connect: { lookup: pinned(addresses), ...(ca ? { ca } : {}) },
        pipelining: 0,
        maxHeaderSize: 64 * 1024,
      });
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method: method as 'GET',
          headers: { 'accept-encoding': 'identity', ...traced(), ...sendable(headers) },
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
        log?.info({ host: url.host, code, name: (error as Error).name }, 'a call outside failed');
        throw silent(signal.aborted ? 'timeout' : 'unreachable');
      } finally {
        await agent.destroy();
      }
    },
  };
}

/** Gives the addresses that were checked, whatever the name says by now. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all) callback(null, answers);
    else callback(null, first?.address as string, first?.family);
  };
}

/** Whoever is called can say which of our work called. */
function traced(): Record<string, string> {
  const header = traceparent();
  return header === undefined ? {} : { traceparent: header };
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
