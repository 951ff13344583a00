import type { KeyObject } from 'node:crypto';
import { verifyCompact } from '@storeloom/keys';
import { type LicenceClaims, licenceClaims, licenceType } from './claims.ts';
import type { Environment } from './environment.ts';

/** A key that can sign licences, and their environments. */
export interface LicenceKey {
  readonly key: KeyObject;
  readonly environments: readonly Environment[];
  /** `iss` of the tokens it signs. */
  readonly issuer?: string;
}
/** `kid` → key. */
export type LicenceKeys = ReadonlyMap<string, LicenceKey>;

export interface LicenceRules {
  readonly keys: LicenceKeys;
  readonly env: Environment;
  /** Id of this installation. */
  readonly installation: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A licence to activate must be valid now; a stored one is accepted, and its state tells whether it is. */
  readonly purpose: 'activate' | 'stored';
}
export type LicenceCheck =
  | { readonly ok: true; readonly claims: LicenceClaims }
  | { readonly ok: false; readonly code: LicenceRefusal; readonly message: string };
type LicenceRefusal = 'signature_invalid' | 'wrong_environment' | 'no_activation' | 'not_yet_valid' | 'expired';

const refused = (code: LicenceRefusal, message: string): LicenceCheck => ({ ok: false, code, message });

/** Verifies a licence offline. Invalid input is rejected, not thrown. */
export async function verifyLicence(
  token: string,
  { keys, env, installation, now, purpose }: LicenceRules,
): Promise<LicenceCheck> {
  if (typeof token !== 'string') return refused('signature_invalid', 'The licence is not valid: it is not a token.');
  const result = await verifyCompact(token.trim(), { type: licenceType, key: (kid) => keys.get(kid)?.key });
  if (!result.ok) return refused('signature_invalid', `The licence is not valid: ${result.why}.`);
  const parsed = licenceClaims.safeParse(result.claims);
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'claims');
    return refused(
      'signature_invalid',
      `The licence has a shape that this version doesn't know (${[...new Set(where)].join(', ')}).`,
    );
  }
  const claims = parsed.data;
  const signer = keys.get(result.kid);
  if (signer?.issuer !== undefined && signer.issuer !== claims.iss)
    return refused('signature_invalid', 'The licence is not valid: its issuer differs from that of its key.');
  if (claims.env !== env || !signer?.environments.includes(claims.env))
    return refused(
      'wrong_environment',
      `The licence is for ${claims.env}, and this installation runs as ${env} (STORELOOM_ENV).`,
    );
  if (claims.sub !== installation)
    return refused('no_activation', `The licence was activated on the installation ${claims.sub}; this one is ${installation}.`);
  if (purpose === 'activate') {
    const seconds = now / 1000;
    if (claims.nbf !== undefined && claims.nbf > seconds)
      return refused('not_yet_valid', `The licence is valid from ${iso(claims.nbf)}.`);
    if (claims.exp <= seconds || claims.expiresAt <= seconds)
      return refused('expired', `The licence expired at ${iso(Math.min(claims.exp, claims.expiresAt))}.`);
  }
  return { ok: true, claims };
}

/** Converts a NumericDate to an instant. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
