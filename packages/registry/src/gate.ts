import type { IncomingMessage } from 'node:http';
import type { Caller } from './coverage.ts';
import { type LicenceServer, LicenceServerAway } from './licence-server.ts';
import { Refusal } from './refusal.ts';
import { type RegistryRequest, requestOf } from './request.ts';

type Admission =
  | { readonly request: Extract<RegistryRequest, { kind: 'ping' | 'keys' }>; readonly caller: null }
  | { readonly request: Exclude<RegistryRequest, { kind: 'ping' | 'keys' }>; readonly caller: Caller };

export interface GateOptions {
  readonly licences: LicenceServer;
  /** Monotonic time in milliseconds. */
  readonly clock?: () => number;
  readonly onError?: (error: unknown) => void;
}

export interface Gate {
  /** The caller and the kind of request. Repeated calls for a request return the same result. @throws Refusal */
  admit(req: IncomingMessage): Promise<Admission>;
}

/** The format of tokens; other values are refused without a request to the licence server. */
const tokenPattern = /^sl[rp]_[\w-]{43}$/;
/** Maximum of unknown tokens per address and minute. */
const maxUnknown = 60;
const minute = 60_000;

export function createGate({ licences, clock = () => performance.now(), onError }: GateOptions): Gate {
  const admitted = new WeakMap<IncomingMessage, Promise<Admission>>();
  let unknowns = new Map<string, number>();
  let since = clock();
  /** Counts an unknown token of an address. */
  const countUnknown = (address: string): void => void unknowns.set(address, (unknowns.get(address) ?? 0) + 1);
  const limitUnknown = (address: string): void => {
    if (clock() - since >= minute) [unknowns, since] = [new Map(), clock()];
    if ((unknowns.get(address) ?? 0) >= maxUnknown)
      throw new Refusal('too_many_requests', 'too many unknown tokens came from this address', 'Try again in a minute', 60);
  };

  const callerOf = async (req: IncomingMessage, subject: string): Promise<Caller> => {
    const { authorization } = req.headers;
    // npm sends the name of the variable if it is unset.
    if (authorization === undefined || /^bearer +\$\{\w+\}$/i.test(authorization))
      throw new Refusal(
        'token_missing',
        `${subject} was requested without a token`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: npm fills it in
        'Set NPM_REGISTRY_TOKEN to the registry token of your licence, and name it in your own .npmrc (~/.npmrc): //<this registry>/:_authToken=${NPM_REGISTRY_TOKEN}',
      );
    const unknown = new Refusal(
      'token_revoked',
      `${subject} was requested with an unknown or revoked token`,
      'Set NPM_REGISTRY_TOKEN to the current token of your licence. The e-mail with the licence contains it; with the licence key you can request a new one',
    );
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    if (!tokenPattern.test(token)) throw unknown;
    const address = addressOf(req);
    // Known tokens pass even if their address sent too many unknown ones.
    if (!licences.isKnown(token)) limitUnknown(address);
    const known = await licences.standing(token);
    switch (known.answer) {
      case 'not_found':
        countUnknown(address);
        throw unknown;
      case 'suspended':
        throw unknown;
      case 'expired':
        throw new Refusal(
          'license_expired',
          `${subject} is unavailable: the licence ${known.licenseId} expired on ${known.expiresAt.slice(0, 10)}`,
          'Renew the licence with its issuer. Installed packages continue to work',
        );
      default:
        return known as Caller;
    }
  };

  const admit = async (req: IncomingMessage): Promise<Admission> => {
    const request = requestOf(req);
    if (request?.kind === 'ping' || request?.kind === 'keys') return { request, caller: null };
    // Callers without a token don't learn which routes exist.
    try {
      const caller = await callerOf(req, request === undefined ? 'this' : subjectOf(request));
      if (request === undefined)
        throw new Refusal('not_found', `${req.method} ${(req.url ?? '').slice(0, 200)} is not a route of this registry`);
      return { request, caller };
    } catch (error) {
      if (!(error instanceof LicenceServerAway)) throw error;
      onError?.(error);
      throw new Refusal('license_unknown', 'the licence server is unreachable', 'Try again in a moment', 5);
    }
  };

  return {
    admit(req) {
      const known = admitted.get(req);
      if (known) return known;
      const admission = admit(req);
      admitted.set(req, admission);
      return admission;
    },
  };
}

/** The caller's address. A proxy on this machine appends it to the forwarded list. */
function addressOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? '';
  if (!/^(::ffff:)?127\.|^::1$/.test(peer)) return peer;
  return (
    String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() || peer
  );
}

function subjectOf(request: RegistryRequest): string {
  if (!('name' in request)) return request.kind === 'search' ? 'a search' : request.kind;
  return 'version' in request ? `${request.name}@${request.version}` : request.name;
}
