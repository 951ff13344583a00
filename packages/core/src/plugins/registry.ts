import type { Plugin, PluginStateRecord } from '@storeloom/plugin-sdk';

/** The parts of a plugin's package.json that are read before its code runs. */
export interface Manifest {
  /** npm name. */
  readonly package: string;
  readonly version: string;
  /** Short name, `catalog`. */
  readonly name: string;
  /** `description` of the package.json. */
  readonly description?: string;
  readonly entitlement: string;
  readonly foundation: boolean;
  readonly upgradesFrom: string | null;
  /** Range on @storeloom/plugin-sdk. */
  readonly sdkRange: string | null;
  /** Required plugins: short name of the package → range. */
  readonly requires: readonly { package: string; name: string; range: string }[];
  readonly optional: readonly { package: string; name: string; range: string }[];
  /** Folder of the package. */
  readonly dir: string;
  /** Address of the module to import. */
  readonly entry: string;
}

export interface LoadedPlugin {
  readonly manifest: Manifest;
  readonly plugin: Plugin;
}

export interface Registry {
  /** Ready plugins in dependency order. */
  readonly loaded: readonly LoadedPlugin[];
  readonly byName: ReadonlyMap<string, LoadedPlugin>;
  /** Every plugin of the installation with its state. */
  states(): readonly PluginStateRecord[];
}
