import { Problem } from './problem.ts';

/** `If-Match` of a change to a row: 412 `version_conflict` where the row has another version. Without the header nothing is asked. */
export function checkVersion(ifMatch: number | undefined, row: { readonly version: number }): void {
  if (ifMatch !== undefined && ifMatch !== row.version) throw new Problem('version_conflict');
}
