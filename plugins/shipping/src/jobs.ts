import { type Ctx, type Job, type JobData, sql } from '@storeloom/plugin-sdk';
import { awb } from './awb/awb.ts';
import { trackAtCarrier } from './awb/read.ts';
import { CarrierError } from './carrier/adapter.ts';
import { adapterOf, callCarrier, requireCall } from './carrier/call.ts';
import { type CarrierName, carrierNames, isCarrierName } from './carrier/names.ts';
import type { queued } from './queued.ts';
import { settings } from './settings.ts';

/** Cancels an AWB at the carrier, with retries until the carrier responds. */
export const cancelJob: Job<JobData<typeof queued.cancelAwb>> = {
  transaction: 'none',
  async run(ctx, { provider, awbNumber }) {
    if (!isCarrierName(provider)) throw new Error(`unknown carrier ${provider}`);
    const call = await ctx.transaction((ctx) => requireCall(ctx, provider), { readOnly: true });
    try {
      await callCarrier(ctx, provider, () => adapterOf(provider).cancel(call, awbNumber));
    } catch (error) {
      if (!(error instanceof CarrierError) || error.kind !== 'refused') throw error;
      // A retry would be refused again; staff see the error in the carrier's health.
      ctx.log.error({ plugin: 'shipping', provider, awbNumber, err: error }, 'the carrier refused to cancel an AWB');
    }
  },
};

/** Tracks parcels in transit. Carriers are processed separately, so that an unavailable one doesn't delay the others. */
export const trackJob: Job = {
  cron: '7 * * * *',
  perTenant: true,
  transaction: 'none',
  async run(ctx) {
    const { trackEveryMinutes } = ctx.settings(settings);
    const before = new Date(ctx.clock.ms() - trackEveryMinutes * 60_000).toISOString();
    for (const provider of carrierNames) await trackAll(ctx, provider, before);
  },
};
async function trackAll(ctx: Ctx, provider: CarrierName, before: string): Promise<void> {
  const due = await ctx.transaction((ctx) => dueForTracking(ctx, provider, before), { readOnly: true });
  for (const id of due) {
    if (ctx.signal.aborted) return;
    const row = await ctx.transaction((ctx) => ctx.rows(awb).require(id), { readOnly: true });
    if (!(await trackAtCarrier(ctx, row))) return;
  }
}
async function dueForTracking(ctx: Ctx, provider: CarrierName, before: string): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select a.id from shipping_awb a where a.tenant_id = ${ctx.tenant.id} and a.provider = ${provider}
      and a.status not in ('delivered', 'returned', 'cancelled') and (a.track_tried_at is null or a.track_tried_at < ${before})
      and exists (select from shipping_carrier c where c.tenant_id = a.tenant_id and c.provider = a.provider and c.enabled)
      order by a.track_tried_at nulls first, a.id limit 200`,
  );
  return rows.map(({ id }) => id);
}
