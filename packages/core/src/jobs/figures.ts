import { type Db, sql } from '@storeloom/plugin-sdk';
import type { QueueFigures } from '../observability/metrics.ts';
import { deadQueue, queueNames } from './queues.ts';

export interface TenantQueue {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  paused: boolean;
}

/** Counts the jobs of one tenant: the kernel's queues, and each plugin job as `<plugin>.<job>`. Platform role. */
export async function tenantQueues(db: Db, tenantId: string): Promise<TenantQueue[]> {
  const rows = await db.rows<TenantQueue>(sql`
    with own as (
      select coalesce(source_name, name) as queue, data, state, start_after, name = ${deadQueue} as dead
      from jobs.job_common where group_id = ${tenantId} and state < 'completed'
    ), named as (
      select case queue when 'jobs' then concat(data ->> 'plugin', '.', data ->> 'name') else queue end as name, state, start_after, dead from own
    )
    select name, count(*) filter (where not dead and state < 'active' and start_after <= now())::int as waiting,
      count(*) filter (where not dead and state = 'active')::int as active,
      count(*) filter (where not dead and state < 'active' and start_after > now())::int as delayed,
      count(*) filter (where dead)::int as failed, false as paused
    from named group by name order by name`);
  const found = new Map(rows.map((row) => [row.name, row]));
  const empty = { waiting: 0, active: 0, delayed: 0, failed: 0, paused: false };
  const kernel = queueNames.filter((name) => name !== 'jobs').map((name) => found.get(name) ?? { name, ...empty });
  return [...kernel, ...rows.filter((row) => !kernel.includes(row))];
}

/** Counts the jobs of all tenants. Platform role. */
export async function queueTotals(db: Db): Promise<Pick<TenantQueue, 'waiting' | 'active' | 'delayed' | 'failed'>> {
  const row = await db.first<Pick<TenantQueue, 'waiting' | 'active' | 'delayed' | 'failed'>>(sql`
    select count(*) filter (where name <> ${deadQueue} and state < 'active' and start_after <= now())::int as waiting,
      count(*) filter (where name <> ${deadQueue} and state = 'active')::int as active,
      count(*) filter (where name <> ${deadQueue} and state < 'active' and start_after > now())::int as delayed,
      count(*) filter (where name = ${deadQueue})::int as failed
    from jobs.job_common where state < 'completed' and group_id is not null`);
  return row ?? { waiting: 0, active: 0, delayed: 0, failed: 0 };
}

/** Returns the counts of the supervisor's last pass (every 15 seconds), a cheap read for the metrics. Platform role. */
export async function queueFigures(db: Db): Promise<QueueFigures[]> {
  const dead = await db.rows<{ queue: string; dead: number }>(
    sql`select source_name as queue, count(*)::int as dead from jobs.job_common where name = ${deadQueue} group by source_name`,
  );
  const rows = await db.rows<Omit<QueueFigures, 'dead'>>(sql`
    select name as queue, ready_count as ready, active_count as running, failed_count as failed, coalesce(ready_oldest_seconds, 0) as "oldestReadySeconds"
    from jobs.queue where name in (${sql.join([...queueNames])}) order by name`);
  return rows.map((row) => ({ ...row, dead: dead.find(({ queue }) => queue === row.queue)?.dead ?? 0 }));
}

/** Returns the age in seconds of the oldest undelivered event. Platform role. */
export async function outboxLag(db: Db): Promise<number> {
  const row = await db.first<{ seconds: number }>(sql`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from core_event_delivery
    where handled_at is null and failed_at is null`);
  return Math.max(0, row?.seconds ?? 0);
}
