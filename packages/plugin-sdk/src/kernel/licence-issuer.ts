import { service } from '../token.ts';

/** Keys by which this installation issues licences to others. */
export interface LicenceIssuer {
  /** `iss` of what it signs. */
  readonly id: string;
  /** Public keys, the current one and the next first. */
  keys(): { kid: string; x: string }[];
  sign(type: string, claims: Record<string, unknown>): Promise<string>;
  /** The list of public keys, once a key that still signs it. `at` in milliseconds. */
  keyLists(at: number): Promise<string[]>;
}
export const licenceIssuer = service<LicenceIssuer>('kernel:licence-issuer');
