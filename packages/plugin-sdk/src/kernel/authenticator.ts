import { service } from '../token.ts';

/** The owner of a valid access token. */
export interface Authenticated {
  /** Tenant of the token; null for an operator. */
  tenantId: string | null;
  /** Who is signed in. `authAt` is the instant of the last sign-in. */
  actor:
    | { type: 'staff'; userId: string; permissions: readonly string[]; authAt?: string }
    | { type: 'customer'; customerId: string; authAt: string }
    | { type: 'operator'; userId: string };
  /** Id of the session. */
  sessionId: string;
}
/** Whom an access token is for; each has its own keys and cookie. */
export type Audience = 'admin' | 'storefront' | 'super-admin';

/** Names of the cookies that carry the refresh token, one for each audience: administration and shop can share a host. */
export const sessionCookieNames: Readonly<Record<Audience, string>> = Object.freeze({
  storefront: 'storeloom_session',
  admin: 'storeloom_admin',
  'super-admin': 'storeloom_super_admin',
});

/** Name of the cookie that carries the token of a guest's cart. */
export const cartCookieName = 'cart';

/** Checks credentials for the request pipeline. Provided by the plugin identity. */
export interface Authenticator {
  /** Returns the owner of an access token; undefined unless it is valid for the audience. Called outside a transaction. */
  authenticate(token: string, audience: Audience): Promise<Authenticated | undefined>;
  /** Returns true if the header has the CSRF token of the session or cart cookie. */
  checkCsrf(cookies: Readonly<Record<string, string>>, header: string | undefined): boolean;
  /** Returns the access token that the session cookie stands for, if it carries one. */
  tokenOfCookie?(cookies: Readonly<Record<string, string>>, audience: Audience): string | undefined;
}
/** Service token of `Authenticator`. */
export const authenticator = service<Authenticator>('kernel:authenticator');
