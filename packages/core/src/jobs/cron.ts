import { type Log, sql } from '@storeloom/plugin-sdk';
import type { Units } from '../context/units.ts';
import type { NewJob, Sender } from './sender.ts';

/** A job with a schedule. */
export interface CronJob {
  plugin: string;
  name: string;
  cron: string;
  /** True: one job for each tenant, in its time zone. False: one for the installation, in UTC. */
  perTenant: boolean;
  retryLimit?: number;
}

export interface CronOptions {
  units: Units;
  sender: Sender;
  log: Log;
  schedules: readonly CronJob[];
  isOn(tenantId: string, plugin: string): Promise<boolean>;
  /** Called after jobs were committed. */
  wake(): void;
}

export interface Cron {
  start(): void;
  stop(): Promise<void>;
  /** Sends the jobs that are due; returns their number. */
  tick(): Promise<number>;
}

interface TenantZone {
  id: string;
  timezone: string;
}

const claimKey = 'jobs.cron';
/** Runs missed while no process was running are made up once, up to this age in milliseconds. */
const maxGap = 24 * 3600_000;
const batch = 1000;

/**
 * Sends scheduled jobs. Once a minute each process tries to lock the row with the time up to which schedules were served; the one that gets
 * it sends the jobs due since then and advances the time in the same transaction. So each run is sent exactly once, also after a crash.
 */
export function createCron({ units, sender, log, schedules, isOn, wake }: CronOptions): Cron {
  for (const { plugin, name, cron } of schedules) {
    try {
      sender.nextTime(cron, 'UTC', new Date());
    } catch (error) {
      throw new Error(`the schedule "${cron}" of the job ${plugin}.${name} is invalid: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  // Next time by expression and time zone, cached until it is due.
  const upcoming = new Map<string, number>();

  /** Returns the first time of the schedule in (from, to]; several missed runs are made up by one job. */
  function due(cron: string, timezone: string, from: number, to: number): string | undefined {
    const key = `${timezone} ${cron}`;
    let next = upcoming.get(key);
    if (next === undefined || next <= from) {
      next = sender.nextTime(cron, timezone, new Date(from)).getTime();
      upcoming.set(key, next);
    }
    return next <= to ? new Date(next).toISOString() : undefined;
  }

  async function jobsDue(tenants: readonly TenantZone[], from: number, to: number): Promise<NewJob[]> {
    const jobs: NewJob[] = [];
    for (const { plugin, name, cron, perTenant, retryLimit } of schedules) {
      const job = { queue: 'jobs', plugin, name, ...(retryLimit === undefined ? {} : { retryLimit }) } as const;
      if (!perTenant) {
        const dueAt = due(cron, 'UTC', from, to);
        if (dueAt) jobs.push({ ...job, tenantId: null, data: { dueAt } });
        continue;
      }
      for (const { id, timezone } of tenants) {
        let dueAt: string | undefined;
        try {
          dueAt = due(cron, timezone, from, to);
        } catch (error) {
          log.error({ err: error, tenant_id: id, timezone }, 'a tenant has an invalid time zone');
        }
        if (dueAt && (await isOn(id, plugin))) jobs.push({ ...job, tenantId: id, data: { dueAt } });
      }
    }
    return jobs;
  }

  async function tick(): Promise<number> {
    const scope = units.platformScope({
      actor: { type: 'system', reason: 'schedules' },
      requestId: crypto.randomUUID(),
      signal: AbortSignal.timeout(60_000),
    });
    const sent = await units.transaction(scope, async (db) => {
      await db.run(sql`insert into core_installation (key, value) values (${claimKey}, to_jsonb((extract(epoch from now()) * 1000)::bigint))
        on conflict (key) do nothing`);
      const claim = await db.first<{ served: number; now: number }>(sql`select (value #>> '{}')::bigint as served,
        (extract(epoch from now()) * 1000)::bigint as now from core_installation where key = ${claimKey} for update skip locked`);
      // Another process serves the schedules.
      if (!claim || claim.now <= claim.served) return 0;
      const tenants = await db.rows<TenantZone>(
        sql`select id, timezone from core_tenant where status in ('trial', 'active', 'past_due')`,
      );
      const jobs = await jobsDue(tenants, Math.max(claim.served, claim.now - maxGap), claim.now);
      for (let from = 0; from < jobs.length; from += batch) await sender.send(db, ...jobs.slice(from, from + batch));
      await db.run(
        sql`update core_installation set value = to_jsonb(${claim.now}::bigint), updated_at = now() where key = ${claimKey}`,
      );
      return jobs.length;
    });
    if (sent > 0) wake();
    return sent;
  }

  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<unknown> = Promise.resolve();
  let stopped = true;
  const arm = (): void => {
    // A second after the full minute, in case the clock is slightly behind that of the database.
    const delay = 60_000 - (Date.now() % 60_000) + 1000;
    timer = setTimeout(() => {
      ticking = tick().then(
        () => undefined,
        (error: unknown) => log.error({ err: error }, 'schedules could not be served; retrying in a minute'),
      );
      if (!stopped) arm();
    }, delay);
    timer.unref();
  };
  return {
    tick,
    start() {
      if (!stopped || schedules.length === 0) return;
      stopped = false;
      arm();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await ticking;
    },
  };
}
