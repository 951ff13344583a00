import { readFileSync } from 'node:fs';
import { ownPackage } from './installation/package-file.ts';

interface RemovedKey {
  readonly key: string;
  /** Version that removed it. */
  readonly since: string;
  /** The key to set instead. */
  readonly replacement?: string;
  /** Page of the migration guide. */
  readonly guide?: string;
}

/** A key that has another name now. The earlier name still works. */
interface DeprecatedKey {
  readonly key: string;
  readonly replacement: string;
  readonly since: string;
  /** Version that stops reading the earlier name. */
  readonly removedIn: string;
}

export interface KeyChanges {
  readonly deprecated: readonly DeprecatedKey[];
  readonly removed: readonly RemovedKey[];
}

let shipped: KeyChanges | undefined;

/**
 * Returns the keys of earlier versions, from `configuration.json` of this package. A major that removes a key adds it there, so that it
 * isn't ignored silently. The release manifest is generated from the same file.
 */
export function keyChanges(): KeyChanges {
  return (shipped ??= JSON.parse(readFileSync(new URL('configuration.json', ownPackage()), 'utf8')) as KeyChanges);
}
