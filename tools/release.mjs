// Generates packages/release/release.json, the manifest of the release that the workspace is: what has to be known of it before it is
// installed. Fails if the file is stale; `--write` (npm run manifest) updates it. Needs a build. What can't be derived from the code
// (required stops, manual steps, removed slots) is maintained in packages/release/maintained.json. deprecations.json records everything
// that was ever deprecated, so that a release knows what it no longer has. `--released` sets the date of today (npm run versions).
import './needs-node.mjs';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deprecationsIn, mergeDeprecations, removalOf } from './deprecations.mjs';
import { packages, root } from './workspace.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, released: { type: 'boolean' } } });
const folder = join(root, 'packages/release');
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { describeInstallation, readInstallation } = await import('../packages/core/dist/index.js');
const { themeTemplates } = await import('../packages/plugin-sdk/dist/index.js');

const published = packages().filter(({ dir, manifest }) => !manifest.private && !dir.startsWith('examples/'));
const versionOf = (name) => published.find((pkg) => pkg.name === name).manifest.version;
const version = versionOf('@storeloom/core');
const { upgradesFrom, postgres, notes, guide, slots } = json(join(folder, 'maintained.json'));
const configuration = json(join(root, 'packages/core/configuration.json'));

const { plugins, document } = await describeInstallation(await readInstallation(root));
const core = readdirSync(join(root, 'packages/core/migrations')).filter((name) => name.endsWith('.sql'));
const migrations = [['core', core.sort()], ...plugins.map((plugin) => [plugin.name, plugin.migrations])];

const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => operation['x-deprecated'] !== undefined && operation['x-mirror-of'] === undefined)
    .map(
      ([
        method,
        {
          'x-deprecated': { since, replacement },
          'x-plugin': plugin = 'core',
        },
      ]) => ({
        kind: 'route',
        name: `${method.toUpperCase()} ${path}`,
        package: plugin === 'core' ? '@storeloom/core' : `@storeloom/plugin-${plugin}`,
        since,
        removedIn: removalOf(since),
        ...(replacement === undefined ? {} : { replacement }),
      }),
    ),
);
const present = [
  ...published.flatMap((pkg) => (pkg.manifest.exports ? deprecationsIn(pkg) : [])),
  ...configuration.deprecated.map(({ key, ...rest }) => ({ kind: 'config', name: key, ...rest })),
  ...routes,
];
const record = join(folder, 'deprecations.json');
const { live, gone } = mergeDeprecations(json(record), present, version);

const codemodFolder = join(folder, 'codemods');
const codemods = [];
for (const name of existsSync(codemodFolder)
  ? readdirSync(codemodFolder)
      .filter((file) => file.endsWith('.mjs'))
      .sort()
  : []) {
  const { codemod } = await import(pathToFileURL(join(codemodFolder, name)).href);
  codemods.push({ name: name.slice(0, -'.mjs'.length), from: codemod.from, to: codemod.to, description: codemod.description });
}

const file = join(folder, 'release.json');
const before = existsSync(file) ? json(file) : {};
const today = new Date().toISOString().slice(0, 10);
const released = values.released ? today : before.version === version ? before.released : undefined;
const manifest = {
  version,
  ...(released === undefined ? {} : { released }),
  packages: Object.fromEntries(published.map(({ name, manifest: { version: one } }) => [name, one])),
  upgradesFrom,
  node: published.find(({ name }) => name === '@storeloom/core').manifest.engines.node,
  postgres,
  contracts: { pluginSdk: versionOf('@storeloom/plugin-sdk'), themeSdk: versionOf('@storeloom/theme-sdk') },
  configuration: { removed: configuration.removed },
  deprecations: live,
  removals: gone,
  templates: themeTemplates,
  slots,
  migrations: Object.fromEntries(migrations.filter(([, names]) => names.length > 0)),
  codemods,
  notes,
  ...(guide === undefined ? {} : { guide }),
};

const stale = [
  [file, `${JSON.stringify(manifest, null, 2)}\n`],
  [record, `${JSON.stringify([...live, ...gone], null, 2)}\n`],
].filter(([path, text]) => readFileSync(path, 'utf8') !== text);
for (const [path, text] of stale) {
  if (values.write) writeFileSync(path, text);
  console.error(`${values.write ? 'written' : 'stale, run `npm run manifest` and commit'}: ${path.slice(root.length + 1)}`);
}
if (stale.length > 0 && !values.write) process.exitCode = 1;
// What the kernel opens may keep the process alive.
process.exit();
