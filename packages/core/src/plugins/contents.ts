import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder contains a file that a published package can't have. */
export class UnexpectedFile extends Error {}

/**
 * Returns the digest of an installed package's files, as the registry signs it: SHA-512 over one line for each file, sorted by path: the
 * file's SHA-256 in hex, two spaces, its path. `node_modules` is left out.
 * @throws UnexpectedFile for a link
 */
export function digestContents(folder: string): string {
  const files: [path: string, hash: string][] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (path === 'node_modules') continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile())
        files.push([
          path,
          createHash('sha256')
            .update(readFileSync(join(folder, path)))
            .digest('hex'),
        ]);
      else throw new UnexpectedFile(`${path} is a link, or no file at all`);
    }
  };
  walk('');
  const lines = files.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, hash]) => `${hash}  ${path}\n`);
  return `sha512-${createHash('sha512').update(lines.join('')).digest('base64')}`;
}
