import { existsSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Link in the project folder that names the serving release; without it the project folder itself serves. */
const linkOf = (project: string): string => join(resolve(project), 'current');

/** Folder of the releases that upgrades installed. */
export const releasesOf = (project: string): string => join(resolve(project), 'releases');

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/**
 * Returns the folder whose code serves: the release that `current` names, or the project folder.
 * @throws UsageError if the release was deleted
 */
export function servingFolder(project: string): string {
  const link = linkOf(project);
  if (!isLink(link)) return resolve(project);
  try {
    return realpathSync(link);
  } catch {
    throw new UsageError(
      `${link} names ${readlinkSync(link)}, which doesn't exist. Restore that folder, or delete the link to serve the project folder.`,
    );
  }
}

/** Id of the serving release; null if the project folder serves. */
export const servingRelease = (project: string): string | null =>
  isLink(linkOf(project)) ? basename(readlinkSync(linkOf(project))) : null;

/** Switches to a release, or with null to the project folder. A process sees the link before or after, never none. */
export function switchRelease(project: string, id: string | null): void {
  const link = linkOf(project);
  if (id === null) {
    rmSync(link, { force: true });
    return;
  }
  const next = `${link}.new`;
  rmSync(next, { force: true });
  symlinkSync(relative(resolve(project), join(releasesOf(project), id)), next);
  renameSync(next, link);
}

/** The command of a release. @throws UsageError if it isn't installed */
export function binOf(folder: string): string {
  const bin = join(folder, 'node_modules', '@storeloom', 'cli', 'dist', 'bin.js');
  if (!existsSync(bin))
    throw new UsageError(`${folder} has no @storeloom/cli: install its packages with npm ci --ignore-scripts`);
  return bin;
}

/** Commands that run in the code of the serving release. The others work on releases, or on the sources of the project. */
const servingCommands = new Set(['start', 'migrate', 'probe', 'openapi', 'license', 'tenant', 'keys', 'audit']);

/** Environment variable with the arguments before `current` was entered, for a restart. */
const startedAs = 'STORELOOM_STARTED_AS';

/**
 * Continues the command in the code of the serving release, in this process. Returns if this is that code, or if the command
 * isn't one of the serving release.
 */
export function enterCurrent(command: readonly string[], dir: string, isPrimary: boolean): void {
  const isServing = servingCommands.has(command[0] ?? '') || command.join(' ') === 'plugin list';
  if (!isServing || isPrimary) return;
  const folder = servingFolder(dir);
  if (folder === resolve(dir)) return;
  replaceProcess(binOf(folder), [...process.argv.slice(2), '--dir', folder], {
    ...process.env,
    [startedAs]: JSON.stringify(process.argv.slice(1)),
  });
}

/** Starts the program again in this process, in the code of the release that serves now. Everything must be stopped. */
export function restartProcess(): never {
  const { [startedAs]: before, ...env } = process.env;
  const [bin = '', ...args] = before === undefined ? process.argv.slice(1) : (JSON.parse(before) as string[]);
  return replaceProcess(bin, args, env);
}

/** The process keeps its id, so its process manager notices nothing. */
function replaceProcess(bin: string, args: readonly string[], env: NodeJS.ProcessEnv): never {
  if (!process.execve) throw new UsageError('Releases need a system with execve, such as Linux or macOS.');
  return process.execve(process.execPath, [process.execPath, ...process.execArgv, bin, ...args], env);
}
