import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const stored = z.object({
  keys: z
    .array(
      z.object({
        keyid: z.string(),
        /** SPKI in DER, base64. */
        key: z.string(),
        /** PKCS #8 in DER, base64; null for replaced keys. */
        privateKey: z.string().nullable(),
        /** Instant after which the key signs nothing. */
        expires: z.iso.datetime().nullable(),
      }),
    )
    .min(1),
});
type Stored = z.infer<typeof stored>;

interface Signature {
  readonly keyid: string;
  readonly sig: string;
}
export interface PublicKey {
  readonly expires: string | null;
  readonly keyid: string;
  readonly keytype: 'ecdsa-sha2-nistp256';
  readonly scheme: 'ecdsa-sha2-nistp256';
  readonly key: string;
}
export interface Signer {
  /** Signature in the format of npm's registry: ECDSA P-256 with SHA-256, DER in base64. */
  sign(message: string): Signature;
  /** Response of `/-/npm/v1/keys`. */
  keys(): PublicKey[];
  /** Switches to a new key; existing signatures remain valid. */
  rotate(): PublicKey;
}

const file = 'signing-keys.json';

function newKey(): Stored['keys'][number] {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return {
    keyid: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
    key: key.toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    expires: null,
  };
}

/** Keys of the registry in its data folder, generated at the first start. */
export function openSigner(dir: string): Signer {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, file);
  const write = (value: Stored): Stored => {
    writeFileSync(`${path}.new`, JSON.stringify(value, null, 2), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return value;
  };
  let held = existsSync(path) ? stored.parse(JSON.parse(readFileSync(path, 'utf8'))) : write({ keys: [newKey()] });
  const publicOf = ({ expires, keyid, key }: Stored['keys'][number]): PublicKey => {
    // Detect an invalid key here; otherwise every later verification would fail.
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return { expires, keyid, keytype: 'ecdsa-sha2-nistp256', scheme: 'ecdsa-sha2-nistp256', key };
  };
  return {
    sign(message) {
      const [current] = held.keys;
      if (current?.privateKey == null) throw new Error(`${path} lacks its current key; restore it from a backup`);
      const key = createPrivateKey({ key: Buffer.from(current.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
      return { keyid: current.keyid, sig: sign('sha256', Buffer.from(message), key).toString('base64') };
    },
    keys: () => held.keys.map(publicOf),
    rotate() {
      const made = newKey();
      const now = new Date().toISOString();
      const before = held.keys.map((key) => ({ ...key, privateKey: null, expires: key.expires ?? now }));
      held = write({ keys: [made, ...before] });
      return publicOf(made);
    },
  };
}
