import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { statSync } from 'node:fs';
import type { Keyring as KeyringContract } from '@storeloom/plugin-sdk';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { DataDir } from './data-dir.ts';
import { verifyCompact } from './token.ts';

export interface Keyring extends KeyringContract {
  /** Creates a new signing key. Tokens of the old one stay valid for the longest token lifetime; those of a `compromised` one become invalid. */
  rotate(keySet: string, options?: { compromised?: boolean }): Promise<void>;
  /** Returns the id of the set's current signing key. */
  currentKey(keySet: string): string;
  /** Encrypts with AES-256-GCM; the result contains the id of the key. */
  seal(text: string): string;
  /** Decrypts text of `seal`. @throws SealError if the text was changed, or its key is missing */
  unseal(sealed: string): string;
  /** Returns true if the text was sealed with an older key than the current one. */
  isStale(sealed: string): boolean;
  /** Returns an HMAC-SHA256 in base64url, separate for each `purpose`. */
  sign(purpose: string, text: string): string;
}

/** Sealed text can't be decrypted. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly code = 'seal_invalid';
}

/** Longest lifetime of a token in seconds: a key replaced longer ago is no longer needed for verification. */
export const longestTokenLife = 24 * 60 * 60;
/** Milliseconds for which the result of a verification is cached, and after which a rotation by another process is noticed. */
const cachedFor = 60_000;
const checkedEvery = 2_000;

const keyFile = z.object({
  current: z.string(),
  keys: z.array(
    z.object({
      kid: z.string().min(1),
      /** SPKI, base64url. */
      publicKey: z.string(),
      /** PKCS#8, base64url; removed when the key is replaced. */
      privateKey: z.string().optional(),
      /** Tokens of a replaced key are valid until then. */
      verifyUntil: z.iso.datetime().optional(),
    }),
  ),
});
type KeyFile = z.infer<typeof keyFile>;
const pushKeys = z.object({ publicKey: z.string().length(87), privateKey: z.string().length(43) });

interface KeySet {
  readonly stamp: string;
  readonly checkedAt: number;
  readonly kid: string;
  readonly signing: KeyObject;
  readonly verifying: ReadonlyMap<string, { key: KeyObject; until: number }>;
}

const der = (text: string): Buffer => Buffer.from(text, 'base64url');

const secrets = new Map<string, KeyObject>();
/** Caches key objects: creating one takes seven times as long as using it. */
function secret(text: string): KeyObject {
  let key = secrets.get(text);
  if (!key) secrets.set(text, (key = createSecretKey(der(text))));
  return key;
}

function newKey(keySet: string): KeyFile['keys'][number] {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    kid: `${keySet}-${randomBytes(6).toString('hex')}`,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  };
}

