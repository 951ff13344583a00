import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { event } from './event.ts';
import { movePurchase, purchase } from './purchase.ts';

/** Expires the lapsed holds of an event, whose row must be locked. */
export async function expireLapsed(ctx: Ctx, eventId: string): Promise<void> {
  const lapsed = await ctx.db.rows<{ id: string }>(sql`
    select id from events_purchase where tenant_id = ${ctx.tenant.id} and event_id = ${eventId} and status = 'reserved'
      and hold_expires_at <= ${ctx.clock.now()} order by id`);
  for (const { id } of lapsed) {
    const row = await ctx.rows(purchase).require(id, { lock: true });
    if (row.status === 'reserved') await movePurchase(ctx, row, 'expired', 'expire');
  }
}

/** Job `expire`: expires lapsed holds for lists and figures; availability ignores them immediately. */
export async function expireHolds(ctx: Ctx): Promise<void> {
  const due = await ctx.transaction(
    (inner) =>
      inner.db.rows<{ eventId: string }>(sql`
        select distinct event_id as "eventId" from events_purchase
        where tenant_id = ${inner.tenant.id} and status = 'reserved' and hold_expires_at <= ${inner.clock.now()}`),
    { readOnly: true },
  );
  for (const { eventId } of due) {
    if (ctx.signal.aborted) return;
    await ctx.transaction(async (inner) => {
      await inner.rows(event).get(eventId, { lock: true });
      await expireLapsed(inner, eventId);
    });
  }
}
