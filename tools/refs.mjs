// Generates project files from the folders of the workspace: tsconfig.json and tsconfig.tests.json of the root, the tsconfig files of
// each package, and the root's list of plugins. `npm run refs` writes them, `node tools/refs.mjs --check` lists stale ones (exit
// code 1). A tsconfig without the marker line below is maintained by hand and not changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packages, relativePath, root } from './workspace.mjs';

const marker = '// Written by tools/refs.mjs (npm run refs).';
const check = process.argv.includes('--check');
const stale = [];

function write(path, content, own = false) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === content || (own && before !== undefined && !before.startsWith(marker))) return;
  stale.push(path);
  if (!check) writeFileSync(file, content);
}

const tsconfig = (value) => `${marker}\n${JSON.stringify(value, null, 2)}\n`;

// A package is one TypeScript project.
// Examples are copied as they are: the folder contains the tsconfig of a standalone package, so the workspace's is beside the folder.
const isExample = (pkg) => pkg.dir.startsWith('examples/');
const configOf = (pkg) => (isExample(pkg) ? `examples/tsconfig.${basename(pkg.dir)}.json` : `${pkg.dir}/tsconfig.json`);

const all = packages();
const byName = new Map(all.map((pkg) => [pkg.name, pkg]));
const hasOwnConfig = (pkg) => {
  if (isExample(pkg)) return false;
  const file = join(root, pkg.dir, 'tsconfig.json');
  return existsSync(file) && !readFileSync(file, 'utf8').startsWith(marker);
};

/** Paths of the projects that the files of a package import. */
function imported(pkg) {
  const found = new Set();
  for (const file of pkg.sources)
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*'(@storeloom\/[a-z0-9-]+)/g,
    )) {
      const target = byName.get(name);
      if (target && target !== pkg) found.add(configOf(target));
    }
  return [...found].sort();
}

const projects = [];
for (const pkg of all.filter((candidate) => candidate.sources.length > 0)) {
  if (hasOwnConfig(pkg)) {
    projects.push(`${pkg.dir}/tsconfig.json`);
    continue;
  }
  const path = configOf(pkg);
  const folder = dirname(path);
  const inside = (file) => (isExample(pkg) ? `${basename(pkg.dir)}/${file}` : file);
  projects.push(path);
  write(
    path,
    tsconfig({
      extends: relativePath(folder, 'tsconfig.base.json'),
      compilerOptions: {
        rootDir: inside('src'),
        outDir: inside('dist'),
        tsBuildInfoFile: inside('node_modules/.cache/main.tsbuildinfo'),
      },
      include: [inside('src')],
      exclude: ['src/**/*.test.ts', 'src/**/*.test.tsx'].map(inside),
      references: imported(pkg).map((target) => ({ path: relativePath(folder, target) })),
    }),
    true,
  );
}

const references = projects.map((path) => ({ path: `./${path}` }));
write(
  'tsconfig.tests.json',
  tsconfig({
    extends: './tsconfig.base.json',
    compilerOptions: {
      composite: false,
      incremental: true,
      declaration: false,
      declarationMap: false,
      rewriteRelativeImportExtensions: false,
      emitDeclarationOnly: false,
      noEmit: true,
      tsBuildInfoFile: 'node_modules/.cache/tests.tsbuildinfo',
    },
    include: [
      '*.config.ts',
      'tools/**/*.ts',
      'bench/**/*.ts',
      'demo/**/*.ts',
      'test/**/*.ts',
      'examples/*/*.config.ts',
      ...['packages', 'plugins', 'examples'].flatMap((parent) => [`${parent}/*/src/**/*.test.ts`, `${parent}/*/test/**/*.ts`]),
    ],
    references,
  }),
);
write('tsconfig.json', tsconfig({ files: [], references: [...references, { path: './tsconfig.tests.json' }] }));

// The repository is an installation: its dependencies are the plugins of plugins/ and examples/. Test shops find them there.
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = all.filter((pkg) => pkg.isPlugin).map((pkg) => pkg.name);
const product = ['@storeloom/cli', '@storeloom/commerce', '@storeloom/core', '@storeloom/plugin-sdk'].filter((name) =>
  byName.has(name),
);
const kept = Object.entries(manifest.dependencies ?? {}).filter(([name]) => !name.startsWith('@storeloom/'));
manifest.dependencies = Object.fromEntries(
  [...kept, ...[...product, ...installed].map((name) => [name, 'workspace:*'])].sort(([a], [b]) => (a < b ? -1 : 1)),
);
const text = `${JSON.stringify(manifest, null, 2)}\n`;
if (JSON.stringify(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))) !== JSON.stringify(manifest))
  write('package.json', text);

if (check && stale.length > 0) {
  console.error(`stale, run \`npm run refs\` and commit: ${stale.join(', ')}`);
  process.exit(1);
}
for (const path of stale) console.error(`written: ${path}`);
