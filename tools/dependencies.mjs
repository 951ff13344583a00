// Checks with knip what knip.config.ts describes: every declared dependency is imported, every import declared, and no file, export
// or catalog entry is unused. The second run follows only what a user installs: an import there needs more than a devDependency.
// Option: --directory <folder> checks another workspace.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './workspace.mjs';

const { values } = parseArgs({ options: { directory: { type: 'string' } } });
const cwd = values.directory === undefined ? root : resolve(values.directory);

// An exception that is no longer needed is an error too.
const common = ['--no-progress', '--treat-config-hints-as-errors'];
const runs = [common, [...common, '--production', '--strict', '--include', 'dependencies,unlisted', '--workspace', '!.']];

for (const options of runs) {
  const { error, status } = spawnSync(join(root, 'node_modules/.bin/knip'), options, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exitCode = 1;
}
