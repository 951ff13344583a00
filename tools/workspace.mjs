// The workspace as the tools see it: every package folder with its manifest and source files. Node 18, no dependencies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files under `dir`, recursively, as paths relative to the repository root, sorted. */
export function filesUnder(dir) {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name === 'node_modules' || entry.name === 'dist') return [];
      const path = `${dir}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

export const isTest = (file) => /\.test\.tsx?$/.test(file);

/** Every workspace package: `{dir, name, manifest, isPlugin, sources}`; `sources` are its TypeScript files without tests. */
export function packages() {
  return ['packages', 'plugins', 'examples']
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((dir) => existsSync(join(root, dir, 'package.json')))
    .sort()
    .map((dir) => {
      const manifest = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
      return {
        dir,
        name: manifest.name,
        manifest,
        isPlugin: manifest.storeloom?.plugin !== undefined,
        sources: filesUnder(`${dir}/src`).filter((file) => /\.tsx?$/.test(file) && !isTest(file) && !file.endsWith('.d.ts')),
      };
    });
}

/** Path of `to` as seen from the folder `from`, with forward slashes and a leading dot. */
export function relativePath(from, to) {
  const path = relative(join(root, from), join(root, to)).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
