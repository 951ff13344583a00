import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finding, failure, ok } from './finding.ts';

const sdk = '@storeloom/plugin-sdk';

/** The package as Node finds it from a folder: in the nearest `node_modules` above that has it. */
function packageFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (at === dirname(at)) return undefined;
  }
}

/** Folders of the installed packages that can use the SDK: scoped and unscoped ones of the installation. */
function installed(dir: string): string[] {
  const modules = join(dir, 'node_modules');
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => join(modules, name, each)) : [join(modules, name)],
  );
}

/**
 * Every package of the installation must find the same copy of the SDK: a second one has other hooks and services, so what a plugin
 * provides through it isn't found.
 */
export function checkPackages(dir: string): Finding[] {
  const copies = new Map<string, string[]>();
  for (const folder of installed(dir)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { name?: string } & Record<
      string,
      Record<string, string> | undefined
    >;
    if (!['dependencies', 'peerDependencies'].some((kind) => manifest[kind]?.[sdk] !== undefined)) continue;
    const found = packageFrom(realpathSync(folder), sdk);
    if (found !== undefined) copies.set(found, [...(copies.get(found) ?? []), manifest.name ?? folder]);
  }
  const users = [...copies.values()].flat().length;
  if (copies.size <= 1) return [ok('packages', `${users} packages share one copy of ${sdk}`)];
  const list = [...copies].map(([path, names]) => `${path} (${names.join(', ')})`).join('; ');
  return [
    failure(
      'packages',
      `there are ${copies.size} copies of ${sdk}: ${list}`,
      `make the versions of ${sdk} agree, then install again (npm dedupe)`,
    ),
  ];
}
