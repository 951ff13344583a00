// The packages of the workspace with manifests and source files. Runs on Node 18 without dependencies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files under `dir`, recursively, as paths relative to the folder `base` (the repository), sorted. */
export function filesUnder(dir, base = root) {
  if (!existsSync(join(base, dir))) return [];
  return readdirSync(join(base, dir), { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name === 'node_modules' || entry.name === 'dist') return [];
      const path = `${dir}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(path, base) : [path];
    })
    .sort();
}

export const isTest = (file) => /\.test\.tsx?$/.test(file);

/** Every package of this workspace: `{dir, name, manifest, isPlugin, sources}`; `sources` are its TypeScript files without tests. */
export const packages = () => packagesOf(root);

/** Every package of the workspace in the folder `base`, as `packages` has them. */
export function packagesOf(base) {
  return ['packages', 'plugins', 'examples']
    .filter((parent) => existsSync(join(base, parent)))
    .flatMap((parent) => readdirSync(join(base, parent)).map((name) => `${parent}/${name}`))
    .filter((dir) => existsSync(join(base, dir, 'package.json')))
    .sort()
    .map((dir) => {
      const manifest = JSON.parse(readFileSync(join(base, dir, 'package.json'), 'utf8'));
      return {
        dir,
        name: manifest.name,
        manifest,
        isPlugin: manifest.storeloom?.plugin !== undefined,
        sources: filesUnder(`${dir}/src`, base).filter(
          (file) => /\.tsx?$/.test(file) && !isTest(file) && !file.endsWith('.d.ts'),
        ),
      };
    });
}

/** Path from the folder `from` to `to`, with forward slashes and a leading dot. */
export function relativePath(from, to) {
  const path = relative(join(root, from), join(root, to)).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
