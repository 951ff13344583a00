import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { defineCounter, defineExclusion, defineHolds } from '@storeloom/plugin-sdk/reserve';

/** Tables of reservations with the time they block, turnover included. */
export const seatings = defineExclusion({
  table: 'restaurant_seating',
  resource: 'table_id',
  from: 'blocked_from',
  until: 'blocked_until',
});

/** Covers per slot: guests who arrive in one interval. */
export const coverSlots = defineCounter({ table: 'restaurant_cover_slot', key: { slot: 'timestamptz' } });

/** Locks slots in one order before covers move between them, so that two moves in opposite directions can't deadlock. */
export async function lockSlots(ctx: Ctx, slots: readonly string[]): Promise<void> {
  await ctx.db.run(sql`
    select 1 from restaurant_cover_slot where tenant_id = ${ctx.tenant.id} and slot = any(${[...slots]}::timestamptz[])
    order by slot for no key update`);
}

/** Pending reservations, by the tables they keep. */
export const holds = defineHolds({
  entity: 'restaurant.reservation',
  resource: (ids) => sql`exists (select from restaurant_seating s
    where s.tenant_id = t.tenant_id and s.reservation_id = t.id and s.table_id = any(${[...ids]}::uuid[]))`,
});
/** The same, by the slot in which their covers are counted. */
export const slotHolds = defineHolds({
  entity: 'restaurant.reservation',
  resource: (slots) => sql`t.slot_at = any(${[...slots]}::timestamptz[])`,
});
