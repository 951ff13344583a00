import type { PluginStateRecord } from '@storeloom/plugin-sdk';
import semver from 'semver';

/** The properties of a plugin that determine whether a tenant has it. */
export type DecidedPlugin = Pick<PluginStateRecord, 'name' | 'version' | 'state' | 'entitlement' | 'foundation' | 'requires'>;

/** Returns whether the licence of the installation covers a plugin. */
export interface DecidingLicence {
  covers(plugin: { name: string; version: string; entitlement: string; foundation: boolean }): { readonly ok: boolean };
}

/** The inputs of a tenant's decisions. `*` in a list is any plugin. */
export interface DecidedTenant {
  /** Plugins of the plan; null without a plan. */
  readonly planPlugins: readonly string[] | null;
  /** Plugins of the niche package, with optional version ranges; null without one. */
  readonly nichePlugins: readonly { readonly name: string; readonly range: string | null }[] | null;
  /** The operator's overrides. */
  readonly overrides: ReadonlyMap<string, { readonly enabled: boolean }>;
  /** The tenant's own switches. */
  readonly switches: ReadonlyMap<string, boolean>;
}

export interface Choice {
  readonly on: boolean;
  /**
   * `on`, `override_on`; when off: the plugin's state, `not_licensed`, `override_off`, `not_in_plan`, `tenant_off`, `not_in_niche`,
   * or `requires:<plugin>`.
   */
  readonly why: string;
}

const on: Choice = { on: true, why: 'on' };
const off = (why: string): Choice => ({ on: false, why });

/** Decides for every plugin of the installation whether the tenant has it, and why. The first matching rule applies. */
export function decide(
  plugins: readonly DecidedPlugin[],
  licence: DecidingLicence,
  tenant: DecidedTenant,
): ReadonlyMap<string, Choice> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const choices = new Map<string, Choice>();
  const choose = (plugin: DecidedPlugin): Choice => {
    const known = choices.get(plugin.name);
    if (known) return known;
    let choice = own(plugin, licence, tenant);
    // Terminates, since a ready plugin isn't part of a cycle.
    if (choice.on) {
      const lacking = plugin.requires.find((name) => {
        const required = byName.get(name);
        return required === undefined || !choose(required).on;
      });
      if (lacking !== undefined) choice = off(`requires:${lacking}`);
    }
    choices.set(plugin.name, choice);
    return choice;
  };
  for (const plugin of plugins) choose(plugin);
  return choices;
}

function own(plugin: DecidedPlugin, licence: DecidingLicence, tenant: DecidedTenant): Choice {
  const { name, version, state, entitlement, foundation } = plugin;
  if (state !== 'ready') return off(state);
  if (foundation) return on;
  if (version === null || !licence.covers({ name, version, entitlement, foundation }).ok) return off('not_licensed');
  const override = tenant.overrides.get(name);
  if (override) return override.enabled ? { on: true, why: 'override_on' } : off('override_off');
  if (!lists(tenant.planPlugins ?? [], name)) return off('not_in_plan');
  const own = tenant.switches.get(name);
  if (own !== undefined) return own ? on : off('tenant_off');
  if (tenant.nichePlugins !== null && !chooses(tenant.nichePlugins, name, version)) return off('not_in_niche');
  return on;
}

const chooses = (plugins: NonNullable<DecidedTenant['nichePlugins']>, name: string, version: string): boolean =>
  plugins.some(
    (listed) =>
      (listed.name === name || listed.name === '*') &&
      (listed.range === null || semver.satisfies(version, listed.range, { includePrerelease: true })),
  );

const lists = (plugins: readonly string[], name: string): boolean => plugins.includes(name) || plugins.includes('*');
