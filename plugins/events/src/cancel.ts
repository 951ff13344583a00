import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { event } from './event.ts';
import { movePurchase, purchase } from './purchase.ts';

/** Job `cancelled`: of an event that won't take place every ticket ends, and what was paid goes back. Safe to repeat. */
export async function cancelPurchases(ctx: Ctx, data: Record<string, unknown>): Promise<void> {
  const eventId = data.eventId as string;
  const rows = await ctx.transaction(
    (inner) =>
      inner.db.rows<{ id: string }>(sql`select id from events_purchase
        where tenant_id = ${inner.tenant.id} and event_id = ${eventId} and status in ('reserved', 'paid') order by id`),
    { readOnly: true },
  );
  for (const { id } of rows) {
    if (ctx.signal.aborted) throw new Error('the worker ends; the rest of the purchases comes next');
    await ctx.transaction((inner) => cancelPurchase(inner, eventId, id));
  }
}

async function cancelPurchase(ctx: Ctx, eventId: string, id: string): Promise<void> {
  await ctx.rows(event).get(eventId, { lock: true });
  const row = await ctx.rows(purchase).require(id, { lock: true });
  if (row.status !== 'reserved' && row.status !== 'paid') return;
  await movePurchase(ctx, row, 'cancelled', 'cancel', { holdExpiresAt: null });
}
