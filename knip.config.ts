// What knip reads (step `dependencies` of `npm test`). Beside what a package exports and its commands, which knip finds alone,
// these are entries. Those marked `!` are part of what a user installs; a run with --production follows only such files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnipConfig } from 'knip';

const pathOf = (path: string): string => join(import.meta.dirname, path);
const workspacesIn = (parent: string): string[] =>
  readdirSync(pathOf(parent))
    .map((name) => `${parent}/${name}`)
    .filter((dir) => existsSync(pathOf(`${dir}/package.json`)));

const plugins = workspacesIn('plugins');
const foundation = plugins
  .filter((dir) => JSON.parse(readFileSync(pathOf(`${dir}/package.json`), 'utf8')).storeloom.foundation)
  .map((dir) => `@storeloom/plugin-${dir.slice('plugins/'.length)}`);

/** An installation names its plugins in its configuration and imports none; foundation plugins load without being named. */
function loadedPlugins(dir: string): RegExp {
  const named = readFileSync(pathOf(`${dir}/storeloom.config.ts`), 'utf8').matchAll(/'(@storeloom\/plugin-[a-z-]+)'/g);
  return new RegExp(`^(${[...foundation, ...[...named].map(([, name]) => name)].join('|')})$`);
}

function installation(dir: string, production: boolean) {
  return {
    // The author of a plugin runs it in a shop of the same folder; no user of the plugin does.
    entry: [dir.startsWith('examples/plugin-') ? 'storeloom.config.ts' : 'storeloom.config.ts!'],
    project: ['**/*.ts!', '!**/*.test.ts!'],
    // The production run doesn't count optional peers; only the client slice of a plugin needs this one.
    ignoreDependencies: [
      loadedPlugins(dir),
      ...(production && dir === 'examples/plugin-tool-library' ? ['@storeloom/client'] : []),
    ],
  };
}

/** Programs and packages that are started or loaded by path. */
const loadedByPath: Record<string, string[]> = {
  'packages/registry': ['test/start.ts', 'verdaccio/*/index.js!'],
  'plugins/orders': ['test/doubles/*/index.ts'],
};

/** Dependencies that are used without an import. */
const notImported: Record<string, string[]> = {
  // Its font files are found with import.meta.resolve.
  'plugins/orders': ['dejavu-fonts-ttf'],
};

/** Dependencies of which only types are imported, and named in the package's declarations. The production run ignores type imports. */
const typesOnly: Record<string, string[]> = {
  'packages/plugin-sdk': ['@mikro-orm/sql'],
};

const manifestOf = (dir: string) => JSON.parse(readFileSync(pathOf(`${dir}/package.json`), 'utf8'));

/** Required plugins whose tokens are in @storeloom/commerce: peers that are never imported. */
function requiredPlugins(dir: string): string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(dir);
  return plugins
    .filter((plugin) => manifestOf(plugin).exports['./contract'] === undefined)
    .map((plugin) => `@storeloom/plugin-${plugin.slice('plugins/'.length)}`)
    .filter((name) => name in peerDependencies && !peerDependenciesMeta[name]?.optional);
}

const library = (dir: string, production = false) => ({
  entry: loadedByPath[dir] ?? [],
  project: ['{src,test}/**/*.ts!', '!src/**/*.test.ts!', '!test/**!'],
  ignoreDependencies: [...(notImported[dir] ?? []), ...requiredPlugins(dir), ...((production && typesOnly[dir]) || [])],
});

const config: KnipConfig = ({ production }) => ({
  // Prometheus' own checker, and programs of the system, for tests that run where they are installed.
  ignoreBinaries: ['promtool', 'mount', 'umount'],
  workspaces: {
    '.': {
      entry: [
        'storeloom.config.ts!',
        'tools/*.mjs',
        'bench/*.ts',
        'bench/*/{raw,storeloom.config}.ts',
        'demo/{check,draw}.mjs',
        'test/author.mjs',
      ],
      project: ['*.ts', '{tools,bench,demo,test}/**/*.{ts,mjs}'],
      ignoreDependencies: [
        loadedPlugins('.'),
        // Test shops load it by name.
        '@storeloom/plugin-tool-library',
        // tools/ and tests start these by their path in node_modules/.bin.
        '@arethetypeswrong/cli',
        '@biomejs/biome',
        '@redocly/cli',
        '@stoplight/spectral-cli',
        'dependency-cruiser',
      ],
    },
    ...Object.fromEntries(
      [...workspacesIn('packages').filter((dir) => existsSync(pathOf(`${dir}/src`))), ...plugins].map((dir) => [
        dir,
        library(dir, production),
      ]),
    ),
    ...Object.fromEntries(workspacesIn('examples').map((dir) => [dir, installation(dir, production ?? false)])),
  },
});

export default config;
