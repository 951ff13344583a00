import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newRefreshToken } from '../secrets.ts';
import { csrfMatches, csrfToken, sessionCookie } from './cookies.ts';

const ctx = {
  sign: (purpose: string, text: string) => createHmac('sha256', 'key').update(`${purpose}:${text}`).digest('base64url'),
};
const all = ['storefront', 'admin', 'super-admin'] as const;
const session = () => newRefreshToken('0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001', crypto.randomUUID()).text;

describe('the cookie', () => {
  it('is out of reach of scripts and other sites', () => {
    expect(sessionCookie('shop.example', 'admin', 'token')).toBe(
      'storeloom_admin=token; Path=/api; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure',
    );
    expect(sessionCookie('shop.localhost', 'storefront', 'token')).not.toContain('Secure');
    expect(sessionCookie('shop.example', 'storefront', 'token')).toContain('SameSite=Lax');
    expect(sessionCookie('shop.example', 'storefront', undefined)).toContain(
      'storeloom_session=; Path=/api; HttpOnly; SameSite=Lax; Max-Age=0',
    );
  });
});

describe('the CSRF token', () => {
  it('is bound to the session, over its rotations', () => {
    const sid = crypto.randomUUID();
    const before = { storeloom_session: newRefreshToken(null, sid).text };
    const after = { storeloom_session: newRefreshToken(null, sid).text };
    const token = csrfToken(ctx, before, all);
    expect(csrfMatches(ctx, after, token, all)).toBe(true);
    expect(csrfMatches(ctx, { storeloom_session: session() }, token, all)).toBe(false);
  });
  it("a guest's is bound to the cart, and worth nothing once there is a session", () => {
    const token = csrfToken(ctx, { cart: 'abc' }, all);
    expect(csrfMatches(ctx, { cart: 'abc' }, token, all)).toBe(true);
    expect(csrfMatches(ctx, { cart: 'abd' }, token, all)).toBe(false);
    expect(csrfMatches(ctx, { cart: 'abc', storeloom_session: session() }, token, all)).toBe(false);
  });
  it.each([undefined, '', 'x', 'é'.repeat(30)])('%s is none', (header) => {
    expect(csrfMatches(ctx, { cart: 'abc' }, header, all)).toBe(false);
  });
});
