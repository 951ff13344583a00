import { createHash } from 'node:crypto';
import type { FlagSubject } from '../contract.ts';

interface FlagRule {
  attribute: string;
  values: string[];
  enabled: boolean;
}
export interface FlagState {
  name: string;
  enabled: boolean;
  rolloutBp: number;
  rules: FlagRule[];
}

/**
 * Pure: whether a subject sees the flag. Off is off for everybody; the first rule that names the subject decides; else the roll-out,
 * which gives a subject the same answer each time and adds subjects as it grows. Without a key only a full roll-out is on.
 */
export function isFlagOn(flag: FlagState, subject: FlagSubject = {}): boolean {
  if (!flag.enabled) return false;
  for (const { attribute, values, enabled } of flag.rules) {
    const own = subject.attributes && Object.hasOwn(subject.attributes, attribute) ? subject.attributes[attribute] : undefined;
    if (own !== undefined && values.includes(own)) return enabled;
  }
  if (flag.rolloutBp >= 10_000) return true;
  return subject.key !== undefined && bucketOf(flag.name, subject.key) < flag.rolloutBp;
}

/** 0 to 9,999, evenly, and independent from flag to flag. */
function bucketOf(name: string, key: string): number {
  return createHash('sha256').update(`${name.length}:${name}:${key}`).digest().readUInt32BE() % 10_000;
}
