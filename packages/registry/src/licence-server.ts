import { createHash } from 'node:crypto';
import { type Standing, standing } from './coverage.ts';

/** The licence server gave no readable response. */
export class LicenceServerAway extends Error {
  override readonly name = 'LicenceServerAway';
}

const timeout = 5_000;
const maxBytes = 1_000_000;
/** Cache time of a response; a revoked token stops working everywhere after it. */
export const freshFor = 30_000;
const maxCached = 10_000;

export interface LicenceServerOptions {
  readonly url: string;
  /** Monotonic time in milliseconds. */
  readonly clock?: () => number;
  readonly fetch?: typeof fetch;
}

/**
 * Looks tokens up at the licence server. Responses are cached for 30 seconds, negative ones too. Concurrent look-ups of a token share
 * one request. Without a response, access is denied.
 */
export function licenceServer({ url, clock = () => performance.now(), fetch: ask = fetch }: LicenceServerOptions) {
  const target = `${url.replace(/\/+$/, '')}/api/licensing/registry`;
  const kept = new Map<string, { until: number; answer: Promise<Standing> }>();

  const question = async (token: string): Promise<Standing> => {
    try {
      const response = await ask(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ token }),
        // Never follow a redirect: it could send the token to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      if (response.status !== 200) throw new LicenceServerAway(`the licence server responded with ${response.status}`);
      const body = await response.text();
      if (body.length > maxBytes) throw new LicenceServerAway('the response of the licence server is too large');
      return standing.parse(withoutNulls(JSON.parse(body)));
    } catch (error) {
      if (error instanceof LicenceServerAway) throw error;
      throw new LicenceServerAway('the licence server gave no readable response', { cause: error });
    }
  };

  const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');
  return {
    /** Whether the token's status is cached. */
    isKnown: (token: string): boolean => (kept.get(keyOf(token))?.until ?? 0) > clock(),
    /** @throws LicenceServerAway */
    standing(token: string): Promise<Standing> {
      const key = keyOf(token);
      const now = clock();
      const known = kept.get(key);
      if (known && known.until > now) return known.answer;
      const answer = question(token);
      const entry = { until: now + freshFor, answer };
      kept.delete(key);
      kept.set(key, entry);
      if (kept.size > maxCached) kept.delete(kept.keys().next().value as string);
      answer.catch(() => {
        if (kept.get(key) === entry) kept.delete(key);
      });
      return answer;
    },
  };
}
export type LicenceServer = ReturnType<typeof licenceServer>;

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;
