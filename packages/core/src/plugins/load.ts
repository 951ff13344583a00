import { type Reason, thrownMessage } from '@storeloom/keys';
import type { InstallationLicence } from '@storeloom/licence';
import { type Plugin, type PluginStateRecord, withTimeout } from '@storeloom/plugin-sdk';
import { reasonOf } from '../installation/fault.ts';
import { blockDependants, resolvePlugins, type Verdict } from './graph.ts';
import { type Candidate, foundationPlugins, sdkVersion as installedSdk, readManifest } from './manifest.ts';
import type { LoadedPlugin, Manifest, Registry } from './registry.ts';

export interface PluginRegistry extends Registry {
  /** Returns a plugin whose code was imported, ready or not. */
  imported(name: string): LoadedPlugin | undefined;
  /** Marks a plugin as failed in a later step of the boot, and blocks its dependants. */
  markFailed(name: string, reason: Reason): void;
}

export interface LoadOptions {
  /** Folder of the installation. */
  readonly dir: string;
  /** `plugins` of its config. Foundation plugins are added. */
  readonly list: readonly string[];
  readonly licence: Pick<InstallationLicence, 'covers'>;
  /** Default: that of the SDK beside the kernel. */
  readonly sdkVersion?: string;
  /** Names of plugins that were on before: an expired licence covers no others. Undefined: all installed ones. */
  readonly installed?: ReadonlySet<string>;
  /** Plugins allowed outside their version ranges (`--allow-incompatible`). */
  readonly allowIncompatible?: ReadonlySet<string>;
  readonly conditions?: ReadonlySet<string>;
  /** Returns why a package differs from the published one. Default: not checked. */
  readonly provenance?: (candidate: Candidate) => Reason | undefined;
  readonly importModule?: (url: string, manifest: Manifest) => Promise<unknown>;
  /** Time limit of an import in milliseconds. */
  readonly deadline?: number;
  /** Called with every error of a plugin. */
  readonly onError?: (plugin: string, error: unknown) => void;
}

/** Reads the manifests of the plugins, foundation plugins first. Runs no code of a plugin. */
export function readManifests({ dir, list, conditions }: Pick<LoadOptions, 'dir' | 'list' | 'conditions'>): Candidate[] {
  const read = (spec: string, isOnList: boolean): Candidate =>
    readManifest(spec, dir, { listed: isOnList, ...(conditions ? { conditions } : {}) });
  const listed = list.map((spec) => read(spec, true));
  const isListed = (name: string): boolean => listed.some((candidate) => candidate.name === name);
  const foundation = foundationPlugins.filter((name) => !isListed(name)).map((name) => read(`@storeloom/plugin-${name}`, false));
  return [...foundation, ...listed];
}

/** Reads the manifests and determines the states. Runs no code of a plugin. */
function judgePlugins(options: LoadOptions): Verdict[] {
  const { licence, sdkVersion, installed, allowIncompatible, provenance } = options;
  return resolvePlugins(readManifests(options), {
    sdkVersion: sdkVersion ?? installedSdk(),
    covers: (manifest) => licence.covers(manifest, { installed: installed?.has(manifest.name) ?? true }),
    ...(allowIncompatible ? { allowIncompatible } : {}),
    ...(provenance ? { provenance } : {}),
  });
}

/** Imports the ready plugins one by one in dependency order. A failure blocks the plugin's dependants only. */
export async function loadPlugins(options: LoadOptions): Promise<PluginRegistry> {
  const { importModule = (url) => import(/* @vite-ignore */ url), deadline = 60_000, onError } = options;
  const registry = createRegistry(judgePlugins(options));
  for (const { name } of registry.states()) {
    const manifest = registry.manifestToLoad(name);
    if (manifest === undefined) continue;
    try {
      const module = await withTimeout(importModule(manifest.entry, manifest), deadline, () => {
        throw new Late(`not imported within ${deadline} ms`);
      });
      const fault = notThePlugin(module, manifest);
      if (fault === undefined) registry.add({ manifest, plugin: (module as { default: Plugin }).default });
      else registry.markFailed(name, fault);
    } catch (error) {
      onError?.(name, error);
      registry.markFailed(name, importFault(manifest, error));
    }
  }
  return registry;
}

class Late extends Error {}

function importFault(manifest: Manifest, error: unknown): Reason {
  const late = error instanceof Late;
  return reasonOf({
    code: late ? 'import_timeout' : 'import_failed',
    what: late
      ? `${manifest.name} ${manifest.version} takes too long to import`
      : `${manifest.name} ${manifest.version} can't be imported`,
    where: manifest.entry,
    why: thrownMessage(error),
  });
}

function notThePlugin(module: unknown, manifest: Manifest): Reason | undefined {
  const value = typeof module === 'object' && module !== null ? (module as { default?: unknown }).default : undefined;
  const fault = (why: string, fix: string): Reason =>
    reasonOf({
      code: 'contribution_invalid',
      what: `${manifest.package} has no default export of a plugin`,
      where: manifest.entry,
      why,
      fix,
    });
  if (typeof value !== 'object' || value === null)
    return fault('it has no default export that is an object', 'export default definePlugin({ … })');
  const { contract, name } = value as { contract?: unknown; name?: unknown };
  if (contract !== 1)
    return fault(
      `its default export speaks contract ${String(contract)}, the kernel speaks 1`,
      'export default definePlugin({ … })',
    );
  if (name !== manifest.name)
    return fault(`its definePlugin has the name ${String(name)}, its package.json ${manifest.name}`, 'use the same name in both');
  return undefined;
}

interface Building extends PluginRegistry {
  manifestToLoad(name: string): Manifest | undefined;
  add(plugin: LoadedPlugin): void;
}

function createRegistry(judged: readonly Verdict[]): Building {
  let verdicts = judged;
  const modules = new Map<string, LoadedPlugin>();
  let byName: ReadonlyMap<string, LoadedPlugin> = new Map();
  const isReady = (name: string): boolean => verdicts.some((verdict) => verdict.name === name && verdict.state === 'ready');
  const settle = (): void => {
    byName = new Map([...modules].filter(([name]) => isReady(name)));
  };
  return {
    get byName() {
      return byName;
    },
    get loaded() {
      return [...byName.values()];
    },
    imported: (name) => modules.get(name),
    states: () => verdicts.map(recordOf),
    manifestToLoad: (name) =>
      verdicts.find((verdict) => verdict.name === name && verdict.state === 'ready')?.manifest ?? undefined,
    add(plugin) {
      modules.set(plugin.manifest.name, plugin);
      settle();
    },
    markFailed(name, reason) {
      if (!verdicts.some((verdict) => verdict.name === name)) throw new Error(`${name} is not a plugin of this installation`);
      verdicts = blockDependants(
        verdicts.map((verdict) => (verdict.name === name ? { ...verdict, state: 'failed', reason } : verdict)),
      );
      settle();
    },
  };
}

function recordOf({ name, package: packageName, manifest, state, reason, requires }: Verdict): PluginStateRecord {
  return {
    name,
    package: packageName,
    version: manifest?.version ?? null,
    state,
    reason,
    entitlement: manifest?.entitlement ?? name,
    foundation: manifest?.foundation ?? (foundationPlugins as readonly string[]).includes(name),
    requires: [...requires],
  };
}
