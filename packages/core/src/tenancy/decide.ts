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
  /** True if the plugin isn't ready and would be on if it were. What needs the plugin fails, instead of going on without it. */
  readonly unavailable?: true;
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
    } else if (choice.unavailable) {
      // Plugins that aren't ready can require one another in a circle.
      choices.set(plugin.name, choice);
      const isOff = (name: string): boolean => {
        const required = byName.get(name);
        const chosen = required && choose(required);
        return chosen !== undefined && !chosen.on && !chosen.unavailable;
      };
      if (plugin.requires.some(isOff)) choice = off(plugin.state);
    }
    choices.set(plugin.name, choice);
    return choice;
  };
  for (const plugin of plugins) choose(plugin);
  return choices;
}

function own(plugin: DecidedPlugin, licence: DecidingLicence, tenant: DecidedTenant): Choice {
  const { state, foundation } = plugin;
  if (state === 'ready') return chosen(plugin, licence, tenant);
  // Without a licence the plugin is off on purpose; a foundation plugin that isn't installed is left out on purpose.
  if (state === 'unlicensed' || (state === 'not_installed' && foundation)) return off(state);
  return chosen(plugin, licence, tenant).on ? { on: false, why: state, unavailable: true } : off(state);
}

function chosen(
  { name, version, state, entitlement, foundation }: DecidedPlugin,
  licence: DecidingLicence,
  tenant: DecidedTenant,
): Choice {
  if (foundation) return on;
  // The version of a package that isn't installed is unknown.
  if (state !== 'not_installed' && (version === null || !licence.covers({ name, version, entitlement, foundation }).ok))
    return off('not_licensed');
  const override = tenant.overrides.get(name);
  if (override) return override.enabled ? { on: true, why: 'override_on' } : off('override_off');
  if (!lists(tenant.planPlugins ?? [], name)) return off('not_in_plan');
  const own = tenant.switches.get(name);
  if (own !== undefined) return own ? on : off('tenant_off');
  if (tenant.nichePlugins !== null && !chooses(tenant.nichePlugins, name, version)) return off('not_in_niche');
  return on;
}

const chooses = (plugins: NonNullable<DecidedTenant['nichePlugins']>, name: string, version: string | null): boolean =>
  plugins.some(
    (listed) =>
      (listed.name === name || listed.name === '*') &&
      (listed.range === null || version === null || semver.satisfies(version, listed.range, { includePrerelease: true })),
  );

const lists = (plugins: readonly string[], name: string): boolean => plugins.includes(name) || plugins.includes('*');
