import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ended, type Finished, leash } from './processes.ts';
import { repack, type StaticRegistry, staticRegistry } from './static-registry.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
interface WorkspacePackage {
  readonly name: string;
  readonly manifest: Record<'dependencies' | 'peerDependencies', Record<string, string> | undefined>;
}
interface Tools {
  pack(list: readonly { name: string }[], folder: string): void;
  packages(): readonly WorkspacePackage[];
}
const tool = (name: string): Promise<Tools> => import(pathToFileURL(join(root, 'tools', name)).href) as Promise<Tools>;

const plugins = ['identity', 'platform', 'workspace', 'customers', 'catalog'].map((name) => `@storeloom/plugin-${name}`);

/** The packages of an installation with the catalogue, and those that they need. */
async function packagesOfShop(): Promise<string[]> {
  const all = new Map((await tool('workspace.mjs')).packages().map((each) => [each.name, each]));
  const names = new Set(['@storeloom/cli', '@storeloom/release', ...plugins]);
  for (const name of names) {
    const { dependencies, peerDependencies } = all.get(name)?.manifest ?? {};
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) if (all.has(other)) names.add(other);
  }
  return [...names];
}

/** What a release differs in from the one that this repository builds. */
interface ReleaseChange {
  /** Migrations to add, by owner (`core`, or the name of a plugin), as file name and SQL. */
  readonly migrations?: Readonly<Record<string, { readonly name: string; readonly sql: string }>>;
  /** Changes the files of a package. */
  readonly edit?: (name: string, folder: string) => void;
  readonly upgradesFrom?: string;
}

export interface PackedReleases {
  readonly registry: StaticRegistry;
  /** Publishes this repository's packages under another version. */
  publish(version: string, change?: ReleaseChange): void;
  /** Makes the module of a package throw when it is imported. */
  breakModule(folder: string): void;
  close(): Promise<void>;
}

/** Packs this repository once; each release is a copy with its version. Needs a build. */
export async function packedReleases(): Promise<PackedReleases> {
  const { pack } = await tool('pack.mjs');
  const packed = await packagesOfShop();
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-packs-'));
  pack(
    packed.map((name) => ({ name })),
    folder,
  );
  const registry = await staticRegistry();
  return {
    registry,
    publish(version, change = {}) {
      for (const tarball of repack(folder, (manifest, place) => {
        const name = manifest.name.replace(/^@storeloom\/(plugin-)?/, '');
        const migration = change.migrations?.[name];
        if (migration) addMigration(place, name, migration);
        if (manifest.name === '@storeloom/release') writeRelease(place, version, packed, change);
        change.edit?.(manifest.name, place);
        return { ...manifest, version };
      }))
        registry.publish(tarball);
    },
    breakModule: (place) => writeFileSync(join(place, 'dist/index.js'), `throw new Error('broken');\n`),
    async close() {
      await registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeRelease(
  folder: string,
  version: string,
  packed: readonly string[],
  { upgradesFrom = '>=1.0.0' }: ReleaseChange,
): void {
  const file = join(folder, 'release.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  const packages = Object.fromEntries(packed.map((name) => [name, version]));
  writeFileSync(file, JSON.stringify({ ...manifest, version, packages, upgradesFrom }));
}

/** Adds a migration: the core has all files of its folder, a plugin those that its module lists. */
function addMigration(folder: string, owner: string, { name, sql }: { name: string; sql: string }): void {
  writeFileSync(join(folder, 'migrations', name), sql);
  if (owner === 'core') return;
  const file = join(folder, 'dist/index.js');
  const code = readFileSync(file, 'utf8');
  const last = [...code.matchAll(/(['"])\d{4}_\w+\.sql\1/g)].at(-1);
  if (!last) throw new Error(`${file} lists no migration`);
  const end = last.index + last[0].length;
  writeFileSync(file, `${code.slice(0, end)}, '${name}'${code.slice(end)}`);
}

interface Spawned {
  readonly child: ChildProcess;
  said(): string;
  /** Waits for a line, at most a minute. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** An installation outside the repository, from packed packages. */
export interface PackedShop {
  readonly dir: string;
  readonly dataDir: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  run(...args: string[]): Promise<Finished>;
  /** The process, and what it said so far. */
  spawn(...args: string[]): Spawned;
  npm(...args: string[]): Promise<Finished>;
  remove(): void;
}

export async function packedShop(
  registry: StaticRegistry,
  version: string,
  { databaseUrl, env: more = {} }: { databaseUrl?: string; env?: Record<string, string> } = {},
): Promise<PackedShop> {
  const place = mkdtempSync(join(tmpdir(), 'storeloom-packed-'));
  // As root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(place, 0o711);
  const [dir, dataDir] = [join(place, 'shop'), join(place, 'data')];
  mkdirSync(dir);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  write(
    'package.json',
    JSON.stringify({
      name: 'shop',
      private: true,
      type: 'module',
      dependencies: Object.fromEntries(
        ['@storeloom/cli', '@storeloom/core', '@storeloom/plugin-sdk', '@storeloom/commerce', ...plugins].map((name) => [
          name,
          version,
        ]),
      ),
    }),
  );
  write('.npmrc', `@storeloom:registry=${registry.url}/\n`);
  write(
    'storeloom.config.mjs',
    `export default ${JSON.stringify({
      plugins: ['@storeloom/plugin-catalog'],
      demo: [{ slug: 'nord', name: 'Nord', host: 'nord.localhost', locales: ['ro', 'en'], currency: 'RON', timezone: 'UTC' }],
    })};\n`,
  );
  const env: Record<string, string> = {
    ...(Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(npm_|STORELOOM_|TEST_|DATABASE_URL|VITEST|NODE_(OPTIONS|ENV|CHANNEL))/.test(name),
      ),
    ) as Record<string, string>),
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    NO_COLOR: '1',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    STORELOOM_ENV: 'development',
    STORELOOM_DATA: dataDir,
    RATE_LIMIT_FACTOR: '0',
    PORT: '0',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...more,
  };
  const start = (program: string, args: readonly string[]): ChildProcess =>
    spawn(program, args, { cwd: dir, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const finish = async (child: ChildProcess): Promise<Finished> => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    return { code: child.exitCode, stdout, stderr };
  };
  const storeloom = (args: readonly string[]): ChildProcess =>
    start(process.execPath, [`--import=${leash}`, 'node_modules/@storeloom/cli/dist/bin.js', ...args]);
  const shop: PackedShop = {
    dir,
    dataDir,
    env,
    write,
    run: (...args) => finish(storeloom(args)),
    spawn(...args) {
      const child = storeloom(args);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
      return {
        child,
        said: () => said,
        async says(pattern) {
          for (const deadline = Date.now() + 60_000; ; ) {
            const found = pattern.exec(said);
            if (found) return found;
            if (child.exitCode !== null || Date.now() > deadline)
              throw new Error(`${args.join(' ')} never said ${pattern}:\n${said}`);
            await sleep(50);
          }
        },
      };
    },
    npm: (...args) => finish(start('npm', args)),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
  const { code, stderr } = await shop.npm('install', '--ignore-scripts');
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${stderr}`);
  return shop;
}

/** Ends a process and waits for it. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const gone = ended(child);
  child.kill(signal);
  await gone;
}
