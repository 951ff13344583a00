import { service } from '../token.ts';

/** Signs and verifies with keys of the installation. For foundation plugins. */
export interface Keyring {
  /** Returns an EdDSA JWT with the `kid` of the key set. `expiresIn` is in seconds. */
  issue(keySet: string, claims: Record<string, unknown>, options: { type: string; expiresIn: number }): Promise<string>;
  /** Returns the claims of a valid token of the key set and type; undefined otherwise. */
  verify(keySet: string, token: string, options: { type: string }): Promise<Record<string, unknown> | undefined>;
  /**
   * Returns the installation's key pair for web push (VAPID, P-256) in base64url: uncompressed public point and private scalar.
   */
  pushKeys(): { publicKey: string; privateKey: string };
}
/** Service token of `Keyring`. */
export const keyring = service<Keyring>('kernel:keyring');
