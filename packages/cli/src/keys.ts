import { ConfigError, type KeyFamily, keyFamilies, rotateKeys } from '@storeloom/keys';
import { configOf } from './installation.ts';

interface RotateOptions {
  data?: string;
  dir: string;
  compromised?: boolean;
  json?: boolean;
}

/** Exit codes: 0 success · 2 unknown family, no installation, or one of another user. Needs no database and no restart. */
export async function rotateCommand(family: string, options: RotateOptions): Promise<number> {
  if (!(keyFamilies as readonly string[]).includes(family))
    throw new ConfigError([`${family} is no family of keys: there are ${keyFamilies.join(', ')}`]);
  const { dataDir } = configOf(options);
  const done = await rotateKeys(dataDir, family as KeyFamily, { compromised: options.compromised === true });
  if (options.json) process.stdout.write(`${JSON.stringify(done)}\n`);
  else process.stdout.write(`${family}: ${done.key} is in use from now on\n  ${fate(done.family, done.oldUntil)}\n`);
  return 0;
}

function fate(family: KeyFamily, oldUntil: string | null): string {
  if (family === 'encryption') return 'older keys stay in secrets.json: they open what they sealed';
  return oldUntil === null
    ? 'tokens of older keys are refused; signed-in users get a new one with the next refresh'
    : `tokens of older keys are good until they run out, at the latest ${oldUntil}`;
}
