import { Secret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { newRecoveryCode, newTotpSecret, otpauthUrl, plainRecoveryCode, stepOf } from './totp.ts';

const secret = Secret.fromLatin1('12345678901234567890').base32;

describe('TOTP', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('of the RFC at %i s is %s', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(stepOf(secret, code, seconds * 1000)).toBe(step);
    // One step to either side, and no further.
    expect(stepOf(secret, code, (step + 1) * 30_000)).toBe(step);
    expect(stepOf(secret, code, step * 30_000 - 1)).toBe(step);
    expect(stepOf(secret, code, (step + 2) * 30_000)).toBeUndefined();
    expect(stepOf(secret, code, (step - 1) * 30_000 - 1)).toBeUndefined();
  });
  it('an hour off is no code', () => {
    for (const off of [-3600, 3600]) expect(stepOf(secret, '005924', (1234567890 + off) * 1000)).toBeUndefined();
  });
  it('secrets have 160 bits, and go into an address that apps read', () => {
    const made = newTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(otpauthUrl(made, 'Shop: A', 'ana@shop.example'));
    expect(url.protocol).toBe('otpauth:');
    expect(decodeURIComponent(url.pathname)).toContain('ana@shop.example');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ secret: made, algorithm: 'SHA1', digits: '6', period: '30' });
  });
});

describe('recovery codes', () => {
  it('have 80 bits, none is another, and are read however they are typed', () => {
    const codes = Array.from({ length: 1000 }, newRecoveryCode);
    expect(new Set(codes).size).toBe(1000);
    for (const code of codes) {
      expect(code).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/);
      expect(plainRecoveryCode(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(code.replaceAll('-', ''));
    }
  });
});
