import type { Database, Orm } from '@storeloom/data';
import { ConfigurationMemory, ExternalCallPending, isConnectionLost, StaleTenantError } from '@storeloom/data';
import type { Keyring } from '@storeloom/keys';
import { type Clock, type Ctx, type ErrorPolicy, isRetryable, Problem } from '@storeloom/plugin-sdk';
import { type ContextHost, contextOf } from '../context/context.ts';
import { scopeFor } from '../context/create-units.ts';
import type { Subscriptions } from '../events/subscriptions.ts';
import { Hooks } from '../hooks/hooks.ts';
import type { PluginJobs } from '../jobs/run-job.ts';
import type { Sender } from '../jobs/sender.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { UnreadyPlugins } from '../plugins/states.ts';
import type { TenantMemory } from './tenant-memory.ts';

export interface ContextHostOptions {
  database: Database;
  clock: Clock;
  log: KernelLog;
  metrics: Metrics;
  keyring: Keyring;
  contributions: Contributions;
  subscriptions: Subscriptions;
  memory: TenantMemory;
  orm: Orm;
  services: ContextHost['services'];
  definitions: PluginJobs;
  sender: Sender;
  wake(queue: 'jobs', tenantId?: string): void;
  beforeCommit: ContextHost['beforeCommit'];
  unready: UnreadyPlugins;
}

/** Implements the host of plugin contexts. */
export function createContextHost(options: ContextHostOptions): ContextHost {
  const { database, clock, log, metrics, keyring, contributions, subscriptions, services, definitions, sender } = options;
  const { settings, tenants } = options.memory;
  const hooks = new Hooks({
    taps: contributions.taps,
    interceptions: contributions.interceptions,
    host: {
      contextOf: (plugin, scope) => (scope.on(plugin) ? (contextOf(host, plugin, scope) as Ctx) : undefined),
      passes,
      stateOfTap: (plugin, hook) => options.unready.stateOfTap(plugin, hook),
      onFault(plugin, hook, error) {
        metrics.pluginError(plugin);
        log.error({ err: error, plugin, hook }, 'a hook failed in a plugin');
      },
      onTap: (plugin, hook, seconds) => metrics.hook(plugin, hook, seconds),
    },
  });
  const host: ContextHost = {
    database,
    memory: new ConfigurationMemory(),
    orm: options.orm,
    clock,
    log,
    hooks,
    services,
    entities: (scope) => ({
      find: (name) => {
        const found = contributions.entities.get(name);
        return found && { name, plugin: found.plugin, table: found.table, on: scope.on(found.plugin) };
      },
      referrers: (name) => contributions.referrers.get(name) ?? [],
    }),
    unavailableState: (plugin) => options.unready.stateOf(plugin),
    settingsOf: (tenantId, plugin, shape, db) => settings.of(tenantId, plugin, shape, db),
    saveSettings: (ctx, plugin, values) => settings.save(ctx, plugin, values),
    checkEvent: (plugin, type) => void subscriptions.of(plugin, type),
    async enqueue(scope, plugin, job, data, wanted) {
      if (!scope.tx) throw new Error('a job can only be sent inside a transaction');
      const { startAfter, key, retryLimit = definitions.get(plugin)?.[job]?.retryLimit } = wanted;
      await sender.send(scope.tx.db, {
        queue: 'jobs',
        plugin,
        name: job,
        tenantId: scope.tenant?.id ?? null,
        requestId: scope.requestId,
        data,
        ...(startAfter === undefined ? {} : { startAfter }),
        ...(key === undefined ? {} : { key }),
        ...(retryLimit === undefined ? {} : { retryLimit }),
      });
      scope.tx.onCommit.push(() => options.wake('jobs', scope.tenant?.id));
    },
    seal: keyring.seal,
    unseal: keyring.unseal,
    sign: keyring.sign,
    async scopeOf(tenantId, actor, from) {
      const entry = await tenants.get(tenantId);
      if (!entry) throw new Problem('not_found');
      return scopeFor(entry, { actor }, from);
    },
    beforeCommit: options.beforeCommit,
  };
  return host;
}

/**
 * Errors that no plugin is to blame for: responses to the caller, those that end the unit of work, and those of the database. A hook with
 * the policy `skip` does without a tap whose statement failed, as its writes are undone; only what makes the unit of work run again passes.
 */
function passes(error: unknown, policy: ErrorPolicy): boolean {
  if (error instanceof Problem || error instanceof StaleTenantError || error instanceof ExternalCallPending) return true;
  if (isConnectionLost(error)) return true;
  if (policy === 'skip') return isRetryable(error);
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code);
}
