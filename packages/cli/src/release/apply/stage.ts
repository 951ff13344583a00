import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ReleaseManifest } from '../manifest.ts';
import { registryError } from '../target.ts';
import { type ChildOptions, runChild } from './child.ts';
import { UpgradeError } from './upgrade-error.ts';

/** What belongs to the installation, not to a release. */
const leftOut = new Set(['node_modules', '.git', 'releases', 'current', 'current.new', 'var', '.storeloom', '.env']);

export const lockFiles = ['package-lock.json', 'pnpm-lock.yaml'] as const;
type LockFile = (typeof lockFiles)[number];

/** @throws UpgradeError if the folder has no lock file */
export function lockFileOf(folder: string): LockFile {
  const found = lockFiles.find((name) => existsSync(join(folder, name)));
  if (found) return found;
  throw new UpgradeError(`${folder} has no ${lockFiles.join(' or ')}: run npm install there, and commit the file.`);
}

/** Files that git tracks; undefined if the folder isn't the tracked folder of a repository. */
function trackedFiles(folder: string): string[] | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined;
  const { status, stdout } = spawnSync('git', ['-C', folder, 'ls-files', '-z', '--cached'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const files = status === 0 ? stdout.split('\0').filter((name) => name !== '') : [];
  return files.includes('package.json') ? files : undefined;
}

/** Copies the project's files into the folder of a release. `dataDir` can be below the project. */
export function copyProject(source: string, folder: string, dataDir: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tracked = trackedFiles(source);
  if (tracked) {
    // npm's configuration, which can contain a token, is often not tracked.
    for (const name of new Set([...tracked, '.npmrc'])) {
      const top = name.split('/', 1)[0] as string;
      const from = join(source, name);
      if (!leftOut.has(top) && existsSync(from)) cpSync(from, join(folder, name), { recursive: true, verbatimSymlinks: true });
    }
    return;
  }
  const data = resolve(dataDir);
  // One entry after the other: the folder of the release is below the project.
  for (const name of readdirSync(source)) {
    if (leftOut.has(name)) continue;
    cpSync(join(source, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => basename(path) !== 'node_modules' && resolve(path) !== data,
    });
  }
}

interface PackageJson {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Sets the version of each package of the release in package.json. Packages of others keep theirs. */
export function writeTargetVersions(folder: string, { packages }: ReleaseManifest): void {
  const file = join(folder, 'package.json');
  const json = JSON.parse(readFileSync(file, 'utf8')) as PackageJson;
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
    for (const name of Object.keys(json[kind] ?? {})) {
      const version = packages[name];
      if (version !== undefined && json[kind]) json[kind][name] = version;
    }
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
}

/** Resolves the lock file of a staged release from its package.json. Runs no scripts. */
export async function resolveLock(folder: string, options: Omit<ChildOptions, 'cwd'>): Promise<void> {
  const args = {
    'package-lock.json': ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    'pnpm-lock.yaml': ['pnpm', 'install', '--lockfile-only', '--ignore-scripts'],
  };
  await runPackageManager("The lock file of the target can't be resolved.", args[lockFileOf(folder)], folder, options);
}

/** Folders below a project that have a lock file of their own, such as a plugin that `plugin new` created. */
export function lockedFolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !leftOut.has(entry.name))
    .flatMap(({ name }) => {
      const below = join(folder, name);
      return [...(lockFiles.some((file) => existsSync(join(below, file))) ? [below] : []), ...lockedFolders(below)];
    });
}

/** Installs the packages of the lock files: the project's, then those of folders in it. Runs no scripts. */
export async function installPackages(folder: string, options: Omit<ChildOptions, 'cwd'>): Promise<void> {
  for (const each of [folder, ...lockedFolders(folder)]) await installLocked(each, options);
}

async function installLocked(folder: string, options: Omit<ChildOptions, 'cwd'>): Promise<void> {
  const args = {
    'package-lock.json': ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'warn'],
    'pnpm-lock.yaml': ['pnpm', 'install', '--frozen-lockfile', '--ignore-scripts'],
  };
  await runPackageManager("The packages of the target can't be installed.", args[lockFileOf(folder)], folder, options);
}

async function runPackageManager(
  what: string,
  [program = '', ...args]: readonly string[],
  folder: string,
  options: Omit<ChildOptions, 'cwd'>,
): Promise<void> {
  // A resumed upgrade has the log of the interrupted attempt.
  rmSync(options.log, { force: true });
  const { code, stdout, tail } = await runChild(program, args, { ...options, cwd: folder });
  if (code !== 0) throw registryError(what, tail.trim() || stdout.trim());
  // npm only warns of files that it can't write, for example on a full disk, and exits with 0.
  const unwritten = /^.*TAR_ENTRY_ERROR.*$/m.exec(readFileSync(options.log, 'utf8'));
  if (unwritten) throw new UpgradeError(`${what}\n${unwritten[0]}`);
}
