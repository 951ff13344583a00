import { type Ctx, type Job, type PlatformCtx, type PlatformJob, sql, work } from '@storeloom/plugin-sdk';
import { expireDue, expiryBefore } from './flows/release.ts';
import { queued } from './queued.ts';
import { notifyBackInStock } from './waiting/notify.ts';
import { republishLevels } from './warehouse/warehouse.ts';

/** Requests are removed after this many days: addresses aren't kept longer than needed. */
const retentionDays = 365;

async function removeOldRequests(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.ms() - retentionDays * 86_400_000).toISOString();
  await ctx.db.run(sql`delete from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and created_at < ${before}`);
}

/** One query a minute for the whole installation; only tenants with expired reservations are visited. */
async function expireAllTenants(ctx: PlatformCtx): Promise<void> {
  const before = expiryBefore(ctx.clock.ms());
  const tenants = await ctx.transaction(
    (tx) =>
      tx.db.rows<{ id: string }>(
        sql`select distinct tenant_id as id from inventory_reservation where state = 'active' and expires_at < ${before} limit 1000`,
      ),
    { readOnly: true },
  );
  for (const { id } of tenants) {
    try {
      while (!ctx.signal.aborted && (await ctx.withTenant(id, expireDue)) > 0);
    } catch (error) {
      // The other tenants continue; this one is tried again in a minute.
      ctx.log.error({ plugin: 'inventory', tenant_id: id, err: error }, 'Expired reservations could not be released');
    }
  }
}

export const jobs = {
  expire: { cron: '* * * * *', platform: true, run: expireAllTenants } satisfies PlatformJob,
  ...work(queued.backInStock, { run: notifyBackInStock }),
  ...work(queued.republishLevels, { run: republishLevels }),
  'forget-waiting': { cron: '40 3 * * *', perTenant: true, run: removeOldRequests } satisfies Job,
};
