import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Reason, thrownMessage } from '@storeloom/keys';
import semver from 'semver';
import { z } from 'zod';
import { reasonOf } from '../installation/fault.ts';
import { mainTarget, processConditions, withSource } from './exports.ts';
import type { Manifest } from './registry.ts';

/** An entry of the list, and its manifest or error. */
export interface Candidate {
  /** The entry: a package name or a folder. */
  readonly spec: string;
  readonly name: string;
  readonly package: string;
  readonly manifest: Manifest | null;
  /** Why there is no valid manifest. */
  readonly fault: { readonly state: 'not_installed' | 'failed'; readonly reason: Reason } | null;
}

const scope = '@storeloom/plugin-';
export const sdkPackage = '@storeloom/plugin-sdk';

/** Loaded without an entitlement and on for every tenant. Only these can be foundation plugins. */
export const foundationPlugins = ['identity', 'platform', 'workspace', 'customers', 'content', 'webhooks', 'dashboard'] as const;

const ranges = z.record(z.string(), z.string());
const packageJson = z.object({
  name: z.string().min(1),
  description: z.string().min(1).optional(),
  version: z.string().refine((version) => semver.valid(version) !== null, 'must be a semver version'),
  peerDependencies: ranges.default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).default({}),
  storeloom: z.object({
    plugin: z
      .string()
      .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be words of a-z and 0-9 joined by -')
      .refine((name) => !/^(core|kernel|sdk)(-|$)/.test(name), "is the kernel's own name"),
    entitlement: z.string().min(1).optional(),
    upgradesFrom: z
      .string()
      .refine((range) => semver.validRange(range) !== null, 'must be a semver range')
      .optional(),
    foundation: z.boolean().default(false),
  }),
  exports: z.unknown().optional(),
  main: z.unknown().optional(),
});

export interface ReadOptions {
  /** Conditions of `exports`. Default: those of this process. */
  readonly conditions?: ReadonlySet<string>;
  /** False for a foundation plugin that was added: it can't be removed from the list. */
  readonly listed?: boolean;
}

/** Returns true if an entry is a folder: a plugin in development. */
export const isFolder = (spec: string): boolean => isAbsolute(spec) || /^\.\.?([\\/]|$)/.test(spec);

/** `@storeloom/plugin-gift-cards` → `gift-cards`; other packages keep their name until the manifest is read. */
const shortName = (name: string): string => (name.startsWith(scope) ? name.slice(scope.length) : name);

/**
 * Reads the package.json of a listed plugin; runs no code of it. A package is resolved from the installation's folder, as Node does; of a
 * folder, sources take precedence over a build.
 */
