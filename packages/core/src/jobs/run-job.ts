import type { Job, Log, PlatformJob } from '@storeloom/plugin-sdk';
import { inJob, type Units } from '../context/units.ts';
import type { LoadedPlugin, Registry } from '../plugins/registry.ts';
import type { CronJob } from './cron.ts';
import type { QueueName } from './queues.ts';
import { completed, type Sender } from './sender.ts';
import type { QueuedJob } from './workers.ts';

/** The plugin name of the kernel's own jobs. */
export const kernel = 'core';

type AnyJob = Job | PlatformJob;
export type PluginJobs = ReadonlyMap<string, Readonly<Record<string, AnyJob>>>;

const isPlatform = (job: AnyJob): job is PlatformJob => job.platform === true;

/** Returns the jobs of the kernel and of every loaded plugin. */
export function collectJobs(loaded: readonly LoadedPlugin[], own: Readonly<Record<string, PlatformJob>>): PluginJobs {
  const jobs = new Map<string, Readonly<Record<string, AnyJob>>>([[kernel, own]]);
  for (const { manifest, plugin } of loaded) if (plugin.jobs) jobs.set(manifest.name, plugin.jobs);
  return jobs;
}

/** Returns the jobs with a schedule. */
export function schedulesOf(jobs: PluginJobs): CronJob[] {
  const schedules: CronJob[] = [];
  for (const [plugin, named] of jobs) {
    for (const [name, job] of Object.entries(named)) {
      if (job.cron === undefined) continue;
      if (!isPlatform(job) && !job.perTenant)
        throw new Error(`the job ${plugin}.${name} has a schedule but neither perTenant nor platform: set one of them`);
      const retryLimit = job.retryLimit === undefined ? {} : { retryLimit: job.retryLimit };
      schedules.push({ plugin, name, cron: job.cron, perTenant: !isPlatform(job), ...retryLimit });
    }
  }
  return schedules;
}

export interface RunnerOptions {
  units: Units;
  sender: Sender;
  log: Log;
  jobs: PluginJobs;
  registry: Pick<Registry, 'states'>;
  /** Handlers of deliveries, e-mails and inbound notifications. */
  handlers: Readonly<Record<Exclude<QueueName, 'jobs'>, (job: QueuedJob) => Promise<unknown>>>;
}

/** Seconds until a job of a plugin that isn't loaded is retried. */
const pluginPause = 300;

/**
 * Runs a job. A tenant's job is one transaction that also completes the job: it takes effect once or not at all, also if the worker dies.
 * Jobs with `transaction: 'none'` and platform jobs open their own transactions and must be safe to repeat.
 */
export function createRunner({
  units,
  sender,
  log,
  jobs,
  registry,
  handlers,
}: RunnerOptions): (job: QueuedJob) => Promise<unknown> {
  return async (job) => {
    if (job.queue !== 'jobs') return handlers[job.queue](job);
    const { plugin, name } = job;
    const definition = jobs.get(plugin)?.[name];
    if (!definition) return missing(job);
    const work = {
      actor: { type: 'system', reason: `${plugin}.${name}` },
      requestId: job.requestId,
      signal: job.signal,
    } as const;
    if (isPlatform(definition)) {
      const ctx = units.platformContext(plugin, units.platformScope(work));
      return definition.run(ctx, job.data);
    }
    if (job.tenantId === null) throw new Error(`the job ${plugin}.${name} was sent without a tenant`);
    const scope = await units.scope(job.tenantId, work);
    if (!scope?.on(plugin)) {
      log.info({ plugin, job: name, tenant_id: job.tenantId }, 'a job was skipped: its tenant or its plugin is off');
      return;
    }
    const ctx = units.context(plugin, scope);
    if (definition.transaction === 'none') return definition.run(ctx, job.data);
    await inJob(units, scope, () => definition.run(ctx, job.data), { last: (db) => sender.completeInside(db, job) });
    return completed;
  };

  /** Postpones a job of a plugin that isn't loaded (failed, unlicensed); drops a job that its plugin no longer has. */
  async function missing(job: QueuedJob): Promise<unknown> {
    const { queue, plugin, name, tenantId, requestId, data } = job;
    const state = registry.states().find((record) => record.name === plugin)?.state;
    if (state === undefined || state === 'ready' || state === 'not_installed') {
      log.warn({ plugin, job: name, tenant_id: tenantId }, 'a job was dropped: its plugin no longer defines it');
      return;
    }
    const scope = units.platformScope({ actor: { type: 'system', reason: 'jobs' }, requestId, signal: job.signal });
    await units.transaction(
      scope,
      (db) => sender.send(db, { queue, plugin, name, tenantId, requestId, data, startAfter: pluginPause }),
      {
        last: (db) => sender.completeInside(db, job),
      },
    );
    return completed;
  }
}
