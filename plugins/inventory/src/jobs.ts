import { type Ctx, type Job, type PlatformCtx, type PlatformJob, sql, work } from '@storeloom/plugin-sdk';
import { expireDue, expiryBefore } from './flows/release.ts';
import { queued } from './queued.ts';
import { tellWaiting } from './waiting/tell-waiting.ts';
import { retellLevels } from './warehouse/warehouse.ts';

/** Who has waited so long doesn't wait any more; an address isn't kept without need. */
const longestWait = 365;

async function forgetOld(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.ms() - longestWait * 86_400_000).toISOString();
  await ctx.db.run(sql`delete from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and created_at < ${before}`);
}

/** One look a minute for the whole installation: tenants without anything due cost nothing. */
async function expireEverywhere(ctx: PlatformCtx): Promise<void> {
  const before = expiryBefore(ctx.clock.ms());
  const tenants = await ctx.transaction(
    (inside) =>
      inside.db.rows<{ id: string }>(
        sql`select distinct tenant_id as id from inventory_reservation where state = 'active' and expires_at < ${before} limit 1000`,
      ),
    { readOnly: true },
  );
  for (const { id } of tenants) {
    try {
      while (!ctx.signal.aborted && (await ctx.withTenant(id, expireDue)) > 0);
    } catch (error) {
      // The others are served all the same; this one is looked at again in a minute.
      ctx.log.error({ plugin: 'inventory', tenant_id: id, err: error }, 'reservations could not be expired');
    }
  }
}

export const jobs = {
  expire: { cron: '* * * * *', platform: true, run: expireEverywhere } satisfies PlatformJob,
  ...work(queued.tellWaiting, { run: tellWaiting }),
  ...work(queued.retellLevels, { run: retellLevels }),
  'forget-waiting': { cron: '40 3 * * *', perTenant: true, run: forgetOld } satisfies Job,
};
