import type { LicenceView } from '@storeloom/plugin-sdk';
import semver from 'semver';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { DataDir } from '../data-dir.ts';
import { type Reason, reasonOf } from '../fault.ts';
import type { Manifest } from '../runtime.ts';
import type { LicenceClaims } from './claims.ts';
import { developmentLicence } from './development.ts';
import { shippedKeys } from './keys.ts';
import { type LicenceFacts, type LicenceState, licenceState } from './state.ts';
import { iso, type LicenceKeys, verifyLicence } from './verify.ts';

/** What of a plugin decides whether the licence covers it. */
export type Licensed = Pick<Manifest, 'name' | 'version' | 'entitlement' | 'foundation'>;
export type Cover = { readonly ok: true } | { readonly ok: false; readonly code: 'not_licensed'; readonly message: string };

export interface InstallationLicence {
  view(): LicenceView;
  state(): LicenceState;
  /**
   * Whether a plugin may load. `installed: false` says that it wasn't on before: an expired or revoked licence lets the installed
   * ones go on and takes no new one.
   */
  covers(plugin: Licensed, options?: { installed?: boolean }): Cover;
  /** Why a stored licence was refused; undefined when it holds, or when there is none. */
  readonly problem: Reason | undefined;
}

/** `licence.json` of the data directory. */
const stored = z.object({
  token: z.string(),
  revoked: z.boolean().optional(),
  offlineSince: z.iso.datetime().optional(),
  renewalFailed: z.boolean().optional(),
  latestSeen: z.iso.datetime().optional(),
});
export const licenceFile = 'licence.json';

export interface LicenceOptions {
  /** Keys of licence issuers. Default: those that this version ships. */
  readonly keys?: LicenceKeys;
}

/**
 * Reads the stored licence and verifies it, offline. In development, an installation without one gets one of its own; production
 * and staging never trust the key of that.
 */
export async function createLicence(
  dataDir: DataDir,
  config: Pick<Config, 'env'>,
  clock: { ms(): number } = { ms: Date.now },
  { keys = shippedKeys }: LicenceOptions = {},
): Promise<InstallationLicence> {
  const { installation } = dataDir.secrets;
  const present = dataDir.readJson(licenceFile);
  let claims: LicenceClaims | undefined;
  let facts: LicenceFacts = {};
  let problem: Reason | undefined;

  const check = async (token: string, trusted: LicenceKeys): Promise<void> => {
    const result = await verifyLicence(token, {
      keys: trusted,
      env: config.env,
      installation,
      now: clock.ms(),
      purpose: 'stored',
    });
    if (result.ok) claims = result.claims;
    else problem = reasonOf({ code: result.code, what: result.message, where: dataDir.file(licenceFile) });
  };
  if (present !== undefined) {
    const file = stored.safeParse(present);
    if (file.success) {
      const { token, revoked, offlineSince, renewalFailed, latestSeen } = file.data;
      const ms = (instant: string | undefined): number | undefined => (instant === undefined ? undefined : Date.parse(instant));
      facts = { revoked, offlineSince: ms(offlineSince), renewalFailed, latestSeen: ms(latestSeen) };
      await check(token, keys);
    } else {
      problem = reasonOf({
        code: 'signature_invalid',
        what: 'The stored licence can not be read.',
        where: dataDir.file(licenceFile),
        fix: 'activate the licence again',
      });
    }
  } else if (config.env === 'development') {
    const { token, kid, key } = await developmentLicence(dataDir, clock.ms());
    await check(token, new Map([[kid, key]]));
  }

  const state = (): LicenceState => licenceState(claims, clock.ms(), facts);
  return {
    problem,
    state,
    view: () => ({
      state: state(),
      plan: claims?.plan ?? null,
      plugins: { ...claims?.plugins },
      limits: { ...claims?.limits },
      expiresAt: claims === undefined ? null : iso(claims.expiresAt),
      updatesUntil: claims === undefined ? null : iso(claims.updatesUntil),
      installation,
    }),
    covers: (plugin, { installed = true } = {}) => covers(claims, state(), plugin, installed),
  };
}

/** Pure: whether a licence in this state lets a plugin load. */
export function covers(claims: LicenceClaims | undefined, state: LicenceState, plugin: Licensed, installed: boolean): Cover {
  if (plugin.foundation) return { ok: true };
  if (claims === undefined)
    return refusal(plugin, 'this installation has no licence in force', 'activate a licence, or take the plugin off the list');
  const range = own(claims.plugins, plugin.entitlement) ?? own(claims.plugins, '*');
  if (range === undefined)
    return refusal(
      plugin,
      `the licence ${claims.jti} lacks the entitlement ${plugin.entitlement}`,
      'add it to the licence, or take the plugin off the list',
    );
  if (!semver.satisfies(plugin.version, range, { includePrerelease: true }))
    return refusal(
      plugin,
      `the licence ${claims.jti} covers ${plugin.entitlement} ${range}`,
      'install a version that it covers, or extend the licence',
    );
  if ((state === 'expired' || state === 'revoked') && !installed)
    return refusal(
      plugin,
      `the licence ${claims.jti} is ${state}: what was on goes on, nothing new is added`,
      'renew the licence',
    );
  return { ok: true };
}

function refusal(plugin: Licensed, why: string, fix: string): Cover {
  const { code, message } = reasonOf({
    code: 'not_licensed',
    what: `${plugin.name} ${plugin.version} is not licensed`,
    why,
    fix,
  });
  return { ok: false, code: code as 'not_licensed', message };
}

/** Member of the object itself, so that an entitlement called `constructor` finds nothing. */
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
