import type { LicenceView } from '@storeloom/plugin-sdk';
import type { LicenceClaims } from './claims.ts';

export type LicenceState = LicenceView['state'];

/** What is known about a licence besides its claims. Times in milliseconds since 1970. */
export interface LicenceFacts {
  /** Confirmed by a response or a signed list. */
  readonly revoked?: boolean;
  /** First failed heartbeat since the last response. */
  readonly offlineSince?: number;
  /** True if the renewal of the certificate has failed so far. */
  readonly renewalFailed?: boolean;
  /** Latest time seen: server's time of the last heartbeat, or the newest order. */
  readonly latestSeen?: number;
}

const day = 24 * 60 * 60 * 1000;
const entitlementNotice = 60 * day;
const certificateNotice = 10 * day;
const clockTolerance = 10 * 60 * 1000;

/** Returns the time to use: setting back the clock doesn't extend a licence. */
export function licenceTime(claims: LicenceClaims, now: number, latestSeen = 0): number {
  const latest = Math.max(claims.iat * 1000, latestSeen);
  return now < latest - clockTolerance ? latest : now;
}

/** Returns the state of a stored licence. The grace period starts with the first of: entitlement expired, certificate expired, offline too long. */
export function licenceState(claims: LicenceClaims | undefined, now: number, facts: LicenceFacts = {}): LicenceState {
  if (claims === undefined) return 'none';
  if (facts.revoked) return 'revoked';
  const time = licenceTime(claims, now, facts.latestSeen);
  const ends = [claims.expiresAt * 1000, claims.exp * 1000];
  if (facts.offlineSince !== undefined) ends.push(facts.offlineSince + claims.heartbeat.maxOffline * 1000);
  const over = Math.min(...ends);
  if (time >= over) return time < over + claims.grace * 1000 ? 'grace' : 'expired';
  const due = claims.expiresAt * 1000 - time <= entitlementNotice;
  const certificateDue = facts.renewalFailed === true && claims.exp * 1000 - time <= certificateNotice;
  return due || certificateDue ? 'renewal_due' : 'valid';
}
