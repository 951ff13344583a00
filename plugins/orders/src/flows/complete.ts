import { type Ctx, type Job, type JobData, sql } from '@storeloom/plugin-sdk';
import { queued } from '../queued.ts';
import { settings } from '../settings.ts';
import { moveOrder } from './move.ts';

const batch = 200;

async function dueAfter(ctx: Ctx, after: string): Promise<string[]> {
  const { completeAfterDays } = ctx.settings(settings);
  const before = new Date(ctx.clock.ms() - completeAfterDays * 86_400_000).toISOString();
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select o.id from orders_order o where o.tenant_id = ${ctx.tenant.id} and o.id > ${after} and (
      (o.status = 'delivered' and o.delivered_at <= ${before})
      or (o.status in ('confirmed', 'processing') and o.fulfillment_status = 'not_required' and o.payment_status in ('paid', 'overpaid')
        and o.paid_at <= ${before}
        and not exists (select from orders_line l where l.tenant_id = o.tenant_id and l.order_id = o.id and l.kind <> 'product')))
    order by o.id limit ${batch}`);
  return rows.map(({ id }) => id);
}

/**
 * Completes delivered orders after the return window, and paid ones without goods to ship. Each order has its own transaction, so that a
 * failing one doesn't block the others.
 */
export const completeJob: Job<JobData<typeof queued.complete>> = {
  cron: '17 * * * *',
  perTenant: true,
  transaction: 'none',
  async run(ctx, { after = '00000000-0000-0000-0000-000000000000' }) {
    const due = await ctx.transaction((ctx) => dueAfter(ctx, after), { readOnly: true });
    for (const id of due) {
      if (ctx.signal.aborted) return;
      try {
        await ctx.transaction((ctx) => moveOrder(ctx, id, 'completed', { reason: 'return_window_over' }));
      } catch (error) {
        ctx.log.error({ err: error, order: id }, 'an order could not be completed');
      }
    }
    const last = due.at(-1);
    if (due.length === batch && last) await ctx.transaction((ctx) => ctx.enqueue(queued.complete, { after: last }));
  },
};
