import { type DataDir, formatReason, type Reason } from '@storeloom/keys';
import type { LicenceView } from '@storeloom/plugin-sdk';
import semver from 'semver';
import type { LicenceClaims } from './claims.ts';
import { developmentLicence } from './development.ts';
import { type LicenceDocument, noDocument, openDocument } from './document.ts';
import type { Environment } from './environment.ts';
import { keysOf, shippedIssuer, type TrustedIssuer } from './keys.ts';
import { type LicenceFacts, type LicenceState, licenceState, licenceTime } from './state.ts';
import { iso, type LicenceKeys, verifyLicence } from './verify.ts';

/** The part of a plugin's manifest that decides whether the licence covers it. */
export interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly entitlement: string;
  readonly foundation: boolean;
}
export type Cover = { readonly ok: true } | { readonly ok: false; readonly code: 'not_licensed'; readonly message: string };

export interface InstallationLicence {
  view(): LicenceView;
  state(): LicenceState;
  /**
   * Returns whether a plugin can load. `installed: false`: it wasn't on before. An expired or revoked licence covers installed plugins, but
   * no new ones.
   */
  covers(plugin: Licensed, options?: { installed?: boolean }): Cover;
  /** Returns whether a theme can be activated. `installed` as for plugins. */
  coversTheme(theme: { name: string; version: string }, options?: { installed?: boolean }): Cover;
  /** Why a stored licence was rejected; undefined if it is valid, or if there is none. */
  readonly problem: Reason | undefined;
  readonly issuer: TrustedIssuer | undefined;
  readonly claims: LicenceClaims | undefined;
  /** The stored state; empty for an installation without a licence. */
  readonly document: LicenceDocument;
  /** Returns the trusted keys of the issuer, configured and learned. */
  keys(): LicenceKeys;
  /** Returns the time in milliseconds; setting back the clock has no effect. */
  now(): number;
  /** Loads the stored state, after a change by this or another process. */
  load(stored: unknown): Promise<void>;
  useClock(clock: { ms(): number }): void;
}

export interface LicenceOptions {
  readonly dataDir: DataDir;
  readonly env: Environment;
  /** HMAC with a secret of the installation. */
  readonly sign: (text: string) => string;
  readonly clock?: { ms(): number };
  /** The issuer whose licences are accepted. Default: that of the product. */
  readonly issuer?: TrustedIssuer | undefined;
  /** `core_installation.licence`. */
  readonly stored?: unknown;
}

/**
 * Verifies the stored licence, offline. In development, an installation without a licence creates its own; production and staging never trust
 * its key.
 */
