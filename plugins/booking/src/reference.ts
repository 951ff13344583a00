import { randomInt } from 'node:crypto';

// Crockford's base 32: no letters and digits that look alike.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A reference like `4F7KQ-2M9XA` for phone calls: 50 random bits, unique, no credential. */
export function newReference(): string {
  const part = (): string => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${part()}-${part()}`;
}
