import { randomInt } from 'node:crypto';

// Letters and digits that nobody takes for another (Crockford).
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `4F7KQ-2M9XA`: what customers name on the phone. 50 bits: unique, and no key to anything. */
export function newReference(): string {
  const part = (): string => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${part()}-${part()}`;
}