export function readManifest(
  spec: string,
  dir: string,
  { conditions = processConditions(), listed = true }: ReadOptions = {},
): Candidate {
  const nameless = { spec, name: shortName(spec), package: spec, manifest: null };
  const file = packageFile(spec, dir);
  if (file === undefined) {
    const folder = isFolder(spec);
    const reason = reasonOf({
      code: 'package_missing',
      what: `${spec} is not installed`,
      where: folder ? resolve(dir, spec) : join(dir, 'node_modules'),
      fix: `${folder ? 'correct the folder' : `npm i ${spec}`}${listed ? ', or take it off the list in storeloom.config' : ''}`,
    });
    return { ...nameless, fault: { state: 'not_installed', reason } };
  }
  const failed = (what: string, why: string, fix?: string): Candidate['fault'] => ({
    state: 'failed',
    reason: reasonOf({ code: 'contribution_invalid', what, where: file, why, ...(fix ? { fix } : {}) }),
  });
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { ...nameless, fault: failed(`the package.json of ${spec} can't be read`, thrownMessage(error)) };
  }
  const parsed = packageJson.safeParse(json);
  if (!parsed.success) {
    const why = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; ');
    return {
      ...nameless,
      fault: failed(`${spec} is no Storeloom plugin`, why, 'its package.json needs "storeloom": {"plugin": "<name>"}'),
    };
  }
  const { name: packageName, description, version, peerDependencies, peerDependenciesMeta, storeloom } = parsed.data;
  const identity = { spec, name: storeloom.plugin, package: packageName, manifest: null };
  const isFoundation =
    (foundationPlugins as readonly string[]).includes(storeloom.plugin) && packageName === `${scope}${storeloom.plugin}`;
  if (storeloom.foundation && !isFoundation)
    return {
      ...identity,
      fault: failed(
        `${packageName} is no foundation plugin`,
        `only ${foundationPlugins.join(', ')} are`,
        'remove "foundation" from its package.json',
      ),
    };
  const folder = dirname(file);
  const entry =
    entryOf(parsed.data, folder, isFolder(spec) ? withSource(conditions) : conditions) ??
    entryOf(parsed.data, folder, conditions);
  if (entry === undefined) {
    const target = mainTarget(parsed.data, conditions);
    const reason = reasonOf({
      code: 'import_failed',
      what: `${storeloom.plugin} ${version} has no module to import`,
      where: file,
      why: target === undefined ? 'its exports name none' : `${join(folder, target)} does not exist`,
      fix: target === undefined ? 'export "." in its package.json' : 'build the plugin',
    });
    return { ...identity, fault: { state: 'failed', reason } };
  }
  const peers = Object.entries(peerDependencies)
    .filter(([peer]) => peer.startsWith(scope) && peer !== sdkPackage)
    .map(([peer, range]) => ({ package: peer, name: shortName(peer), range: plainRange(range) }));
  const isOptional = (peer: string): boolean =>
    Object.hasOwn(peerDependenciesMeta, peer) && peerDependenciesMeta[peer]?.optional === true;
  const sdkRange = Object.hasOwn(peerDependencies, sdkPackage) ? peerDependencies[sdkPackage] : undefined;
  const manifest: Manifest = {
    package: packageName,
    version,
    name: storeloom.plugin,
    entitlement: storeloom.entitlement ?? storeloom.plugin,
    ...(description === undefined ? {} : { description }),
    foundation: isFoundation,
    upgradesFrom: storeloom.upgradesFrom ?? null,
    sdkRange: sdkRange === undefined ? null : plainRange(sdkRange),
    requires: peers.filter((peer) => !isOptional(peer.package)),
    optional: peers.filter((peer) => isOptional(peer.package)),
    dir: folder,
    entry: pathToFileURL(entry).href,
  };
  return { ...identity, manifest: Object.freeze(manifest), fault: null };
}

/** Returns the version of the SDK that this kernel uses. */
export function sdkVersion(): string {
  const file = findPackageJSON(sdkPackage, import.meta.url);
  if (file === undefined) throw new Error(`${sdkPackage} is not installed with the kernel`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export function packageFile(spec: string, dir: string): string | undefined {
  const found = isFolder(spec) ? join(resolve(dir, spec), 'package.json') : packageOf(spec, dir);
  // The real path, as Node imports modules: a linked plugin finds its own dependencies, and is loaded only once.
  return found !== undefined && existsSync(found) ? realpathSync(found) : undefined;
}
function packageOf(spec: string, dir: string): string | undefined {
  if (!/^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i.test(spec)) return undefined;
  try {
    return findPackageJSON(spec, pathToFileURL(join(dir, 'package.json')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function entryOf(
  json: { exports?: unknown; main?: unknown },
  folder: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const target = mainTarget(json, conditions);
  const path = target === undefined ? undefined : join(folder, target);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** Replaces `workspace:^`, which matches the linked package; packing writes the real range. */
function plainRange(range: string): string {
  if (!range.startsWith('workspace:')) return range;
  const rest = range.slice('workspace:'.length);
  return rest === '^' || rest === '~' ? '*' : rest;
}
