import { Problem } from './problem.ts';

/**
 * Checks `If-Match` against the version of a row. Without the header there is no check.
 *
 * @throws Problem 412 `version_conflict`
 */
export function checkVersion(ifMatch: number | undefined, row: { readonly version: number }): void {
  if (ifMatch !== undefined && ifMatch !== row.version) throw new Problem('version_conflict');
}