/** Manages the installation's keys in its data directory: an Ed25519 key set for each audience, and the keys of `seal` and `sign`. */
export function createKeyring(dataDir: DataDir, now: () => number = Date.now): Keyring {
  const sets = new Map<string, KeySet>();
  const verified = new LRUCache<string, { claims: Record<string, unknown>; until: number }>({ max: 10_000 });
  const issuer = `urn:storeloom:${dataDir.secrets.installation}`;

  const nameOf = (keySet: string): string => {
    if (!/^[a-z][a-z0-9-]{0,40}$/.test(keySet)) throw new Error(`${keySet} is not a valid name of a key set`);
    return `keys/${keySet}.json`;
  };
  const stampOf = (name: string): string => {
    const status = statSync(dataDir.file(name), { throwIfNoEntry: false });
    return status === undefined ? '' : `${status.ino}:${status.mtimeMs}`;
  };
  const load = (keySet: string, create: boolean): KeySet | undefined => {
    const present = sets.get(keySet);
    if (present && now() - present.checkedAt < checkedEvery) return present;
    const name = nameOf(keySet);
    const stamp = stampOf(name);
    if (present && present.stamp === stamp) {
      sets.set(keySet, { ...present, checkedAt: now() });
      return present;
    }
    if (stamp === '' && !create) return undefined;
    const { value } = dataDir.createJson(name, () => {
      const key = newKey(keySet);
      return { current: key.kid, keys: [key] };
    });
    const file = keyFile.parse(value);
    const current = file.keys.find(({ kid }) => kid === file.current);
    if (current?.privateKey === undefined) throw new Error(`${dataDir.file(name)} lacks its current private key`);
    const set: KeySet = {
      stamp: stampOf(name),
      checkedAt: now(),
      kid: current.kid,
      signing: createPrivateKey({ key: der(current.privateKey), format: 'der', type: 'pkcs8' }),
      verifying: new Map(
        file.keys.map(({ kid, publicKey, verifyUntil }) => [
          kid,
          {
            key: createPublicKey({ key: der(publicKey), format: 'der', type: 'spki' }),
            until: verifyUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(verifyUntil),
          },
        ]),
      ),
    };
    sets.set(keySet, set);
    // Verify cached tokens again with the new set.
    if (present) verified.clear();
    return set;
  };

  // A key rotated by another process is used within seconds.
  const secretsStamp = (): string => stampOf('secrets.json');
  let secretsSeen = { stamp: secretsStamp(), at: now() };
  const followSecrets = (): void => {
    if (now() - secretsSeen.at < checkedEvery) return;
    const stamp = secretsStamp();
    if (stamp !== '' && stamp !== secretsSeen.stamp) dataDir.reload();
    secretsSeen = { stamp, at: now() };
  };

  return {
    async issue(keySet, claims, { type, expiresIn }) {
      if (!(expiresIn > 0 && expiresIn <= longestTokenLife))
        throw new Error(`the lifetime of a token must be 1 to ${longestTokenLife} s, not ${expiresIn}`);
      const set = load(keySet, true) as KeySet;
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT({ ...claims, iss: issuer, aud: keySet, iat: issuedAt, exp: issuedAt + Math.ceil(expiresIn) })
        .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: set.kid })
        .sign(set.signing);
    },

    async verify(keySet, token, { type }) {
      const set = load(keySet, false);
      if (set === undefined || typeof token !== 'string') return undefined;
      const cacheKey = createHash('sha256').update(`${keySet}\n${type}\n${token}`).digest('base64url');
      const known = verified.get(cacheKey);
      if (known && known.until > now()) return known.claims;
      const result = await verifyCompact(token, {
        type,
        key: (kid) => {
          const found = set.verifying.get(kid);
          return found && found.until > now() ? found.key : undefined;
        },
      });
      if (!result.ok) return undefined;
      const { claims } = result;
      const seconds = now() / 1000;
      if (claims.iss !== issuer || claims.aud !== keySet) return undefined;
      if (typeof claims.exp !== 'number' || claims.exp <= seconds) return undefined;
      if (claims.nbf !== undefined && !(typeof claims.nbf === 'number' && claims.nbf <= seconds)) return undefined;
      const kept = Object.freeze(claims);
      verified.set(cacheKey, { claims: kept, until: Math.min(claims.exp * 1000, now() + cachedFor) });
      return kept;
    },

    pushKeys() {
      const { value } = dataDir.createJson('keys/push.json', () => {
        const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
        const { x, y } = publicKey.export({ format: 'jwk' });
        const { d } = privateKey.export({ format: 'jwk' });
        const point = Buffer.concat([Buffer.from([4]), der(x as string), der(y as string)]);
        return { publicKey: point.toString('base64url'), privateKey: d };
      });
      return pushKeys.parse(value);
    },

    async rotate(keySet, { compromised = false } = {}) {
      load(keySet, true);
      const name = nameOf(keySet);
      const file = keyFile.parse(dataDir.readJson(name));
      const verifyUntil = new Date(now() + longestTokenLife * 1000).toISOString();
      const key = newKey(keySet);
      const kept = file.keys
        .map(({ privateKey: _, ...old }) => ({ ...old, verifyUntil: old.verifyUntil ?? verifyUntil }))
        .filter((old) => !compromised && Date.parse(old.verifyUntil) > now());
      dataDir.writeJson(name, { current: key.kid, keys: [key, ...kept] });
      sets.delete(keySet);
      verified.clear();
    },

    currentKey: (keySet) => (load(keySet, true) as KeySet).kid,

    seal(text) {
      followSecrets();
      const { current, keys } = dataDir.secrets.encryption;
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret(keys[current] as string), iv).setAAD(Buffer.from(current));
      const body = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${current}.${body.toString('base64url')}`;
    },

    unseal(sealed) {
      const [, id, text] = /^([a-z0-9]{1,16})\.([\w-]{38,})$/.exec(sealed) ?? [];
      if (id === undefined || text === undefined) throw new SealError('the text is not sealed');
      const keyOf = (): string | undefined =>
        Object.hasOwn(dataDir.secrets.encryption.keys, id) ? dataDir.secrets.encryption.keys[id] : undefined;
      if (keyOf() === undefined) dataDir.reload();
      const key = keyOf();
      if (key === undefined)
        throw new SealError(`the text was sealed with the key ${id}, which is not in ${dataDir.file('secrets.json')}`);
      const body = der(text);
      const decipher = createDecipheriv('aes-256-gcm', secret(key), body.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(id))
        .setAuthTag(body.subarray(-16));
      try {
        return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SealError('the sealed text was changed', { cause });
      }
    },

    isStale: (sealed) => !sealed.startsWith(`${dataDir.secrets.encryption.current}.`),

    // The length keeps ("a", "b:c") and ("a:b", "c") apart.
    sign: (purpose, text) =>
      createHmac('sha256', secret(dataDir.secrets.hmac)).update(`${purpose.length}:${purpose}:${text}`).digest('base64url'),
  };
}
