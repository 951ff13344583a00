import { service } from '../token.ts';

/** For foundation plugins: identity's answer to the pipeline. */
export interface Authenticated {
  tenantId: string | null;
  actor:
    | { type: 'staff'; userId: string; permissions: readonly string[]; authAt?: string }
    | { type: 'customer'; customerId: string; authAt: string }
    | { type: 'operator'; userId: string };
  sessionId: string;
}
export type Audience = 'admin' | 'storefront' | 'super-admin';

/** The cookies that carry the refresh token, one an audience: an admin and a shop may share a host. */
export const sessionCookieNames: Readonly<Record<Audience, string>> = Object.freeze({
  storefront: 'storeloom_session',
  admin: 'storeloom_admin',
  'super-admin': 'storeloom_super_admin',
});

/** The cookie that carries the token of a guest's cart. */
export const cartCookieName = 'cart';

export interface Authenticator {
  /** Undefined: not a valid token of this audience. Called outside any transaction. */
  authenticate(token: string, audience: Audience): Promise<Authenticated | undefined>;
  /** The CSRF token that belongs to a session cookie or cart cookie. */
  checkCsrf(cookies: Readonly<Record<string, string>>, header: string | undefined): boolean;
  /** Bearer-equivalent of the session cookie, for cookie-carried credentials. */
  tokenOfCookie?(cookies: Readonly<Record<string, string>>, audience: Audience): string | undefined;
}
export const authenticator = service<Authenticator>('kernel:authenticator');
