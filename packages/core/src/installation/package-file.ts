import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Returns the URL of this package's package.json. The bundle and the sources are at different depths. */
export function ownPackage(): URL {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('@storeloom/core has no package.json. Install the package again.');
  return pathToFileURL(file);
}
