import { type Audience, cartCookieName, type PlatformCtx, problem, type Req, sessionCookieNames } from '@storeloom/plugin-sdk';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import type { Attempt } from '../external/oidc.ts';
import { type RefreshToken, readRefreshToken } from '../secrets.ts';
import { lifetimes } from './sessions.ts';

type Cookies = Readonly<Record<string, string>>;
type AnyReq = Pick<Req<unknown, unknown, unknown>, 'host' | 'headers' | 'cookies'>;

/** Browsers treat these names as trustworthy without TLS, but not all of them take `Secure` cookies from there. */
export function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';
}

/** `Set-Cookie` for a refresh token; without one it clears the cookie. */
export function sessionCookie(host: string, audience: Audience, token: string | undefined): string {
  const parts = [
    `${sessionCookieNames[audience]}=${token ?? ''}`,
    'Path=/api',
    'HttpOnly',
    `SameSite=${audience === 'storefront' ? 'Lax' : 'Strict'}`,
    `Max-Age=${token === undefined ? 0 : lifetimes[audience].longest}`,
  ];
  if (!isLocal(host)) parts.push('Secure');
  return parts.join('; ');
}

/** Binds a sign-in through an identity provider to the browser that began it. */
const attemptName = 'storeloom_idp';
const attemptKind = 'identity-provider';

/** State of an external sign-in for the callback. Sealed in a cookie, so that nothing is stored and the verifier stays secret. */
export interface ExternalAttempt extends Attempt {
  readonly tenantId: string;
  readonly returnTo: string;
  readonly linking: { customerId: string; sessionId: string } | null;
  readonly expiresAt: string;
}
/** `Set-Cookie`; without an attempt it clears the cookie. `Lax`, or it wouldn't come along from the provider. */
export function attemptCookie(
  ctx: Pick<PlatformCtx, 'seal'>,
  host: string,
  attempt: ExternalAttempt | undefined,
  seconds: number,
): string {
  const value = attempt ? ctx.seal(JSON.stringify({ kind: attemptKind, ...attempt })) : '';
  const parts = [`${attemptName}=${value}`, 'Path=/api', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  if (!isLocal(host)) parts.push('Secure');
  return parts.join('; ');
}
/** Undefined without a cookie, and for one that this installation didn't seal. */
export function attemptOfCookie(ctx: Pick<PlatformCtx, 'unseal'>, cookies: Cookies): ExternalAttempt | undefined {
  const sealed = cookies[attemptName];
  if (sealed === undefined || sealed === '') return undefined;
  let text: string;
  try {
    text = ctx.unseal(sealed);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'seal_invalid') return undefined;
    throw error;
  }
  // Text sealed for another purpose may not be JSON.
  if (!text.startsWith(`{"kind":"${attemptKind}"`)) return undefined;
  return JSON.parse(text) as ExternalAttempt;
}

/** The refresh token that a cookie carries: of the audience asked for, else the first there is. */
export function tokenOfCookies(
  cookies: Cookies,
  audiences: readonly Audience[],
): { token: RefreshToken; audience: Audience } | undefined {
  for (const audience of audiences) {
    const token = readRefreshToken(cookies[sessionCookieNames[audience]]);
    if (token) return { token, audience };
  }
  return undefined;
}

function csrfOf(ctx: Pick<PlatformCtx, 'sign'>, bound: string): string {
  return ctx.sign('csrf', bound);
}
/** What tokens may be bound to: the sessions of the cookies, else the cart, else nothing. */
function bindings(cookies: Cookies, audiences: readonly Audience[]): string[] {
  const sessions = audiences
    .map((audience) => readRefreshToken(cookies[sessionCookieNames[audience]]))
    .filter((token) => token !== undefined)
    .map((token) => `session ${token.sessionId}`);
  if (sessions.length > 0) return sessions;
  const cart = cookies[cartCookieName];
  return [cart ? `cart ${cart}` : 'nobody'];
}
export function csrfToken(ctx: Pick<PlatformCtx, 'sign'>, cookies: Cookies, audiences: readonly Audience[]): string {
  return csrfOf(ctx, bindings(cookies, audiences)[0] as string);
}
export function csrfMatches(
  ctx: Pick<PlatformCtx, 'sign'>,
  cookies: Cookies,
  header: string | undefined,
  audiences: readonly Audience[],
): boolean {
  if (header === undefined || !/^[\w-]{20,200}$/.test(header)) return false;
  return bindings(cookies, audiences).some((bound) => equalSecrets(header, csrfOf(ctx, bound)));
}

/** For a route that acts on a cookie: 403 `csrf_failed` unless the call is same-origin and brings the cookie's token. */
export function requireCsrf(ctx: PlatformCtx, req: AnyReq, audience: Audience): void {
  const { origin } = req.headers;
  const site = req.headers['sec-fetch-site'];
  const sameOrigin =
    origin === undefined
      ? site === undefined || site === 'same-origin'
      : URL.canParse(origin) && new URL(origin).hostname === req.host;
  const header = req.headers['x-csrf-token'];
  if (!sameOrigin || !csrfMatches(ctx, req.cookies, typeof header === 'string' ? header : undefined, [audience]))
    throw problem('csrf_failed', {
      detail: 'Requests with a session cookie require X-CSRF-Token from /api/csrf-token and the same origin.',
    });
}
