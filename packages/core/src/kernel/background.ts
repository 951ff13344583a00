import type { Units } from '../context/units.ts';
import { createDelivery } from '../events/delivery.ts';
import type { Subscriptions } from '../events/subscriptions.ts';
import { createInboundHandler } from '../inbound/handle.ts';
import { createJobs, type Jobs } from '../jobs/jobs.ts';
import { kernelJobs } from '../jobs/retention.ts';
import { collectJobs, createRunner, type PluginJobs, schedulesOf } from '../jobs/run-job.ts';
import type { Sender } from '../jobs/sender.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { Registry } from '../plugins/registry.ts';
import type { TenantDirectory } from '../tenancy/directory.ts';
import type { OwnServices } from './own-services.ts';

export interface BackgroundOptions {
  /** URL of a direct connection for the workers. */
  url: string;
  registry: Registry;
  contributions: Contributions;
  subscriptions: Subscriptions;
  tenants: TenantDirectory;
  own: OwnServices;
  units: Units;
  sender: Sender;
  log: KernelLog;
}

/** Background work: jobs and schedules, event deliveries, e-mails, notifications of providers. */
export interface Background {
  readonly definitions: PluginJobs;
  readonly wake: Jobs['wake'];
  /** Starts workers in this process, and schedules if requested. */
  start(options: { schedules: boolean }): Promise<void>;
  readonly stop: Jobs['stop'];
}

export function createBackground(options: BackgroundOptions): Background {
  const { registry, contributions, subscriptions, tenants, own, units, sender, log } = options;
  const definitions = collectJobs(
    registry.loaded,
    kernelJobs({
      units,
      sender,
      sweepFiles: (tenantId, signal) => own.files.sweep(tenantId, signal),
      purgeRates: () => own.limiter.purge(),
    }),
  );
  const jobs = createJobs({
    url: options.url,
    log,
    units,
    sender,
    schedules: schedulesOf(definitions),
    isOn: async (tenantId, plugin) => (await tenants.get(tenantId))?.decisions.get(plugin)?.on === true,
  });
  const pluginState = (name: string): 'ready' | 'waiting' | 'absent' => {
    if (registry.byName.has(name)) return 'ready';
    return registry.states().some((record) => record.name === name) ? 'waiting' : 'absent';
  };
  const run = createRunner({
    units,
    sender,
    log,
    jobs: definitions,
    registry,
    handlers: {
      events: createDelivery({
        units,
        sender,
        log,
        subscriptions,
        pluginState,
        wake: (tenantId) => jobs.wake('events', tenantId),
      }),
      mail: (job) => own.mail.deliver(job),
      inbound: createInboundHandler({
        units,
        sender,
        log,
        find: (plugin, path) => contributions.inbound.find((entry) => entry.plugin === plugin && entry.path === path)?.inbound,
      }),
    },
  });
  return { definitions, wake: jobs.wake, start: (how) => jobs.start(run, how), stop: jobs.stop };
}
