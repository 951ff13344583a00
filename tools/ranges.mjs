// Checks that each plugin compiles against the lowest version in the range of each of its peers: a range that promises less than the
// code needs is an error here and not in a shop. The lowest version is the lowest released one (git tags `<package>@<version>`);
// where no release is in the range yet, it is the workspace's own. Every version is built from its tag and packed, and the plugins'
// sources are compiled in a workspace that has only these packages. Needs a build. Options: --directory <folder>, another workspace;
// --keep leaves the temporary folder; further arguments are the names of the plugins to check.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import semver from 'semver';
import { pack } from './pack.mjs';
import { isTest, packagesOf, root } from './workspace.mjs';

const { values, positionals } = parseArgs({
  options: { directory: { type: 'string' }, keep: { type: 'boolean' } },
  allowPositionals: true,
});
const workspace = values.directory === undefined ? root : resolve(values.directory);
const temporary = mkdtempSync(join(tmpdir(), 'storeloom-ranges-'));
const tarballs = join(temporary, 'tarballs');

function run(cwd, command, args) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error) throw error;
  return { ok: status === 0, output: `${stdout}${stderr}`.trim(), stdout };
}

function must(cwd, command, args) {
  const { ok, output, stdout } = run(cwd, command, args);
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
  return stdout;
}

const all = packagesOf(workspace);
const ours = new Map(all.map((pkg) => [pkg.name, pkg]));
const tags = must(workspace, 'git', ['tag', '--list']).split('\n');

/** The lowest version of a package in a range: `{version, tag}`, without a tag where it is the workspace's own. */
function lowest(name, range, plugin) {
  const released = tags.filter((tag) => tag.startsWith(`${name}@`)).map((tag) => tag.slice(name.length + 1));
  const version = semver.minSatisfying(released, range);
  if (version !== null) return { version, tag: `${name}@${version}` };
  const own = ours.get(name).manifest.version;
  if (!semver.satisfies(own, range))
    throw new Error(`${plugin}: no version of ${name} is in the range ${range}; the workspace has ${own}`);
  return { version: own };
}

const plugins = all
  .filter(({ isPlugin, name }) => isPlugin && (positionals.length === 0 || positionals.includes(name)))
  .map((pkg) => {
    const peers = Object.entries(pkg.manifest.peerDependencies ?? {}).filter(([name]) => ours.has(name));
    return { ...pkg, peers: peers.map(([name, range]) => ({ name, range, ...lowest(name, range, pkg.name) })) };
  });

const fileOf = (name, version) => join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);

/** Packs a version with the workspace packages that it depends on, all of one checkout: `{name, version}` of each. */
const packed = new Map();
const checkouts = new Map();
function packVersion({ name, tag }) {
  const key = `${name}@${tag ?? ''}`;
  if (packed.has(key)) return packed.get(key);
  const folder = tag === undefined ? workspace : checkout(must(workspace, 'git', ['rev-list', '-1', tag]).trim());
  const inFolder = new Map(packagesOf(folder).map((pkg) => [pkg.name, pkg]));
  const wanted = new Set();
  const add = (one) => {
    if (wanted.has(one) || !inFolder.has(one)) return;
    wanted.add(one);
    for (const dependency of Object.keys(inFolder.get(one).manifest.dependencies ?? {})) add(dependency);
  };
  add(name);
  const list = [...wanted].map((one) => inFolder.get(one));
  const missing = list.filter(({ manifest }) => !existsSync(fileOf(manifest.name, manifest.version)));
  if (missing.length > 0) pack(missing, tarballs, folder);
  const result = list.map(({ manifest }) => ({ name: manifest.name, version: manifest.version }));
  packed.set(key, result);
  return result;
}

