import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import { type DataDir, openDataDir } from './data-dir.ts';
import { createKeyring, longestTokenLife } from './keyring.ts';

/** The key sets of access tokens, one for each audience, and the key that seals secrets in the database. */
export const keyFamilies = ['admin', 'storefront', 'super-admin', 'encryption'] as const;
export type KeyFamily = (typeof keyFamilies)[number];

export interface KeyRotation {
  family: KeyFamily;
  /** Id of the new key. */
  key: string;
  /** Instant until which tokens of the previous key are valid; null if they are rejected immediately, and for `encryption`, whose old keys stay usable. */
  oldUntil: string | null;
}

/**
 * Opens the data directory of an existing installation whose files this user can replace.
 * @throws ConfigError
 */
export function ownDataDir(dataDirectory: string): DataDir {
  const secrets = join(dataDirectory, 'secrets.json');
  if (!existsSync(secrets))
    throw new ConfigError([`${dataDirectory} is not the data directory of an installation; set STORELOOM_DATA, or use --data`]);
  // The new file would belong to the current user, and the server couldn't read it.
  const { uid } = statSync(secrets);
  if (process.getuid !== undefined && process.getuid() !== uid)
    throw new ConfigError([`the keys in ${dataDirectory} belong to the user ${uid}: run this as that user`]);
  return openDataDir(dataDirectory);
}

/**
 * Rotates a key of an installation, which can be running: every process uses the new key within seconds. `compromised` rejects the tokens of
 * the old keys of an audience; sessions continue and get a new token on their next refresh.
 * @throws ConfigError if there is no installation, its files belong to another user, or the family doesn't support the options
 */
export async function rotateKeys(
  dataDirectory: string,
  family: KeyFamily,
  { compromised = false, now = Date.now }: { compromised?: boolean; now?: () => number } = {},
): Promise<KeyRotation> {
  const dataDir = ownDataDir(dataDirectory);
  if (compromised && family === 'encryption')
    throw new ConfigError([
      'the old encryption keys must stay, or what they sealed could not be opened: rotate without --compromised',
    ]);
  if (family === 'encryption') {
    const { encryption } = dataDir.rotateEncryptionKey();
    return { family, key: encryption.current, oldUntil: null };
  }
  const keyring = createKeyring(dataDir, now);
  await keyring.rotate(family, { compromised });
  return {
    family,
    key: keyring.currentKey(family),
    oldUntil: compromised ? null : new Date(now() + longestTokenLife * 1000).toISOString(),
  };
}
