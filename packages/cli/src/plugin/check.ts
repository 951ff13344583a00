import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkInstallation } from '@storeloom/core';
import { thrownMessage } from '@storeloom/keys';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkTypes } from '../dev/types.ts';
import type { Lifetime } from '../lifetime.ts';
import { print } from '../output.ts';
import { UsageError } from '../usage-error.ts';

interface Fault {
  /** `contract`, `texts`, `migrations`, `types` or `package`. */
  readonly check: string;
  /** File, with the line where there is one. */
  readonly where: string;
  readonly what: string;
  readonly fix?: string;
}

interface Manifest {
  readonly name?: string;
  readonly files?: readonly string[];
  readonly storeloom?: { readonly plugin?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Lists every fault of a plugin. Needs no database. Exit codes: 0 · 2 the folder is no plugin · 3 faults. */
export async function pluginCheck({ dir, json }: { dir: string; json?: boolean }, life: Lifetime): Promise<number> {
  const folder = resolve(dir);
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new UsageError(`${folder} has no package.json: name the folder of a plugin with --dir.`);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  if (manifest.storeloom?.plugin === undefined)
    throw new UsageError(`${file} has no storeloom.plugin: it isn't the package of a plugin.`);
  const faults = [
    ...(await contractFaults(folder, manifest)),
    ...textFaults(folder),
    ...migrationFaults(folder),
    ...(await typeFaults(folder, life.signal)),
    ...(await packageFaults(folder, manifest)),
  ];
  if (json) print({ plugin: manifest.storeloom.plugin, faults });
  else if (faults.length === 0) print(`${manifest.storeloom.plugin}: no faults`);
  else
    for (const { check, where, what, fix } of faults) {
      print(`✗ ${check.padEnd(10)} ${where}  ${what}`);
      if (fix !== undefined) print(`  ${' '.repeat(10)} fix: ${fix}`);
    }
  return faults.length > 0 ? 3 : 0;
}

/** What the kernel refuses: manifest, ranges, peers, and what the plugin contributes. */
async function contractFaults(folder: string, { peerDependencies = {} }: Manifest): Promise<Fault[]> {
  const peers = Object.keys(peerDependencies).filter((name) => /\/plugin-(?!sdk$)/.test(name));
  try {
    const states = await checkInstallation({ dir: folder, plugins: ['.', ...peers] });
    return states
      .filter(({ state, foundation }) => state !== 'ready' && !(foundation && state === 'not_installed'))
      .map(({ name, reason }) => ({
        check: 'contract',
        where: name === '.' ? 'package.json' : `plugin ${name}`,
        what: (reason?.message ?? 'is not ready').replace(/\s*\n\s*/g, ' · '),
      }));
  } catch (error) {
    return [{ check: 'contract', where: folder, what: thrownMessage(error) }];
  }
}

/** Both languages must have the same keys. */
function textFaults(folder: string): Fault[] {
  const languages = ['en', 'ro'] as const;
  const texts = new Map<string, Record<string, unknown>>();
  const faults: Fault[] = [];
  for (const language of languages) {
    const file = join('locales', `${language}.json`);
    try {
      texts.set(language, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>);
    } catch (error) {
      faults.push({ check: 'texts', where: file, what: thrownMessage(error) });
    }
  }
  for (const language of languages)
    for (const key of new Set([...texts.values()].flatMap((each) => Object.keys(each)))) {
      const known = texts.get(language);
      if (known && !Object.hasOwn(known, key))
        faults.push({ check: 'texts', where: `locales/${language}.json`, what: `the key ${key} is missing`, fix: `add ${key}` });
    }
  return faults;
}

/** A file that no list names never runs. */
function migrationFaults(folder: string): Fault[] {
  const migrations = join(folder, 'migrations');
  if (!existsSync(migrations)) return [];
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => readFileSync(join(folder, 'src', name), 'utf8'));
  return readdirSync(migrations)
    .filter((name) => name.endsWith('.sql') && !sources.some((text) => text.includes(name)))
    .map((name) => ({
      check: 'migrations',
      where: `migrations/${name}`,
      what: 'no list of migrations names the file, so it never runs',
      fix: 'add it at the end of the list in definePlugin, or delete it',
    }));
}

async function typeFaults(folder: string, signal: AbortSignal): Promise<Fault[]> {
  const faults = (await checkTypes(folder, signal)) ?? [];
  return faults.map(({ file, line, column, code, message }) => ({
    check: 'types',
    where: file === undefined ? 'tsconfig.json' : [file, line, column].join(':'),
    what: `${code}: ${message}`,
  }));
}

/** What the published package would lack. */
async function packageFaults(folder: string, manifest: Manifest): Promise<Fault[]> {
  const faults: Fault[] = ['migrations', 'locales']
    .filter((name) => existsSync(join(folder, name)) && manifest.files !== undefined && !manifest.files.includes(name))
    .map((name) => ({
      check: 'package',
      where: 'package.json files',
      what: `the published package wouldn't contain ${name}`,
      fix: `add "${name}" to files`,
    }));
  if (manifest.peerDependencies?.['@storeloom/plugin-sdk'] === undefined)
    faults.push({
      check: 'package',
      where: 'package.json peerDependencies',
      what: 'there is no range of @storeloom/plugin-sdk, which says on which releases the plugin runs',
      fix: 'add "@storeloom/plugin-sdk": "^1.0.0"',
    });
  if (!existsSync(join(folder, 'dist')))
    return [...faults, { check: 'package', where: 'dist', what: 'the package was not built', fix: 'npm run build' }];
  if (newestIn(join(folder, 'src')) > newestIn(join(folder, 'dist')))
    return [...faults, { check: 'package', where: 'dist', what: 'the build is older than the sources', fix: 'npm run build' }];
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  return [
    ...faults,
    ...messages
      .filter(({ type }) => type !== 'suggestion')
      .map((message) => ({
        check: 'package',
        where: 'package.json',
        what: formatMessage(message, pkg, { color: false }) ?? message.code,
      })),
  ];
}

/** Time of the last change below a folder. Tests don't count: they aren't built. */
const newestIn = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => statSync(join(folder, name)).mtimeMs),
  );
