import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import { type DataDir, openDataDir } from '../installation/data-dir.ts';
import { createKeyring, longestTokenLife } from './keyring.ts';

/** The key sets of access tokens, one an audience, and the key that seals secrets in the database. */
export const keyFamilies = ['admin', 'storefront', 'super-admin', 'encryption'] as const;
export type KeyFamily = (typeof keyFamilies)[number];

export interface KeyRotation {
  family: KeyFamily;
  /** Id of the key in use from now on. */
  key: string;
  /** Until when tokens of the key before are good; null when they are refused at once, and for `encryption`, whose old keys go on opening. */
  oldUntil: string | null;
}

/**
 * The data directory of an installation that is there, and whose files this user may replace.
 * @throws ConfigError
 */
export function ownDataDir(dataDirectory: string): DataDir {
  const secrets = join(dataDirectory, 'secrets.json');
  if (!existsSync(secrets))
    throw new ConfigError([`${dataDirectory} is no data directory of an installation; set STORELOOM_DATA, or give --data`]);
  // The new file would belong to whoever runs this, and the server couldn't read it.
  const { uid } = statSync(secrets);
  if (process.getuid !== undefined && process.getuid() !== uid)
    throw new ConfigError([`the keys in ${dataDirectory} belong to the user ${uid}: run this as that user`]);
  return openDataDir(dataDirectory);
}

/**
 * A new key for a family of an installation, which may be running: every process uses it within seconds. `compromised` refuses what the old
 * keys of an audience have signed; sessions go on, their next refresh brings a new token.
 * @throws ConfigError where there is no installation, its files are another user's, or the family can't be what was asked
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
