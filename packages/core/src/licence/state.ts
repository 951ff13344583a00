import type { LicenceView } from '@storeloom/plugin-sdk';
import type { LicenceClaims } from './claims.ts';

export type LicenceState = LicenceView['state'];

/** What is known of a licence besides its claims. Times in milliseconds since the epoch. */
export interface LicenceFacts {
  /** Confirmed by an online answer or a signed list. */
  readonly revoked?: boolean;
  /** First failed heartbeat since the last answer. */
  readonly offlineSince?: number;
  /** Whether the certificate's renewal has failed so far. */
  readonly renewalFailed?: boolean;
  /** Latest time seen: server's time of the last heartbeat, newest order. */
  readonly latestSeen?: number;
}

const day = 24 * 60 * 60 * 1000;
const entitlementNotice = 60 * day;
const certificateNotice = 10 * day;
const clockTolerance = 10 * 60 * 1000;

/** Time to judge by: a clock that was put back doesn't prolong a licence. */
export function licenceTime(claims: LicenceClaims, now: number, latestSeen = 0): number {
  const latest = Math.max(claims.iat * 1000, latestSeen);
  return now < latest - clockTolerance ? latest : now;
}

/** State of a stored licence. One grace clock, started by the first of: entitlement over, certificate over, offline too long. */
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
