/** Where the client gets its bearer token. */
export interface TokenSource {
  /** Returns the present access token; undefined for a call without one. Called before every request. */
  get(): string | undefined | Promise<string | undefined>;
  /**
   * Renews the token after a response of 401 `unauthenticated`, and returns the new one; undefined if there is none, and the error of the
   * response is thrown. Parallel calls share one renewal. `rejected` is the token that the API refused.
   */
  refresh?(rejected: string | undefined): Promise<string | undefined>;
}

/** A token: as it is, a function that returns it, or a source that can renew it. */
export type Token = string | (() => string | undefined | Promise<string | undefined>) | TokenSource;

export function sourceOf(token: Token | undefined): TokenSource {
  if (typeof token === 'function') return { get: token };
  return typeof token === 'object' ? token : { get: () => token };
}

const renewals = new WeakMap<TokenSource, Promise<string | undefined>>();

/** Renews the token once for all calls that wait for it. */
export async function renewed(source: TokenSource, rejected: string | undefined): Promise<string | undefined> {
  if (!source.refresh) return undefined;
  const running = renewals.get(source);
  if (running) return running;
  // Another call may have renewed it between this call's request and its response.
  const present = await source.get();
  if (present !== rejected) return present;
  const started = renewals.get(source) ?? source.refresh(rejected);
  renewals.set(source, started);
  try {
    return await started;
  } finally {
    // A later call may have started the next renewal.
    if (renewals.get(source) === started) renewals.delete(source);
  }
}

/** Tokens of a session, as `auth.login` and `auth.refresh` return them. */
export interface SessionTokens {
  /** Short-lived token of requests. */
  accessToken: string;
  /** Single-use token of the next renewal. */
  refreshToken: string;
}

/** Options of `session`. */
export interface SessionOptions {
  /** Requests the next tokens: `(refreshToken) => client.auth.refresh({ refreshToken })`. */
  renew(refreshToken: string): Promise<SessionTokens>;
  /** Stores the new tokens. The refresh token is valid once, so store them before the process can end. */
  onTokens?(tokens: SessionTokens): void | Promise<void>;
}

/**
 * Returns a token source that renews an access token with its refresh token.
 *
 * ```ts
 * const anonymous = createClient({ baseUrl, slices: [identity] });
 * const tokens = await anonymous.auth.login({ email, password });
 * const client = anonymous.as(session(tokens, { renew: (refreshToken) => anonymous.auth.refresh({ refreshToken }) }));
 * ```
 */
export function session(tokens: SessionTokens, { renew, onTokens }: SessionOptions): TokenSource {
  let { accessToken, refreshToken } = tokens;
  return {
    get: () => accessToken,
    async refresh() {
      const next = await renew(refreshToken);
      ({ accessToken, refreshToken } = next);
      await onTokens?.({ accessToken, refreshToken });
      return accessToken;
    },
  };
}
