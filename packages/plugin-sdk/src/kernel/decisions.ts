import { service } from '../token.ts';

export interface Decision {
  plugin: string;
  on: boolean;
  why: string;
}

export interface Decisions {
  /** The decision for every plugin of the installation. */
  all(tenantId: string): Promise<Decision[]>;
  /** The tenant's own switch; null leaves it to plan and niche. */
  setSwitch(tenantId: string, plugin: string, enabled: boolean | null): Promise<void>;
  switches(tenantId: string): Promise<Record<string, boolean>>;
  overrides(tenantId: string): Promise<{ plugin: string; enabled: boolean; reason: string }[]>;
  setOverride(tenantId: string, plugin: string, enabled: boolean, reason: string): Promise<void>;
  removeOverride(tenantId: string, plugin: string): Promise<boolean>;
}
export const decisions = service<Decisions>('kernel:decisions');
