import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { foundationPlugins, isFolder, packageFile, readManifest } from '@storeloom/core/internal';
import type { Plugin } from '@storeloom/plugin-sdk';

/**
 * A plugin of a test's installation: its short name (`catalog`), the name of its package, its folder, or the value that `definePlugin`
 * gave, which runs as it is. A name means the package that the test stands in, else one that is installed beside it.
 */
export type TestPlugin = string | Plugin;

export interface TestPlugins {
  /** As `plugins` of an installation's config has them. */
  readonly list: readonly string[];
  /** Short names of those and of the foundation plugins: a test needs them all ready. */
  readonly names: ReadonlySet<string>;
  /** Given values by short name. */
  readonly modules: Readonly<Record<string, Plugin>>;
  /** Changes with the migrations of plugins that are folders: they may be edited while the test server runs. */
  readonly fingerprint: string;
}

interface PackageJson {
  name?: string;
  storeloom?: { plugin?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Finds the plugins of a test as seen from `dir`. */
export function findPlugins(plugins: readonly TestPlugin[], dir: string): TestPlugins {
  const list = [...new Set(plugins.map((plugin) => specOf(typeof plugin === 'string' ? plugin : plugin.name, dir)))];
  return {
    list,
    names: new Set([...foundationPlugins, ...list.map((spec) => readManifest(spec, dir).name)]),
    modules: Object.fromEntries(plugins.flatMap((plugin) => (typeof plugin === 'string' ? [] : [[plugin.name, plugin]]))),
    fingerprint: fingerprintOf(list.filter(isFolder).map((folder) => resolve(dir, folder))),
  };
}

function specOf(name: string, dir: string): string {
  if (isFolder(name)) return name;
  const file = ownPackage(dir);
  const own = file === undefined ? {} : readPackage(file);
  // A folder's sources go before its build.
  if (file !== undefined && own.storeloom?.plugin !== undefined && (own.name === name || own.storeloom.plugin === name))
    return dirname(file);
  if (name.startsWith('@')) return name;
  const official = `@storeloom/plugin-${name}`;
  if (packageFile(official, dir) !== undefined) {
    // An installation above the plugin's folder may provide it. Without the declaration, cycles between packages stay hidden.
    if (
      own.storeloom?.plugin !== undefined &&
      !isDeclared(official, own) &&
      !foundationPlugins.some((foundation) => foundation === name)
    )
      throw new Error(
        `A test of ${own.name ?? dir} starts the plugin ${name}, but its package.json does not declare ${official}. Add it to devDependencies.`,
      );
    return official;
  }
  const installed = Object.keys({ ...own.dependencies, ...own.devDependencies }).find((dependency) => {
    const found = packageFile(dependency, dir);
    const plugin = found === undefined ? undefined : readPackage(found).storeloom?.plugin;
    return plugin !== undefined && (plugin === name || dependency === name);
  });
  return installed ?? official;
}

const isDeclared = (name: string, { dependencies, devDependencies, peerDependencies }: PackageJson): boolean =>
  name in { ...dependencies, ...devDependencies, ...peerDependencies };

/** The package.json that is nearest above a folder. */
function ownPackage(dir: string): string | undefined {
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

const readPackage = (file: string): PackageJson => JSON.parse(readFileSync(file, 'utf8')) as PackageJson;

function fingerprintOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders)
    for (const name of globSync('migrations/*.sql', { cwd: folder }).sort())
      hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
