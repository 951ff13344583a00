import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { DataDir } from '@storeloom/keys';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { licenceType } from './claims.ts';
import type { LicenceKey } from './verify.ts';

const year = 365 * 24 * 60 * 60;
const keyFile = z.object({ kid: z.string(), privateKey: z.string() });

/** Returns the key that signs development licences of this data directory. Only installations in development trust it. */
function developmentKey(dataDir: DataDir): { kid: string; signing: KeyObject } {
  const { value } = dataDir.createJson('keys/development-licence.json', () => ({
    kid: `development-${randomBytes(6).toString('hex')}`,
    privateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  }));
  const { kid, privateKey } = keyFile.parse(value);
  return { kid, signing: createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' }) };
}

/** Returns a licence for every plugin, valid for a year from each start, and the key that verifies it. `now` is in milliseconds. */
export async function developmentLicence(
  dataDir: DataDir,
  now: number,
): Promise<{ token: string; kid: string; key: LicenceKey }> {
  const { kid, signing } = developmentKey(dataDir);
  const issuedAt = Math.floor(now / 1000);
  const end = issuedAt + year;
  const { installation } = dataDir.secrets;
  const token = await new SignJWT({
    iss: `urn:storeloom:${installation}`,
    aud: 'kernel',
    v: 1,
    sub: installation,
    jti: `development-${installation}`,
    iat: issuedAt,
    nbf: issuedAt,
    exp: end,
    expiresAt: end,
    env: 'development',
    plan: 'development',
    plugins: { '*': '*' },
    themes: { '*': '*' },
    limits: {},
    domains: [],
    updatesUntil: end,
    heartbeat: { interval: year, maxOffline: year },
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: licenceType, kid })
    .sign(signing);
  return { token, kid, key: { key: createPublicKey(signing), environments: ['development'] } };
}
