// Packs the packages that a shop or a plugin installs into a folder, as published: `npm run pack -- <folder>`. Needs a build.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packages, root } from './workspace.mjs';

/** Packs these packages of the workspace in `cwd`; throws with pnpm's output. */
export function pack(list, folder, cwd = root) {
  mkdirSync(folder, { recursive: true });
  const { packageManager } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const filters = list.map(({ name }) => `--filter=${name}`);
  const { error, status, stdout, stderr } = spawnSync(
    'npx',
    ['--yes', packageManager, ...filters, 'pack', '--pack-destination', folder],
    { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  if (error) throw error;
  if (status !== 0) throw new Error(`${stdout}${stderr}`.trim());
}

if (process.argv[1] === import.meta.filename) {
  const [, , folder] = process.argv;
  if (!folder) {
    console.error('usage: npm run pack -- <folder>');
    process.exit(2);
  }
  const target = resolve(process.env.INIT_CWD ?? root, folder);
  pack(
    // The registry runs separately; no shop or plugin installs it.
    packages().filter(({ dir, manifest }) => !manifest.private && !dir.startsWith('examples/') && dir !== 'packages/registry'),
    target,
  );
  console.log(`${readdirSync(target).filter((name) => name.endsWith('.tgz')).length} packages in ${target}`);
}
