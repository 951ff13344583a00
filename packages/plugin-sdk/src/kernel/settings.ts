import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

export interface SettingEntry {
  /** `<plugin>.<name>`. */
  key: string;
  value: unknown;
  schema: Record<string, unknown>;
  version: number;
  store: boolean;
}

export interface SettingsRegistry {
  /** Settings of plugins that are on; secrets masked. */
  all(ctx: Ctx): Promise<SettingEntry[]>;
  get(ctx: Ctx, key: string): Promise<SettingEntry | undefined>;
  /** 422 by the schema, 412 by `version`. Sending a mask back changes nothing. */
  put(ctx: Ctx, key: string, value: unknown, version?: number): Promise<SettingEntry>;
  ofPlugin(
    ctx: Ctx,
    plugin: string,
  ): Promise<{ settings: Record<string, unknown>; schema: Record<string, unknown>; version: number } | undefined>;
  putPlugin(ctx: Ctx, plugin: string, values: Record<string, unknown>, version?: number): Promise<void>;
  /** Every `.store()` setting of the loaded plugins, of those that are off too. */
  storeFields(): readonly { plugin: string; name: string }[];
}
export const settingsRegistry = service<SettingsRegistry>('kernel:settings-registry');
