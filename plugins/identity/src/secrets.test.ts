import { describe, expect, it } from 'vitest';
import { newMailToken, newRefreshToken, readMailToken, readRefreshToken } from './secrets.ts';

const tenant = '0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001';
const session = '0190aaaa-bbbb-7ccc-8ddd-eeeeffff0002';

describe('refresh tokens', () => {
  it('say where they lie, and differ each time', () => {
    const token = newRefreshToken(tenant, session);
    expect(readRefreshToken(token.text)).toEqual(token);
    expect(token).toMatchObject({ tenantId: tenant, sessionId: session });
    expect(newRefreshToken(tenant, session).text).not.toBe(token.text);
    expect(readRefreshToken(newRefreshToken(null, session).text)?.tenantId).toBeNull();
  });
  it.each([
    undefined,
    '',
    'x',
    'a.b',
    `${'A'.repeat(43)}.${'A'.repeat(42)}`,
    `${'A'.repeat(43)} ${'A'.repeat(43)}`,
    `${'A'.repeat(42)}=.${'A'.repeat(43)}`,
  ])('%s is none', (text) => expect(readRefreshToken(text)).toBeUndefined());
});

describe('tokens of e-mails', () => {
  it.each([
    ['customer', tenant],
    ['user', tenant],
    ['account', null],
    ['operator', null],
  ] as const)('of a %s', (kind, tenantId) => {
    const token = newMailToken(kind, tenantId);
    expect(readMailToken(token.text)).toEqual(token);
  });
  it('a kind never changes its place', () => {
    const { text } = newMailToken('account', null);
    expect(readMailToken(`c${text.slice(1)}`)).toBeUndefined();
    expect(readMailToken(`a${newMailToken('customer', tenant).text.slice(1)}`)).toBeUndefined();
    expect(readMailToken(`x${text.slice(1)}`)).toBeUndefined();
  });
});
