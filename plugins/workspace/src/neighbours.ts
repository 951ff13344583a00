import { collect, type SettingEntry, service } from '@storeloom/plugin-sdk';

// What the workspace asks of plugin platform, and tells it. Tokens are equal by id; the platform may know more of each.

export const quotas = service<{ require(resource: string, count: () => Promise<number>, adding?: number): Promise<void> }>(
  'platform:quotas',
);
export const quotaUsage = collect<Record<never, never>, { resource: string; used: number }>('platform:quota.usage', {
  policy: 'skip',
});
export const tenantConfigCollect = collect<
  Record<never, never>,
  { branding?: Record<string, unknown> | null; pushPublicKey?: string | null }
>('platform:tenant-config.collect', { policy: 'skip' });
export const themes = service<{
  settings(): Promise<SettingEntry[]>;
  /** Undefined: the active theme has no such setting. */
  putSetting(key: string, value: unknown, version?: number): Promise<SettingEntry | undefined>;
}>('platform:themes');
