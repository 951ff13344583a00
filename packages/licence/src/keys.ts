import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { LicenceKeys } from './verify.ts';

const environments = z.enum(['production', 'staging', 'development']);
/** A configured public key: Ed25519, `x` as in a JWK. */
export const writtenKey = z.object({
  kid: z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, _ or -'),
  x: z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'),
  /** Environments that licences of this key can be for. */
  environments: z.array(environments).default(['production', 'staging', 'development']),
});
export type WrittenKey = z.infer<typeof writtenKey>;

/** The issuer whose licences an installation accepts. */
export const licenceIssuer = z.strictObject({
  /** `iss` of its licences. */
  id: z.string().min(1).max(200),
  /** URL of the licence server, https (http for one on this machine). Without one, certificates are entered directly. */
  url: z.string().refine(isServerUrl, 'must be an https address').optional(),
  /** The current key and the next one; later ones are learned from lists signed by these. */
  keys: z.array(writtenKey).min(1).max(20),
});
/** Input form, without defaults. */
export type LicenceIssuerConfig = z.input<typeof licenceIssuer>;
export type TrustedIssuer = z.infer<typeof licenceIssuer>;

/**
 * The default issuer of licences. None is shipped: the publisher of an installation configures the licence server to trust (`licence.issuer`
 * of storeloom.config), and a development installation trusts itself.
 */
export const shippedIssuer: TrustedIssuer | undefined = undefined;

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}

/** Returns the trusted keys by id: configured keys take precedence over learned ones. */
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
