// Builds all workspace packages: sources to `dist` file by file with tsup, types with `tsc -b`. Skips packages whose inputs haven't
// changed since the last build. Option: --js-only skips the types.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packages, root } from './workspace.mjs';

const started = performance.now();
const stampFile = join(root, 'node_modules', '.cache', 'storeloom-build.json');
const tool = readFileSync(import.meta.filename) + readFileSync(join(root, 'node_modules/tsup/package.json'), 'utf8');

/**
 * Each module is its own output, so dist mirrors src: paths relative to `import.meta.url` are the same in both, and stack traces name the
 * source file.
 */
const keepModules = {
  name: 'keep-modules',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.tsx?$/, '.js'), external: true },
    );
  },
};

const outputOf = (pkg, source) => join(root, pkg.dir, 'dist', source.slice(`${pkg.dir}/src/`.length).replace(/\.tsx?$/, '.js'));

const typesOf = (pkg, source) => outputOf(pkg, source).replace(/\.js$/, '.d.ts');

function inputsOf(pkg) {
  const hash = createHash('sha256').update(tool);
  for (const file of [`${pkg.dir}/package.json`, ...pkg.sources]) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Types of sources that were moved or removed: tsc leaves them, and they would be packed. */
function removeStaleTypes(pkg) {
  const current = new Set(pkg.sources.map((source) => typesOf(pkg, source)));
  const dist = join(root, pkg.dir, 'dist');
  for (const file of globSync('**/*.d.ts{,.map}', { cwd: dist })) {
    const path = join(dist, file);
    if (!current.has(path.replace(/\.map$/, ''))) rmSync(path);
  }
}

async function buildPackage(pkg, before) {
  const { build } = await import('tsup');
  const current = new Set(pkg.sources.map((source) => outputOf(pkg, source)));
  // Removes the outputs of removed sources; tsc leaves their declarations behind too.
  for (const output of before?.outputs ?? []) {
    const file = join(root, output);
    rmSync(file, { force: true });
    if (current.has(file)) continue;
    for (const extension of ['.d.ts', '.d.ts.map']) rmSync(file.replace(/\.js$/, extension), { force: true });
  }
  await build({
    config: false,
    silent: true,
    clean: false,
    dts: false,
    format: 'esm',
    target: 'node22',
    platform: 'node',
    splitting: false,
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    tsconfig: join(root, 'tsconfig.base.json'),
    entry: Object.fromEntries(
      pkg.sources.map((source) => [source.slice(`${pkg.dir}/src/`.length).replace(/\.tsx?$/, ''), join(root, source)]),
    ),
    outDir: join(root, pkg.dir, 'dist'),
    esbuildPlugins: [keepModules],
  });
}

const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
const next = {};
const stale = [];
for (const pkg of packages().filter(({ sources }) => sources.length > 0)) {
  const inputs = inputsOf(pkg);
  const outputs = pkg.sources.map((source) => outputOf(pkg, source));
  next[pkg.dir] = { inputs, outputs: outputs.map((output) => output.slice(root.length + 1)) };
  if (stamps[pkg.dir]?.inputs !== inputs || !outputs.every((output) => existsSync(output))) stale.push(pkg);
}
for (const pkg of stale) {
  try {
    await buildPackage(pkg, stamps[pkg.dir]);
  } catch {
    // esbuild has printed the error.
    console.error(`${pkg.name} does not build`);
    process.exit(1);
  }
}
mkdirSync(dirname(stampFile), { recursive: true });
writeFileSync(stampFile, JSON.stringify(next));
if (stale.length > 0) console.error(`built ${stale.length} packages in ${((performance.now() - started) / 1000).toFixed(1)} s`);

if (!process.argv.includes('--js-only')) {
  for (const pkg of packages()) removeStaleTypes(pkg);
  // tsc trusts its build info and doesn't check that its outputs still exist.
  for (const pkg of packages().filter((candidate) =>
    candidate.sources.some((source) => !existsSync(typesOf(candidate, source))),
  )) {
    const records = join(root, pkg.dir, 'node_modules', '.cache');
    rmSync(join(records, 'main.tsbuildinfo'), { force: true });
  }
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-b'], { cwd: root, stdio: 'inherit' });
  process.exit(status ?? 1);
}
