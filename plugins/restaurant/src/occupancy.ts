import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { holds } from './holds.ts';

export const occupancies = ['free', 'reserved', 'occupied', 'dirty', 'out_of_service'] as const;
export type Occupancy = (typeof occupancies)[number];

/** A table with the occupancy stored by staff. */
interface Stored {
  id: string;
  occupancy: Occupancy;
}

/** Open checks and seated parties at the tables. */
export async function occupantsOf(
  ctx: Ctx,
  ids: readonly string[],
): Promise<{ tableId: string; orderId: string | null; reservationId: string | null }[]> {
  return ctx.db.rows(sql`
    select o.table_id as "tableId", o.id as "orderId", o.reservation_id as "reservationId" from restaurant_order o
    where o.tenant_id = ${ctx.tenant.id} and o.table_id = any(${[...ids]}::uuid[]) and o.status not in ('paid', 'cancelled')
    union all
    select s.table_id, null, r.id from restaurant_seating s join restaurant_reservation r on r.tenant_id = s.tenant_id and r.id = s.reservation_id
    where s.tenant_id = ${ctx.tenant.id} and s.table_id = any(${[...ids]}::uuid[]) and r.status = 'seated'
    order by 1, 2 nulls last`);
}

/** The check, or else the party, at a table. */
export async function occupantOf(
  ctx: Ctx,
  id: string,
): Promise<{ orderId: string } | { reservationId: string | null } | undefined> {
  const [first] = await occupantsOf(ctx, [id]);
  return first && (first.orderId === null ? { reservationId: first.reservationId } : { orderId: first.orderId });
}

/**
 * Occupancy of the tables, now or at an instant: out of service, occupied, dirty, reserved or free, whichever applies first. At another time
 * only reservations count, and no table is dirty.
 */
export async function occupancyOf(ctx: Ctx, tables: readonly Stored[], at: string | null): Promise<Map<string, Occupancy>> {
  const ids = tables.map(({ id }) => id);
  const when = at ?? ctx.clock.now();
  const [sitting, planned] = await Promise.all([
    at === null ? occupantsOf(ctx, ids) : [],
    ctx.db.rows<{ tableId: string; status: string }>(sql`
      select s.table_id as "tableId", t.status from restaurant_seating s
      join restaurant_reservation t on t.tenant_id = s.tenant_id and t.id = s.reservation_id
      where s.tenant_id = ${ctx.tenant.id} and s.table_id = any(${ids}::uuid[]) and s.blocked_from <= ${when} and s.blocked_until > ${when}
        and ${holds.activeCondition(ctx)}`),
  ]);
  const occupied = new Set([...sitting, ...planned.filter(({ status }) => status === 'seated')].map(({ tableId }) => tableId));
  const reserved = new Set(planned.map(({ tableId }) => tableId));
  return new Map(
    tables.map(({ id, occupancy }): [string, Occupancy] => {
      if (occupancy === 'out_of_service') return [id, occupancy];
      if (occupied.has(id)) return [id, 'occupied'];
      if (occupancy === 'dirty' && at === null) return [id, 'dirty'];
      return [id, reserved.has(id) ? 'reserved' : 'free'];
    }),
  );
}
