import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DataDir } from '@storeloom/keys';
import type { SetupToken } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import type { Config } from '../config.ts';

export interface InstallationSetupToken extends SetupToken {
  readonly value: string;
  /** True if this process has just created it: it is then printed once. */
  readonly made: boolean;
}

const file = z.object({ token: z.string().min(32) });
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns the token of the setup routes: `SETUP_TOKEN`, otherwise one stored in the data directory. */
export function createSetupToken(config: Pick<Config, 'setupToken'>, dataDir: DataDir): InstallationSetupToken {
  const own = (): { value: string; made: boolean } => {
    const { value, made } = dataDir.createJson('setup-token.json', () => ({ token: randomBytes(24).toString('base64url') }));
    return { value: file.parse(value).token, made };
  };
  const { value, made } = config.setupToken === undefined ? own() : { value: config.setupToken, made: false };
  const expected = digest(value);
  return {
    value,
    made,
    // Digests have the same length, so the comparison takes constant time.
    matches: (token) => typeof token === 'string' && timingSafeEqual(digest(token), expected),
  };
}
