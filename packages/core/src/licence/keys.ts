import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { LicenceKeys } from './verify.ts';

const environments = z.enum(['production', 'staging', 'development']);
/** A public key as it is written down: Ed25519, `x` as in a JWK. */
export const writtenKey = z.object({
  kid: z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, _ or -'),
  x: z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'),
  /** What licences of this key may be for. */
  environments: z.array(environments).default(['production', 'staging', 'development']),
});
export type WrittenKey = z.infer<typeof writtenKey>;

/** Whose licences an installation takes. */
export const licenceIssuer = z.strictObject({
  /** `iss` of its licences. */
  id: z.string().min(1).max(200),
  /** Address of the licence server, https (http for one on this machine). Without one, licences are pasted. */
  url: z.string().refine(isServerUrl, 'must be an https address').optional(),
  /** The current key and the next one; later ones are learned from lists that these sign. */
  keys: z.array(writtenKey).min(1).max(20),
});
/** As it is given, defaults unfilled. */
export type LicenceIssuerConfig = z.input<typeof licenceIssuer>;
export type TrustedIssuer = z.infer<typeof licenceIssuer>;

/**
 * The issuer of this product's own licences, with the current key and the next. None is shipped: whoever publishes an installation
 * names the licence server it trusts (`licence.issuer` of storeloom.config), and a development one trusts itself.
 */
export const shippedIssuer: TrustedIssuer | undefined = undefined;

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}

/** The closed map of keys: those that are written down go before those that were learned. */
export function keysOf(issuer: TrustedIssuer | undefined, learned: readonly WrittenKey[] = []): LicenceKeys {
  if (!issuer) return new Map();
  return new Map(
    [...learned, ...issuer.keys].map(({ kid, x, environments: allowed }) => [
      kid,
      {
        key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
        environments: allowed,
        issuer: issuer.id,
      },
    ]),
  );
}
