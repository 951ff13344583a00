import { service } from '../token.ts';

/** Keys of the installation, for identity and platform. */
export interface Keyring {
  /** EdDSA JWT with `kid` of the audience's key set. `expiresIn` in seconds. */
  issue(keySet: string, claims: Record<string, unknown>, options: { type: string; expiresIn: number }): Promise<string>;
  /** Claims of a valid token of the key set and type; undefined for anything else. */
  verify(keySet: string, token: string, options: { type: string }): Promise<Record<string, unknown> | undefined>;
  /** The installation's pair for web push (VAPID, P-256): public key as an uncompressed point, private key as its scalar, base64url. */
  pushKeys(): { publicKey: string; privateKey: string };
}
export const keyring = service<Keyring>('kernel:keyring');
