import type { Screen } from '../plugin.ts';
import { service } from '../token.ts';

/** The state of a plugin in this process. */
export interface PluginStateRecord {
  name: string;
  /** npm package. */
  package: string;
  version: string | null;
  /** Result of loading it. */
  state: 'not_installed' | 'incompatible' | 'unlicensed' | 'blocked' | 'failed' | 'ready';
  /** Why it isn't ready; null if it is. */
  reason: { code: string; message: string } | null;
  /** Entitlement of the licence that it needs. */
  entitlement: string;
  /** True if it is on for every tenant without an entitlement. */
  foundation: boolean;
  /** Names of the plugins it requires. */
  requires: string[];
}

/** Lists the plugins of the installation. For foundation plugins. */
export interface PluginStates {
  /** Returns every plugin. */
  all(): PluginStateRecord[];
  /** Returns the administration screens of a loaded plugin. */
  screens(plugin: string): readonly Screen[];
}
/** Service token of `PluginStates`. */
export const pluginStates = service<PluginStates>('kernel:plugin-states');
