// Builds all workspace packages: bundles each into `dist` with tsup, types with `tsc -b`. Skips packages whose inputs haven't changed
// since the last build. Option: --js-only skips the types.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packages, root } from './workspace.mjs';

const started = performance.now();
const stampFile = join(root, 'node_modules', '.cache', 'storeloom-build.json');
const tool = readFileSync(import.meta.filename) + readFileSync(join(root, 'node_modules/tsup/package.json'), 'utf8');

const typesOf = (pkg, source) => join(root, pkg.dir, 'dist', source.slice(`${pkg.dir}/src/`.length).replace(/\.tsx?$/, '.d.ts'));

/** Entries of a package: the scripts that its `exports` and `bin` name, as paths below `dist` without extension, with their sources. */
function entriesOf(pkg) {
  const scripts = (value) =>
    typeof value === 'string' ? [value] : value === null || value === undefined ? [] : Object.values(value).flatMap(scripts);
  const entries = {};
  for (const script of [pkg.manifest.exports, pkg.manifest.bin].flatMap(scripts)) {
    const [, name] = /^\.\/dist\/(.+)\.js$/.exec(script) ?? [];
    if (name === undefined) continue;
    // A pattern of `exports`, `./dist/slices/*.js`, names each source below the folder.
    const pattern = new RegExp(`^${RegExp.escape(name).replace('\\*', '.+')}$`);
    for (const source of pkg.sources) {
      const path = source.slice(`${pkg.dir}/src/`.length).replace(/\.tsx?$/, '');
      if (pattern.test(path)) entries[path] = join(root, source);
    }
  }
  return entries;
}

/** Scripts and source maps in `dist`, as paths from the root. */
const scriptsIn = (pkg) =>
  globSync('**/*.js{,.map}', { cwd: join(root, pkg.dir, 'dist') }).map((file) => `${pkg.dir}/dist/${file}`);

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

/** One file for each entry, and one for what entries or dynamic imports share: fewer files start faster. */
async function buildPackage(pkg) {
  const { build } = await import('tsup');
  const dist = join(root, pkg.dir, 'dist');
  for (const file of scriptsIn(pkg)) rmSync(join(root, file));
  await build({
    config: false,
    silent: true,
    clean: false,
    dts: false,
    format: 'esm',
    target: 'node22',
    platform: 'node',
    splitting: true,
    sourcemap: true,
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    tsconfig: join(root, 'tsconfig.base.json'),
    entry: entriesOf(pkg),
    outDir: dist,
    esbuildOptions(options) {
      // The sources are in the package, beside `dist`.
      options.sourcesContent = false;
      // Beside the entries, as deep as the files of `src`: paths relative to `import.meta.url` hold there too.
      options.chunkNames = 'shared-[hash]';
    },
  });
}

const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
const next = {};
const stale = [];
const built = packages().filter((pkg) => Object.keys(entriesOf(pkg)).length > 0);
for (const pkg of built) {
  const known = stamps[pkg.dir];
  const inputs = inputsOf(pkg);
  if (known?.inputs === inputs && known.outputs.every((output) => existsSync(join(root, output)))) next[pkg.dir] = known;
  else stale.push({ pkg, inputs });
}
for (const { pkg, inputs } of stale) {
  try {
    await buildPackage(pkg);
  } catch {
    // esbuild has printed the error.
    console.error(`${pkg.name} does not build`);
    process.exit(1);
  }
  next[pkg.dir] = { inputs, outputs: scriptsIn(pkg) };
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
