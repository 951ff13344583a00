import type { Job, Log, PlatformJob } from '@storeloom/plugin-sdk';
import { inJob, type Units } from '../context/units.ts';
import type { LoadedPlugin, Registry } from '../plugins/registry.ts';
import type { CronJob } from './cron.ts';
import type { QueueName } from './queues.ts';
import type { Sender } from './sender.ts';
import type { QueuedJob } from './workers.ts';

/** Jobs of the kernel itself stand beside those of the plugins, under this name. */
export const kernel = 'core';

type AnyJob = Job | PlatformJob;
export type PluginJobs = ReadonlyMap<string, Readonly<Record<string, AnyJob>>>;

const isPlatform = (job: AnyJob): job is PlatformJob => job.platform === true;

/** Jobs of every loaded plugin, and the kernel's. */
export function collectJobs(loaded: readonly LoadedPlugin[], own: Readonly<Record<string, PlatformJob>>): PluginJobs {
  const jobs = new Map<string, Readonly<Record<string, AnyJob>>>([[kernel, own]]);
  for (const { manifest, plugin } of loaded) if (plugin.jobs) jobs.set(manifest.name, plugin.jobs);
  return jobs;
}

/** The ones with a schedule. */
export function schedulesOf(jobs: PluginJobs): CronJob[] {
  const schedules: CronJob[] = [];
  for (const [plugin, named] of jobs) {
    for (const [name, job] of Object.entries(named)) {
      if (job.cron === undefined) continue;
      if (!isPlatform(job) && !job.perTenant)
        throw new Error(`the job ${plugin}.${name} has a schedule but does not say for whom it runs: set perTenant or platform`);
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
  /** Deliveries, mails and inbound notifications. */
  handlers: Readonly<Record<Exclude<QueueName, 'jobs'>, (job: QueuedJob) => Promise<void>>>;
}

/** Seconds until a job of a plugin that isn't loaded now is looked at again. */
const pluginPause = 300;

/**
 * What a worker does with a job. A job of a tenant is one transaction, settled inside itself: whatever happens to the worker, its effect
 * is there once or not at all. Jobs with `transaction: 'none'` and those of the platform open their own and must bear a second run.
 */
export function createRunner({ units, sender, log, jobs, registry, handlers }: RunnerOptions): (job: QueuedJob) => Promise<void> {
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
      log.info({ plugin, job: name, tenant_id: job.tenantId }, 'a job was left out: its tenant or its plugin is off');
      return;
    }
    const ctx = units.context(plugin, scope);
    if (definition.transaction === 'none') return definition.run(ctx, job.data);
    await inJob(units, scope, () => definition.run(ctx, job.data), { last: (db) => sender.settleInside(db, job) });
  };

  /** A plugin that failed or lost its licence may be back tomorrow, and its jobs with it. A kind of job that is no more is dropped. */
  async function missing(job: QueuedJob): Promise<void> {
    const { queue, plugin, name, tenantId, requestId, data } = job;
    const state = registry.states().find((record) => record.name === plugin)?.state;
    if (state === undefined || state === 'ready' || state === 'not_installed') {
      log.warn({ plugin, job: name, tenant_id: tenantId }, 'a job was dropped: no plugin has it any more');
      return;
    }
    const scope = units.platformScope({ actor: { type: 'system', reason: 'jobs' }, requestId, signal: job.signal });
    await units.transaction(
      scope,
      (db) => sender.send(db, { queue, plugin, name, tenantId, requestId, data, startAfter: pluginPause }),
      {
        last: (db) => sender.settleInside(db, job),
      },
    );
  }
}
