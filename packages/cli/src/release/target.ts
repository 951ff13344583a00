import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import semver from 'semver';
import { UsageError } from '../usage-error.ts';
import { runChild } from './apply/child.ts';
import { UpgradeError } from './apply/upgrade-error.ts';
import { parseManifest, type ReleaseManifest, readManifestFile } from './manifest.ts';

const installed = join('node_modules', '@storeloom', 'release', 'release.json');

export interface ManifestOptions {
  readonly dir: string;
  readonly to?: string;
  readonly from?: string;
  /** File of a release manifest. */
  readonly manifest?: string;
}

/**
 * Finds the manifest of the target: in `manifest`, in the packages of the target folder, among those of earlier plans, else in the package
 * registry, whose copy is kept.
 * @throws UpgradeError with the registry's answer; exit code 4 if it refused
 */
export async function findManifest(options: ManifestOptions, signal?: AbortSignal): Promise<ReleaseManifest> {
  const { dir, to, from, manifest } = options;
  if (to !== undefined && semver.valid(to) !== to)
    throw new UsageError(`--to is "${to}", must be a version of the product such as 1.5.0`);
  if (manifest !== undefined) {
    const found = readManifestFile(resolve(manifest));
    if (to !== undefined && found.version !== to)
      throw new UsageError(`${manifest} describes ${found.version}, and --to names ${to}.`);
    return found;
  }
  if (from !== undefined && existsSync(join(from, installed))) return readManifestFile(join(resolve(from), installed));
  if (to === undefined)
    throw new UpgradeError(`${from} has no ${installed}: install its packages there, or name the manifest with --manifest.`);
  const kept = join(resolve(dir), 'var', 'upgrade', 'manifests');
  const file = join(kept, `${to}.json`);
  if (!existsSync(file)) {
    mkdirSync(kept, { recursive: true, mode: 0o700 });
    await fetchManifest(resolve(dir), to, file, signal);
  }
  return readManifestFile(file);
}

/** npm downloads the package, so that the registry and token of the project's .npmrc apply. */
async function fetchManifest(dir: string, version: string, file: string, signal?: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-manifest-'));
  try {
    const options = { cwd: dir, env: process.env, log: join(folder, 'npm.log'), signal };
    const spec = `@storeloom/release@${version}`;
    const packed = await runChild('npm', ['pack', spec, '--pack-destination', folder, '--loglevel', 'error'], options);
    if (packed.code !== 0) throw registryError(`${spec} can't be downloaded.`, packed.tail);
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    const read = await runChild('tar', ['-xzOf', join(folder, archive), 'package/release.json'], options);
    if (read.code !== 0) throw new UpgradeError(`${spec} contains no release.json.\n${read.tail}`);
    parseManifest(JSON.parse(read.stdout), spec);
    writeFileSync(`${file}.new`, read.stdout, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An error of npm or pnpm: exit code 4 if the registry refused, with its reason. */
export function registryError(what: string, output: string): UpgradeError {
  const refused = /\bE?40[13]\b|ERR_PNPM_FETCH_40[13]/.test(output);
  return new UpgradeError(`${what}${refused ? ' The registry refused:' : ''}\n${output}`, refused ? 4 : 1);
}
