import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Of a step. Seconds. */
const period = 30;

/** What authenticator apps take without asking: SHA-1, six digits, half a minute (RFC 6238). */
const generator = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period, secret: Secret.fromBase32(secret), ...names });

/** 160 random bits, base32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}
export function otpauthUrl(secret: string, issuer: string, label: string): string {
  return generator(secret, { issuer, label }).toString();
}
/** Returns the time step of a code: the current, previous or next one; undefined otherwise. */
export function stepOf(secret: string, code: string, ms: number): number | undefined {
  const delta = generator(secret).validate({ token: code, timestamp: ms, window: 1 });
  return delta === null ? undefined : Math.floor(ms / 1000 / period) + delta;
}

/** Letters and digits that can't be confused when copied from paper. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** 80 random bits: `XXXX-XXXX-XXXX-XXXX`. */
export function newRecoveryCode(): string {
  const letters = [...randomBytes(16)].map((byte) => alphabet[byte % 32]);
  return [0, 4, 8, 12].map((at) => letters.slice(at, at + 4).join('')).join('-');
}
/** As it is hashed, however it was typed. */
export function plainRecoveryCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
