import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { checkInstallation, readConfig, readInstallation } from '@storeloom/core';
import type { Lifetime } from './lifetime.ts';
import { npm } from './npm.ts';
import { print, say } from './output.ts';
import { unreadyLines } from './unready.ts';

interface BuildOptions {
  readonly dir: string;
  readonly json?: boolean;
}

/**
 * Builds the API and the worker, which share their code: runs the `build` script of each plugin in a folder of the installation, then loads
 * the configuration and all modules. Repeatable; needs no database. Exit codes: 0 · 1 a script failed, or a plugin can't be loaded · 2 the
 * configuration is invalid · 3 built; plugins that are incompatible with this release won't load.
 */
export async function build({ dir, json }: BuildOptions, life: Lifetime): Promise<number> {
  readConfig(process.env);
  const installation = await readInstallation(dir);
  for (const spec of installation.plugins) {
    const folder = resolve(dir, spec);
    if ((spec.startsWith('.') || isAbsolute(spec)) && hasBuildScript(folder)) await runBuildScript(folder, life.signal);
  }
  const unready = (await checkInstallation(installation)).filter(
    ({ state, foundation }) => state !== 'ready' && !(foundation && state === 'not_installed'),
  );
  if (json) print({ plugins: unready });
  else for (const line of unreadyLines(unready)) say(line);
  if (unready.some(({ state }) => state === 'failed' || state === 'not_installed')) return 1;
  return unready.length > 0 ? 3 : 0;
}

function hasBuildScript(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
  return scripts?.build !== undefined;
}

async function runBuildScript(folder: string, signal: AbortSignal): Promise<void> {
  say(`building ${folder} …`);
  const code = await npm(['run', 'build'], folder, signal);
  if (code !== 0) throw new Error(`The build script of ${folder} ended with exit code ${code}.`);
}
