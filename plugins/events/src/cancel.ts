import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { event } from './event.ts';
import { movePurchase, purchase } from './purchase.ts';

/** Job `cancelled`: cancels all purchases of a cancelled event and gives the money back. Safe to repeat. */
export async function cancelPurchases(ctx: Ctx, { eventId }: { eventId: string }): Promise<void> {
  const rows = await ctx.transaction(
    (inner) =>
      inner.db.rows<{ id: string }>(sql`select id from events_purchase
        where tenant_id = ${inner.tenant.id} and event_id = ${eventId} and status in ('reserved', 'paid') order by id`),
    { readOnly: true },
  );
  for (const { id } of rows) {
    if (ctx.signal.aborted) throw new Error('the worker is shutting down; the job continues with the remaining purchases');
    await ctx.transaction((inner) => cancelPurchase(inner, eventId, id));
  }
}

async function cancelPurchase(ctx: Ctx, eventId: string, id: string): Promise<void> {
  await ctx.rows(event).get(eventId, { lock: true });
  const row = await ctx.rows(purchase).require(id, { lock: true });
  if (row.status !== 'reserved' && row.status !== 'paid') return;
  await movePurchase(ctx, row, 'cancelled', 'cancel', { holdExpiresAt: null });
}
