import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { createLimiter, f, invalid, problem } from '@storeloom/plugin-sdk';
import { commonPasswords } from './common-passwords.ts';

/** OWASP's argon2id profile: 19 MiB, two passes. Only tests of other features change it. */
export const cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** A password that is set. Signing in takes any length up to the same maximum. */
export const newPassword = f.text({ min: 12, max: 128 });
export const givenPassword = f.text({ min: 1, max: 128 });

/** 422 for a password that everybody tries first, or that is the address itself. */
export function checkNewPassword(password: string, email: string): void {
  const plain = password.toLowerCase();
  if (commonPasswords.has(plain) || new Set(plain).size < 4 || plain === email.toLowerCase())
    throw invalid('/password', 'password_too_common', 'is a commonly used password; choose another one');
}

/** Hashing is expensive on purpose. */
const inTurn = createLimiter({
  concurrency: 4,
  maxWaiting: 50,
  refuse: () => problem('rate_limited', { detail: 'Too many sign-ins are in progress. Try again in a moment.', retryAfter: 2 }),
});

function derive(parameters: Argon2Parameters): Promise<Buffer> {
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
      }),
  );
}

const plainBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** PHC string `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const { memory, passes, parallelism } = cost;
  const key = await derive({ message: password, nonce, tagLength: 32, memory, passes, parallelism });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plainBase64(nonce)}$${plainBase64(key)}`;
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Of no account: verifying against it costs what a real one costs. */
const dummy = (): string =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** False for a wrong password, and, as slowly, for no hash at all. `stale`: hashed by other parameters than today's. */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
): Promise<{ ok: boolean; stale: boolean }> {
  const match = phc.exec(hash ?? dummy());
  if (!match) throw new Error('a stored password hash is no argon2id PHC string');
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const expected = Buffer.from(match[5] as string, 'base64');
  const nonce = Buffer.from(match[4] as string, 'base64');
  const key = await derive({ message: password, nonce, tagLength: expected.length, memory, passes, parallelism });
  const ok = timingSafeEqual(key, expected) && hash !== null && hash !== undefined;
  return { ok, stale: memory !== cost.memory || passes !== cost.passes || parallelism !== cost.parallelism };
}
