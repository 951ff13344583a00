// Step `architecture` of `npm test`: dependency-cruiser checks what files import (.dependency-cruiser.cjs), the rest of this file what
// packages declare. Packages must not depend on each other in a cycle, development and optional dependencies included: a package in one
// can't be built, tested or released alone.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packages, root } from './workspace.mjs';

const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const all = packages();
const names = new Set(all.map(({ name }) => name));
const targets = new Map(
  all.map(({ name, manifest }) => [
    name,
    [...new Set(kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})))].filter((target) => names.has(target)),
  ]),
);

/** Shortest path from a package back to itself; undefined where there is none. */
function cycleThrough(name) {
  const paths = [[name]];
  const seen = new Set();
  for (const path of paths) {
    for (const target of targets.get(path.at(-1))) {
      if (target === name) return [...path, name];
      if (seen.has(target)) continue;
      seen.add(target);
      paths.push([...path, target]);
    }
  }
  return undefined;
}

const reported = new Set();
for (const name of names) {
  const cycle = reported.has(name) ? undefined : cycleThrough(name);
  if (!cycle) continue;
  for (const member of cycle) reported.add(member);
  console.error(`Packages depend on each other in a cycle: ${cycle.join(' → ')}. Move what both need into a package below them.`);
  process.exitCode = 1;
}

const { status, error } = spawnSync(join(root, 'node_modules/.bin/depcruise'), ['packages', 'plugins', 'examples'], {
  cwd: root,
  stdio: 'inherit',
});
if (error) throw error;
process.exitCode ||= status ?? 1;
