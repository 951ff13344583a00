import { type Job, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import { wake } from './wake.ts';

const keptMs = 30 * 86_400_000;

/** The log is no archive. What an endpoint that is off has not got in this time it never gets. */
export const tidy: Job = {
  cron: '11 4 * * *',
  perTenant: true,
  async run(ctx) {
    const old = new Date(ctx.clock.ms() - keptMs).toISOString();
    await ctx.db.run(sql`delete from webhooks_delivery where tenant_id = ${ctx.tenant.id} and created_at < ${old}`);
  },
};

/** Deliveries whose job was lost (the job schema was restored, retries ran out while the database was away) get one again. */
export const overdue: PlatformJob = {
  platform: true,
  cron: '*/10 * * * *',
  async run(ctx) {
    const lines = await ctx.transaction(
      (inside) =>
        inside.db.rows<{ tenantId: string; endpointId: string }>(sql`
          select distinct d.tenant_id as "tenantId", d.endpoint_id as "endpointId" from webhooks_delivery d
          join webhooks_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
          where d.status in ('pending', 'retrying') and d.next_at < ${new Date(ctx.clock.ms() - 600_000).toISOString()} and e.active limit 10000`),
      { readOnly: true },
    );
    for (const [tenantId, endpoints] of Map.groupBy(lines, (line) => line.tenantId)) {
      if (ctx.signal.aborted) return;
      await ctx.withTenant(tenantId, async (inside) => {
        for (const { endpointId } of endpoints) await wake(inside, endpointId);
      });
    }
  },
};
