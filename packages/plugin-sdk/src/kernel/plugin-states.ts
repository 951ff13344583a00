import type { Screen } from '../plugin.ts';
import { service } from '../token.ts';

export interface PluginStateRecord {
  name: string;
  package: string;
  version: string | null;
  state: 'not_installed' | 'incompatible' | 'unlicensed' | 'blocked' | 'failed' | 'ready';
  reason: { code: string; message: string } | null;
  entitlement: string;
  foundation: boolean;
  requires: string[];
}

export interface PluginStates {
  all(): PluginStateRecord[];
  /** Screens that a loaded plugin brings for the administration. */
  screens(plugin: string): readonly Screen[];
}
export const pluginStates = service<PluginStates>('kernel:plugin-states');
