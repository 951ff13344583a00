import { type Ctx, sql } from '@storeloom/plugin-sdk';
import type { QuotaUse } from './quota.ts';

export type Taken = Omit<QuotaUse, 'size'>;
export const nothingTaken: Taken = Object.freeze({ paid: 0, pending: 0, held: 0 });

interface TypePlaces {
  id: string;
  quantity: number | null;
  taken: Taken;
}
export interface Places {
  event: Taken;
  types: TypePlaces[];
}

/** Taken places per event and ticket type. Lapsed holds don't count, expired or not. */
export async function placesOfMany(ctx: Ctx, eventIds: readonly string[]): Promise<Map<string, Places>> {
  const places = new Map<string, Places>(eventIds.map((id) => [id, { event: { ...nothingTaken }, types: [] }]));
  const rows = await ctx.db.rows<Taken & { id: string; eventId: string; quantity: number | null }>(sql`
    select y.id, y.event_id as "eventId", y.quantity,
      count(t.id) filter (where t.status <> 'reserved')::int8 as paid,
      count(p.id) filter (where p.payment_started)::int8 as pending,
      count(p.id) filter (where not p.payment_started)::int8 as held
    from events_ticket_type y
    left join events_ticket t on t.tenant_id = y.tenant_id and t.event_id = y.event_id and t.ticket_type_id = y.id
      and t.status in ('reserved', 'valid', 'checked_in')
    left join events_purchase p on t.status = 'reserved' and p.tenant_id = t.tenant_id and p.id = t.purchase_id
      and p.hold_expires_at > ${ctx.clock.now()}
    where y.tenant_id = ${ctx.tenant.id} and y.event_id = any(${eventIds}::uuid[])
    group by y.id, y.event_id, y.quantity`);
  for (const { id, eventId, quantity, paid, pending, held } of rows) {
    const { event, types } = places.get(eventId) as Places;
    types.push({ id, quantity, taken: { paid, pending, held } });
    event.paid += paid;
    event.pending += pending;
    event.held += held;
  }
  return places;
}

export async function placesOf(ctx: Ctx, eventId: string): Promise<Places> {
  return (await placesOfMany(ctx, [eventId])).get(eventId) as Places;
}
