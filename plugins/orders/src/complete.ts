import { type Job, sql } from '@storeloom/plugin-sdk';
import { moveOrder } from './move.ts';
import { settings } from './settings.ts';

const batch = 200;

/** Delivered orders after the return window, and paid ones that have nothing to be sent. An order that won't move holds up no other. */
export const completeJob: Job = {
  cron: '17 * * * *',
  perTenant: true,
  async run(ctx) {
    const { completeAfterDays } = ctx.settings(settings);
    const before = new Date(ctx.clock.ms() - completeAfterDays * 86_400_000).toISOString();
    const due = await ctx.db.rows<{ id: string }>(sql`
      select o.id from orders_order o where o.tenant_id = ${ctx.tenant.id} and (
        (o.status = 'delivered' and o.delivered_at <= ${before})
        or (o.status in ('confirmed', 'processing') and o.fulfillment_status = 'not_required' and o.payment_status in ('paid', 'overpaid')
          and o.paid_at <= ${before}
          and not exists (select from orders_line l where l.tenant_id = o.tenant_id and l.order_id = o.id and l.kind <> 'product')))
      order by o.id limit ${batch}`);
    for (const { id } of due) {
      try {
        await ctx.savepoint(() => moveOrder(ctx, id, 'completed', { reason: 'return_window_over' }));
      } catch (error) {
        ctx.log.error({ err: error, order: id }, 'an order could not be completed');
      }
    }
    if (due.length === batch) await ctx.enqueue('complete', {});
  },
};
