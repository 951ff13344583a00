import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { dayMs, overlaps } from '@storeloom/plugin-sdk/time';
import { appointmentEvents } from './events.ts';
import { lastStart, sessionsWithin } from './session.ts';
import type { Staff } from './staff-fields.ts';
import { isWithin, workingHours } from './working.ts';

/** Moves all future appointments to another member of staff; returns false, without changes, if they can't take all. Both must be locked. */
export async function reassign(ctx: Ctx, from: Staff, to: Staff): Promise<boolean> {
  if (!to.isActive) return false;
  const now = ctx.clock.ms();
  const all = await sessionsWithin(ctx, [from.id, to.id], { start: now - 1, end: lastStart + 4 * dayMs });
  const moving = all.filter(({ staffId, end }) => staffId === from.id && end > now);
  const taken = all.filter(({ staffId }) => staffId === to.id);
  const working = workingHours(ctx, to);
  const canTake = moving.every(
    (one) =>
      to.serviceIds.includes(one.serviceId) &&
      isWithin(working, one) &&
      !taken.some(({ blocked }) => overlaps(blocked, one.blocked)),
  );
  if (!canTake) return false;
  const tenant = ctx.tenant.id;
  const ids = moving.map(({ id }) => id);
  const changed = await ctx.db.rows<{ id: string; status: string }>(sql`
    update booking_appointment a set staff_id = ${to.id}, version = a.version + 1, updated_at = ${ctx.clock.now()},
      reschedule_count = a.reschedule_count + 1
    from booking_session s where s.tenant_id = ${tenant} and s.id = any(${ids}::uuid[]) and a.tenant_id = s.tenant_id
      and a.staff_id = s.staff_id and a.starts_at = s.starts_at and a.status not in ('declined', 'expired', 'cancelled')
    returning a.id, a.status`);
  await ctx.db.run(sql`
    update booking_session set staff_id = ${to.id}, version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${tenant} and id = any(${ids}::uuid[])`);
  for (const { id, status } of changed) {
    await ctx.audit({ entity: 'booking.appointment', entityId: id, extra: { staffId: { from: from.id, to: to.id } } });
    // Completed appointments and no-shows move with their session, without an e-mail.
    if (status !== 'completed' && status !== 'no_show') await ctx.emit(appointmentEvents.rescheduled, { id, data: { id } });
  }
  return true;
}
