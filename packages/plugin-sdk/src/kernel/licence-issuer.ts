import { service } from '../token.ts';

/** Signs licences for other installations. For foundation plugins. */
export interface LicenceIssuer {
  /** `iss` of the signed documents. */
  readonly id: string;
  /** Returns the public keys, the current one and the next one first. */
  keys(): { kid: string; x: string }[];
  /** Returns a signed JWT of the type with these claims. */
  sign(type: string, claims: Record<string, unknown>): Promise<string>;
  /** Returns the list of public keys, signed once by each key that is still valid. `at` is in milliseconds. */
  keyLists(at: number): Promise<string[]>;
}
/** Service token of `LicenceIssuer`. */
export const licenceIssuer = service<LicenceIssuer>('kernel:licence-issuer');