export async function createLicence(options: LicenceOptions): Promise<InstallationLicence> {
  const { dataDir, env, sign, issuer = shippedIssuer } = options;
  const { installation } = dataDir.secrets;
  let clock = options.clock ?? { ms: Date.now };
  let claims: LicenceClaims | undefined;
  let facts: LicenceFacts = {};
  let problem: Reason | undefined;
  let document = noDocument;

  const check = async (token: string, trusted: LicenceKeys): Promise<void> => {
    const result = await verifyLicence(token, { keys: trusted, env, installation, now: clock.ms(), purpose: 'stored' });
    claims = result.ok ? result.claims : undefined;
    problem = result.ok ? undefined : formatReason({ code: result.code, what: result.message, where: 'the stored licence' });
  };
  const load = async (stored: unknown): Promise<void> => {
    const opened = stored === undefined || stored === null ? undefined : openDocument(stored, sign);
    if (opened?.ok === false) {
      [document, claims, facts] = [noDocument, undefined, {}];
      problem = formatReason({
        code: 'signature_invalid',
        what: 'The stored licence can not be read.',
        fix: 'activate the licence again',
      });
      return;
    }
    document = opened?.document ?? noDocument;
    const { token } = document;
    if (token !== null) {
      const believed = opened?.untouched === true;
      await check(token, keysOf(issuer, believed ? document.learnedKeys : []));
      const ms = (instant: string | null): number | undefined => (instant === null ? undefined : Date.parse(instant));
      // An edited document says nothing about the server's responses: assume none since the certificate was issued.
      facts = believed
        ? {
            revoked: document.revoked,
            offlineSince: ms(document.offlineSince),
            renewalFailed: document.renewalFailed,
            latestSeen: ms(document.latestSeen),
          }
        : { revoked: document.revoked, offlineSince: (claims?.iat ?? 0) * 1000 };
      if (!believed) document = { ...document, learnedKeys: [] };
      return;
    }
    [claims, facts, problem] = [undefined, {}, undefined];
    if (env !== 'development') return;
    const own = await developmentLicence(dataDir, clock.ms());
    await check(own.token, new Map([[own.kid, own.key]]));
  };
  await load(options.stored);

  const state = (): LicenceState => licenceState(claims, clock.ms(), facts);
  return {
    get problem() {
      return problem;
    },
    get claims() {
      return claims;
    },
    get document() {
      return document;
    },
    issuer,
    state,
    load,
    keys: () => keysOf(issuer, document.learnedKeys),
    now: () => (claims ? licenceTime(claims, clock.ms(), facts.latestSeen) : clock.ms()),
    useClock(next) {
      clock = next;
    },
    view: () => ({
      state: state(),
      plan: claims?.plan ?? null,
      plugins: { ...claims?.plugins },
      themes: { ...claims?.themes },
      limits: { ...claims?.limits },
      domains: [...(claims?.domains ?? [])],
      expiresAt: claims === undefined ? null : iso(claims.expiresAt),
      updatesUntil: claims === undefined ? null : iso(claims.updatesUntil),
      keyMasked: document.keyHint === null ? null : `••••${document.keyHint}`,
      lastHeartbeatAt: document.lastHeartbeatAt,
      installation,
    }),
    covers: (plugin, { installed = true } = {}) => covers(claims, state(), plugin, installed),
    coversTheme: (theme, { installed = false } = {}) => coversTheme(claims, state(), theme, installed),
  };
}

/** Returns whether a licence in this state covers a plugin. */
export function covers(claims: LicenceClaims | undefined, state: LicenceState, plugin: Licensed, installed: boolean): Cover {
  if (plugin.foundation) return { ok: true };
  const { name, version, entitlement } = plugin;
  return judge(claims, state, installed, {
    what: `${name} ${version}`,
    version,
    ranges: claims?.plugins ?? {},
    entitlement,
    called: `entitlement ${entitlement}`,
  });
}

/** Returns whether a licence in this state covers a theme. */
function coversTheme(
  claims: LicenceClaims | undefined,
  state: LicenceState,
  { name, version }: { name: string; version: string },
  installed: boolean,
): Cover {
  return judge(claims, state, installed, {
    what: `the theme ${name} ${version}`,
    version,
    ranges: claims?.themes ?? {},
    entitlement: name,
    called: `theme ${name}`,
  });
}

interface Wanted {
  readonly what: string;
  readonly version: string;
  readonly ranges: Readonly<Record<string, string>>;
  readonly entitlement: string;
  readonly called: string;
}

function judge(claims: LicenceClaims | undefined, state: LicenceState, installed: boolean, wanted: Wanted): Cover {
  const { what, version, ranges, entitlement, called } = wanted;
  if (claims === undefined)
    return refusal(what, 'this installation has no licence in force', 'activate a licence, or take it off the list');
  const range = own(ranges, entitlement) ?? own(ranges, '*');
  if (range === undefined)
    return refusal(what, `the licence ${claims.jti} lacks the ${called}`, 'add it to the licence, or take it off the list');
  if (!semver.satisfies(version, range, { includePrerelease: true }))
    return refusal(
      what,
      `the licence ${claims.jti} covers ${entitlement} ${range}`,
      'install a version that it covers, or extend the licence',
    );
  if ((state === 'expired' || state === 'revoked') && !installed)
    return refusal(what, `the licence ${claims.jti} is ${state}: what was on goes on, nothing new is added`, 'renew the licence');
  return { ok: true };
}

function refusal(what: string, why: string, fix: string): Cover {
  const { code, message } = formatReason({ code: 'not_licensed', what: `${what} is not licensed`, why, fix });
  return { ok: false, code: code as 'not_licensed', message };
}

/** Reads an own property, so that an entitlement called `constructor` isn't found on the prototype. */
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
