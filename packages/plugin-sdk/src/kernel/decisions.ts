import { service } from '../token.ts';

/** Whether a plugin is on for a tenant. */
export interface Decision {
  /** Name of the plugin. */
  plugin: string;
  /** True if it is on. */
  on: boolean;
  /** Reason: `foundation`, `not_licensed`, `override_on`, `not_in_plan`, `tenant_off`, `requires:<name>` and so on. */
  why: string;
}

/** Decides which plugins are on for a tenant. For foundation plugins. */
export interface Decisions {
  /** Returns the decision for every plugin of the installation. */
  all(tenantId: string): Promise<Decision[]>;
  /** Sets the tenant's own switch; null leaves the decision to plan and niche. */
  setSwitch(tenantId: string, plugin: string, enabled: boolean | null): Promise<void>;
  /** Returns the tenant's own switches by plugin. */
  switches(tenantId: string): Promise<Record<string, boolean>>;
  /** Returns the operator's overrides. */
  overrides(tenantId: string): Promise<{ plugin: string; enabled: boolean; reason: string }[]>;
  /** Sets the operator's override. */
  setOverride(tenantId: string, plugin: string, enabled: boolean, reason: string): Promise<void>;
  /** Removes the operator's override; returns false if there was none. */
  removeOverride(tenantId: string, plugin: string): Promise<boolean>;
}
/** Service token of `Decisions`. */
export const decisions = service<Decisions>('kernel:decisions');