/** A commit's files, built. */
function checkout(commit) {
  if (checkouts.has(commit)) return checkouts.get(commit);
  const folder = join(temporary, commit);
  mkdirSync(folder, { recursive: true });
  const archive = join(temporary, `${commit}.tar`);
  must(workspace, 'git', ['archive', '--output', archive, commit]);
  must(folder, 'tar', ['-xf', archive]);
  if (existsSync(join(folder, 'tools/bootstrap.mjs'))) must(folder, process.execPath, ['tools/bootstrap.mjs', 'build']);
  checkouts.set(commit, folder);
  return folder;
}

const catalog = readFileSync(join(workspace, 'pnpm-workspace.yaml'), 'utf8');
const exact = (name, range) =>
  range === 'catalog:' ? new RegExp(`^  '?${name.replaceAll('.', '\\.')}'?: (\\S+)$`, 'm').exec(catalog)?.[1] : range;
const external = (dependencies = {}) =>
  Object.fromEntries(
    Object.entries(dependencies)
      .filter(([name]) => !ours.has(name))
      .map(([name, range]) => [name, exact(name, range)]),
  );

const base = JSON.parse(readFileSync(join(workspace, 'tsconfig.base.json'), 'utf8'));
const { customConditions: _, composite: __, emitDeclarationOnly: ___, ...compilerOptions } = base.compilerOptions;

/** One package of the temporary workspace: the plugin's sources, and the lowest version of each peer. */
function write(plugin) {
  const folder = join(temporary, 'shop', plugin.dir);
  const tarball = (name, version) => [name, `file:${fileOf(name, version)}`];
  const closure = plugin.peers.flatMap(packVersion).map(({ name, version }) => tarball(name, version));
  const peers = plugin.peers.map(({ name, version }) => tarball(name, version));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: plugin.name,
      version: plugin.manifest.version,
      type: 'module',
      exports: plugin.manifest.exports,
      imports: plugin.manifest.imports,
      dependencies: external(plugin.manifest.dependencies),
      // A peer's own version wins over the one that another peer was built with.
      devDependencies: { ...external(plugin.manifest.devDependencies), ...Object.fromEntries([...closure, ...peers]) },
    }),
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, noEmit: true, incremental: false, declaration: false, declarationMap: false },
      include: ['src'],
    }),
  );
  const source = join(workspace, plugin.dir);
  const isLeftOut = (path) =>
    isTest(path) || /^(node_modules|dist|test|package\.json|tsconfig.*\.json)$/.test(relative(source, path));
  cpSync(source, folder, { recursive: true, filter: (path) => !isLeftOut(path) });
  return folder;
}

try {
  for (const { name, peers } of plugins)
    console.log(`${name}: ${peers.map((peer) => `${peer.name}@${peer.version}`).join(', ')}`);
  const folders = plugins.map((plugin) => [plugin, write(plugin)]);
  const shop = join(temporary, 'shop');
  const { packageManager } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'));
  const types = exact('@types/node', 'catalog:');
  writeFileSync(
    join(shop, 'package.json'),
    JSON.stringify({ name: 'ranges', private: true, packageManager, devDependencies: types ? { '@types/node': types } : {} }),
  );
  writeFileSync(
    join(shop, 'pnpm-workspace.yaml'),
    `packages: [plugins/*, examples/*]\nautoInstallPeers: false\nstrictPeerDependencies: false\nstrictDepBuilds: false\nlinkWorkspacePackages: false\n`,
  );
  must(shop, 'npx', ['--yes', packageManager, 'install', '--no-frozen-lockfile', '--prefer-offline']);
  for (const [plugin, folder] of folders) {
    const { ok, output } = run(folder, join(root, 'node_modules/.bin/tsc'), ['-p', '.']);
    if (ok) continue;
    process.exitCode = 1;
    const ranges = plugin.peers.map(({ name, range, version }) => `${name} ${range} (${version})`);
    console.error(`\n${plugin.name} needs a higher version than the lowest of its ranges: ${ranges.join(', ')}\n${output}`);
  }
} finally {
  if (values.keep) console.error(`left: ${temporary}`);
  else rmSync(temporary, { recursive: true, force: true });
}
