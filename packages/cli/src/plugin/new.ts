import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Lifetime } from '../lifetime.ts';
import { npm } from '../npm.ts';
import { print, say } from '../output.ts';
import { ownVersion } from '../own-version.ts';
import { pluginTemplate } from '../template.ts';
import { UsageError } from '../usage-error.ts';

interface NewOptions {
  readonly dir: string;
  readonly package?: string;
  readonly install: boolean;
  readonly json?: boolean;
}

const shortName = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const packageName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** Creates the package of a plugin. Exit codes: 0 · 1 the folder isn't empty, or its packages can't be installed · 2 invalid name. */
export async function pluginNew(name: string, options: NewOptions, life: Lifetime): Promise<number> {
  const pkg = options.package ?? `plugin-${name}`;
  if (!shortName.test(name) || name.length > 40)
    throw new UsageError(
      `"${name}" can't be the short name of a plugin: use words of a-z and 0-9 joined by "-", at most 40 letters.`,
    );
  if (!packageName.test(pkg)) throw new UsageError(`"${pkg}" can't be the name of a package.`);
  const folder = resolve(options.dir, name);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    say(`${folder} isn't empty: choose another name, or delete it.`);
    return 1;
  }
  for (const [path, text] of Object.entries(filesOf(name, pkg))) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const isInstalled = options.install && (await install(folder, life.signal));
  if (options.json) print({ name, package: pkg, folder, installed: isInstalled });
  else {
    const steps = [
      `cd ${relative(process.cwd(), folder) || '.'}`,
      ...(isInstalled ? [] : ['npm install --ignore-scripts']),
      'npm run dev',
      'npm test',
    ];
    print(`created ${pkg} in ${folder}`);
    for (const step of steps) print(`  ${step}`);
  }
  return options.install && !isInstalled ? 1 : 0;
}

/** The files of the template for a plugin of this name, for the packages of this release. */
export function filesOf(name: string, pkg: string): Record<string, string> {
  const renamed = (text: string): string =>
    text
      .replaceAll('@storeloom/plugin-example-hello', pkg)
      .replaceAll('example-greetings', name)
      .replaceAll('example_hello', name.replaceAll('-', '_'))
      .replaceAll('example-hello', name);
  return Object.fromEntries(
    Object.entries(pluginTemplate()).map(([path, text]) => [
      path,
      path === 'package.json' ? `${JSON.stringify(manifestOf(name, renamed(text)), null, 2)}\n` : renamed(text),
    ]),
  );
}

function manifestOf(name: string, text: string): object {
  const { license: _, ...manifest } = JSON.parse(text) as { devDependencies: Record<string, string>; license?: string };
  const range = `^${ownVersion()}`;
  return {
    ...manifest,
    description: `The plugin ${name}.`,
    devDependencies: Object.fromEntries(
      Object.entries(manifest.devDependencies).map(([each, version]) => [each, each.startsWith('@storeloom/') ? range : version]),
    ),
  };
}

async function install(folder: string, signal: AbortSignal): Promise<boolean> {
  say('installing packages …');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
  const code = await npm(args, folder, signal);
  if (code !== 0)
    say(`npm ended with exit code ${code}. The files are complete: run npm install --ignore-scripts in ${folder} again.`);
  return code === 0;
}
