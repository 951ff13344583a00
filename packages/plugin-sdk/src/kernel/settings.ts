import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

/** A setting of a tenant. */
export interface SettingEntry {
  /** `<plugin>.<name>`. */
  key: string;
  /** Current value; secrets are masked. */
  value: unknown;
  /** JSON Schema of the value. */
  schema: Record<string, unknown>;
  version: number;
  /** True if it also shows in `settings/store`. */
  store: boolean;
}

/** Reads and writes settings of any plugin. For foundation plugins. */
export interface SettingsRegistry {
  /** Returns the settings of plugins that are on; secrets are masked. */
  all(ctx: Ctx): Promise<SettingEntry[]>;
  /** Returns a setting; undefined if it doesn't exist. */
  get(ctx: Ctx, key: string): Promise<SettingEntry | undefined>;
  /**
   * Writes a setting. A masked secret sent back changes nothing.
   *
   * @throws Problem 422 `validation_failed` by the schema, 412 `version_conflict` if `version` differs
   */
  put(ctx: Ctx, key: string, value: unknown, version?: number): Promise<SettingEntry>;
  /** Returns the settings of a plugin and their JSON Schema; undefined if it has none. */
  ofPlugin(
    ctx: Ctx,
    plugin: string,
  ): Promise<{ settings: Record<string, unknown>; schema: Record<string, unknown>; version: number } | undefined>;
  /**
   * Writes settings of a plugin; the others stay as they are.
   *
   * @throws Problem 422 `validation_failed`, 412 `version_conflict`
   */
  putPlugin(ctx: Ctx, plugin: string, values: Record<string, unknown>, version?: number): Promise<void>;
  /** Returns every `.store()` setting of the loaded plugins, including those that are off. */
  storeFields(): readonly { plugin: string; name: string }[];
}
/** Service token of `SettingsRegistry`. */
export const settingsRegistry = service<SettingsRegistry>('kernel:settings-registry');
