import { type Ctx, f, listOf, notFound, problem, provide, quotas, quotaUsage, route, sql } from '@storeloom/plugin-sdk';
import { civilDate, dayBounds, monthBounds } from '@storeloom/plugin-sdk/time';
import { allowanceOf } from '../tenant/plan-of-tenant.ts';

type Period = 'day' | 'month';
const standing = '-infinity';

/** A limit whose name ends so is an allowance for that long, in the shop's zone; any other one is of what there is at a time. */
export function periodOf(resource: string): Period | null {
  if (resource.endsWith('PerMonth')) return 'month';
  return resource.endsWith('PerDay') ? 'day' : null;
}
/** The period that an instant is in: when it began, and when the next one does. */
export function bounds(period: Period, now: string, timeZone: string): { start: string; end: string } {
  const today = civilDate(now, timeZone);
  if (period === 'day') return dayBounds(today, today, timeZone);
  const { from, to } = monthBounds(today.slice(0, 7));
  return dayBounds(from, to, timeZone);
}

/** Hosts are given by the operator, whom the plan binds too. @throws Problem 402 `quota_exceeded` */
export function requireRoomForHosts(limits: Record<string, number>, hosts: readonly string[], before: number): void {
  const limit = limits.domains;
  if (limit !== undefined && hosts.length > limit && hosts.length > before) throw over('domains', limit, before);
}

const over = (resource: string, limit: number, used: number): Error =>
  problem('quota_exceeded', { detail: `The plan allows ${limit} ${resource}; ${used} are in use.`, resource, limit, used });

export const quotasProvider = provide(quotas, (ctx) => ({
  async require(resource, count, adding = 1) {
    const limit = (await allowanceOf(ctx)).limits[resource];
    if (limit === undefined) return;
    // What is full already need not wait for others that add.
    const present = await count();
    if (present + adding > limit) throw over(resource, limit, present);
    // Held until the commit: the next writer counts what this one has added.
    await ctx.db.run(sql`insert into platform_quota (tenant_id, resource, period_start) values (${ctx.tenant.id}, ${resource}, ${standing})
      on conflict (tenant_id, resource, period_start) do nothing`);
    await ctx.db.rows(sql`select resource from platform_quota
      where tenant_id = ${ctx.tenant.id} and resource = ${resource} and period_start = ${standing} for update`);
    const used = await count();
    if (used + adding > limit) throw over(resource, limit, used);
  },
  async consume(resource, amount = 1) {
    const period = periodOf(resource);
    if (period === null)
      throw new Error(`${resource} is no allowance of a period: its name ends neither with PerDay nor PerMonth`);
    const limit = (await allowanceOf(ctx)).limits[resource] ?? null;
    const { start } = bounds(period, ctx.clock.now(), ctx.tenant.timezone);
    // One statement, so that simultaneous calls are counted one by one.
    const taken =
      await ctx.db.run(sql`insert into platform_quota as q (tenant_id, resource, period_start, used) select ${ctx.tenant.id}::uuid, ${resource}, ${start}::timestamptz, ${amount}::bigint
        where ${limit}::bigint is null or ${amount}::bigint <= ${limit}::bigint
      on conflict (tenant_id, resource, period_start) do update set used = q.used + excluded.used
        where ${limit}::bigint is null or q.used + excluded.used <= ${limit}::bigint`);
    if (taken === 0) throw over(resource, limit ?? 0, await usedOf(ctx, resource, start));
  },
}));

async function usedOf(ctx: Ctx, resource: string, start: string): Promise<number> {
  const row = await ctx.db.first<{ used: number }>(
    sql`select used from platform_quota where tenant_id = ${ctx.tenant.id} and resource = ${resource} and period_start = ${start}`,
  );
  return row?.used ?? 0;
}

interface Quota {
  resource: string;
  limit: number | null;
  used: number | null;
  period: Period | null;
  resetsAt: string | null;
}
async function quotasOf(ctx: Ctx): Promise<Quota[]> {
  const { limits } = await allowanceOf(ctx);
  const domains = { resource: 'domains', used: ctx.tenant.hosts.length };
  const counted = new Map([domains, ...(await ctx.call(quotaUsage, {}))].map(({ resource, used }) => [resource, used]));
  const now = ctx.clock.now();
  const names = [...new Set([...Object.keys(limits), ...counted.keys()])].sort();
  const rows: Quota[] = [];
  for (const resource of names) {
    const period = periodOf(resource);
    const own = period && bounds(period, now, ctx.tenant.timezone);
    rows.push({
      resource,
      limit: limits[resource] ?? null,
      // Null: no plugin that is on counts it.
      used: counted.get(resource) ?? (own ? await usedOf(ctx, resource, own.start) : null),
      period,
      resetsAt: own ? own.end : null,
    });
  }
  return rows;
}

export const quotaRoutes = [
  route(
    'GET',
    '/tenant-quotas/{tenantId}',
    {
      permission: 'platform.quota.read',
      summary: 'What the plan allows, and what is used of it',
      response: {
        resource: f.text(),
        limit: f.int().optional(),
        used: f.int().optional(),
        period: f.oneOf(['day', 'month']).optional(),
        resetsAt: f.instant().optional(),
      },
      list: true,
    },
    async (ctx, req) => {
      if (req.params.tenantId !== ctx.tenant.id) throw notFound();
      return listOf(await quotasOf(ctx));
    },
  ),
];
