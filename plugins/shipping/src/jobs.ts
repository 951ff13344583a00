import { type Ctx, type Job, sql } from '@storeloom/plugin-sdk';
import { CarrierError } from './adapter.ts';
import { awb } from './awb.ts';
import { trackAtCarrier } from './awb-read.ts';
import { adapterOf, callCarrier, requireCall } from './carrier-call.ts';
import { isCarrierName } from './carrier-names.ts';
import { settings } from './settings.ts';

/** An AWB that isn't needed any more: the carrier is told until it has heard. */
export const cancelJob: Job = {
  transaction: 'none',
  async run(ctx, { provider, awbNumber }) {
    if (typeof provider !== 'string' || !isCarrierName(provider) || typeof awbNumber !== 'string')
      throw new Error('an AWB to cancel has a provider and a number');
    const call = await ctx.transaction((ctx) => requireCall(ctx, provider), { readOnly: true });
    try {
      await callCarrier(ctx, provider, () => adapterOf(provider).cancel(call, awbNumber));
    } catch (error) {
      if (!(error instanceof CarrierError) || error.kind !== 'refused') throw error;
      // Asking again changes nothing; staff see it at the carrier.
      ctx.log.error({ plugin: 'shipping', provider, awbNumber, err: error }, 'a carrier refuses to cancel an AWB');
    }
  },
};

/** Parcels under way whose carrier says nothing by itself. */
export const trackJob: Job = {
  cron: '7 * * * *',
  perTenant: true,
  transaction: 'none',
  async run(ctx) {
    const { trackEveryMinutes } = ctx.settings(settings);
    const before = new Date(ctx.clock.ms() - trackEveryMinutes * 60_000).toISOString();
    const due = await ctx.transaction((ctx) => dueForTracking(ctx, before), { readOnly: true });
    for (const id of due) {
      if (ctx.signal.aborted) return;
      const row = await ctx.transaction((ctx) => ctx.rows(awb).require(id), { readOnly: true });
      try {
        await trackAtCarrier(ctx, row);
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error;
        ctx.log.warn({ plugin: 'shipping', provider: row.provider, err: error }, 'a carrier gave no tracking');
      }
    }
  },
};
async function dueForTracking(ctx: Ctx, before: string): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select a.id from shipping_awb a where a.tenant_id = ${ctx.tenant.id} and a.status not in ('delivered', 'returned', 'cancelled')
      and (a.tracked_at is null or a.tracked_at < ${before})
      and exists (select from shipping_carrier c where c.tenant_id = a.tenant_id and c.provider = a.provider and c.enabled)
      order by a.tracked_at nulls first, a.id limit 200`,
  );
  return rows.map(({ id }) => id);
}
