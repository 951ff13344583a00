import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type DataDir, ownDataDir } from '@storeloom/keys';
import type { LicenceIssuer } from '@storeloom/plugin-sdk';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { keyListType } from './answer.ts';

const keyFile = z.object({
  current: z.string(),
  next: z.string(),
  keys: z.array(z.object({ kid: z.string(), x: z.string(), privateKey: z.string() })),
});
type KeyFile = z.infer<typeof keyFile>;
const file = 'keys/licence-issuer.json';
/** Number of replaced keys that still sign key lists, so that an installation that missed a rotation can learn the new keys. */
const keptKeys = 4;

export interface IssuerKeys extends LicenceIssuer {
  /** Makes the next key the current one and creates a new next key. A `compromised` key is removed, so that its signatures become invalid. */
  rotate(options?: { compromised?: boolean }): { current: string; next: string };
}

/** Opens the keys in the data directory of an existing installation. @throws ConfigError */
export const openIssuer = (dataDirectory: string): IssuerKeys => createIssuer(ownDataDir(dataDirectory));

function newKey(): KeyFile['keys'][number] {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = privateKey.export({ format: 'jwk' });
  return {
    kid: `licence-${randomBytes(6).toString('hex')}`,
    x: x as string,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  };
}

/** Manages the keys of an installation that issues licences, in its data directory: the current one signs, the next one is published with it. */
export function createIssuer(dataDir: DataDir): IssuerKeys {
  const id = `urn:storeloom:${dataDir.secrets.installation}`;
  const read = (): KeyFile => {
    const { value } = dataDir.createJson(file, () => {
      const [current, next] = [newKey(), newKey()];
      return { current: current.kid, next: next.kid, keys: [current, next] };
    });
    return keyFile.parse(value);
  };
  const signWith = (key: KeyFile['keys'][number], type: string, claims: Record<string, unknown>): Promise<string> =>
    new SignJWT({ ...claims, iss: id })
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: key.kid })
      .sign(createPrivateKey({ key: Buffer.from(key.privateKey, 'base64url'), format: 'der', type: 'pkcs8' }));
  const publicOf = ({ keys }: KeyFile): { kid: string; x: string }[] => keys.map(({ kid, x }) => ({ kid, x }));

  return {
    id,
    keys: () => publicOf(read()),
    async sign(type, claims) {
      const { current, keys } = read();
      const key = keys.find(({ kid }) => kid === current);
      if (!key) throw new Error(`${dataDir.file(file)} lacks its current key`);
      return signWith(key, type, claims);
    },
    async keyLists(at) {
      const held = read();
      const claims = { iat: Math.floor(at / 1000), keys: publicOf(held) };
      return Promise.all(held.keys.map((key) => signWith(key, keyListType, claims)));
    },
    rotate({ compromised = false } = {}) {
      const { current, next, keys } = read();
      const made = newKey();
      const old = keys.filter(({ kid }) => kid !== next && !(compromised && kid === current));
      const promoted = keys.filter(({ kid }) => kid === next);
      dataDir.writeJson(file, { current: next, next: made.kid, keys: [...promoted, made, ...old.slice(0, keptKeys)] });
      return { current: next, next: made.kid };
    },
  };
}
