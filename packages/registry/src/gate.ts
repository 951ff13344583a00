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
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
  readonly onError?: (error: unknown) => void;
}

export interface Gate {
  /** Who asks, and for what. Asked twice of one request it says the same. @throws Refusal */
  admit(req: IncomingMessage): Promise<Admission>;
}

/** Tokens are told by their form, so that the licence server isn't asked for what can't be one. */
const tokenPattern = /^sl[rp]_[\w-]{43}$/;
/** Unknown tokens of one address in a minute. */
const maxUnknown = 60;
const minute = 60_000;

export function createGate({ licences, clock = () => performance.now(), onError }: GateOptions): Gate {
  const admitted = new WeakMap<IncomingMessage, Promise<Admission>>();
  let strangers = new Map<string, number>();
  let since = clock();
  /** Counts an unknown token of an address. */
  const stranger = (address: string): void => void strangers.set(address, (strangers.get(address) ?? 0) + 1);
  const requireCalm = (address: string): void => {
    if (clock() - since >= minute) [strangers, since] = [new Map(), clock()];
    if ((strangers.get(address) ?? 0) >= maxUnknown)
      throw new Refusal('too_many_requests', 'too many unknown tokens came from this address', 'Try again in a minute', 60);
  };

  const callerOf = async (req: IncomingMessage, subject: string): Promise<Caller> => {
    const { authorization } = req.headers;
    // npm sends the variable as it is written where the environment lacks it.
    if (authorization === undefined || /^bearer +\$\{\w+\}$/i.test(authorization))
      throw new Refusal(
        'token_missing',
        `${subject} was asked for without a token`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: npm fills it in
        'Set NPM_REGISTRY_TOKEN to the registry token of your licence, and name it in your own .npmrc (~/.npmrc): //<this registry>/:_authToken=${NPM_REGISTRY_TOKEN}',
      );
    const unknown = new Refusal(
      'token_revoked',
      `${subject} was asked for with a token that is unknown, or was revoked`,
      'Set NPM_REGISTRY_TOKEN to the present token of your licence; its mail has it, and whoever has the key of the licence can ask for a new one',
    );
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    if (!tokenPattern.test(token)) throw unknown;
    const address = addressOf(req);
    // Somebody's guessing is no reason to send away whoever is known.
    if (!licences.isKnown(token)) requireCalm(address);
    const known = await licences.standing(token);
    switch (known.answer) {
      case 'not_found':
        stranger(address);
        throw unknown;
      case 'suspended':
        throw unknown;
      case 'expired':
        throw new Refusal(
          'license_expired',
          `${subject} is not to be had under the licence ${known.licenseId}, which ended on ${known.expiresAt.slice(0, 10)}`,
          'Renew the licence with whoever issued it; what is installed goes on working',
        );
      default:
        return known as Caller;
    }
  };

  const admit = async (req: IncomingMessage): Promise<Admission> => {
    const request = requestOf(req);
    if (request?.kind === 'ping' || request?.kind === 'keys') return { request: request as never, caller: null };
    // What can't be asked for is told to nobody who has no token.
    try {
      const caller = await callerOf(req, request === undefined ? 'this' : subjectOf(request));
      if (request === undefined)
        throw new Refusal('not_found', `${req.method} ${(req.url ?? '').slice(0, 200)} is nothing that this registry does`);
      return { request: request as never, caller };
    } catch (error) {
      if (!(error instanceof LicenceServerAway)) throw error;
      onError?.(error);
      throw new Refusal('license_unknown', 'the licence server can not be asked', 'Try again in a moment', 5);
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

/** Of the caller: a proxy on this machine says whom it speaks for, last in the list. */
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
