import { type Ctx, invalid, problem, sql } from '@storeloom/plugin-sdk';
import { type LocalInstant, minuteMs } from '@storeloom/plugin-sdk/time';
import { appointment, endTogether, reschedule } from './appointment.ts';
import { type Appointment, hasEnded } from './appointment-fields.ts';
import { appointmentEvents } from './events.ts';

const byStart = (rows: readonly Appointment[]): Appointment[] => rows.toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1));

/** @throws 409 `cutoff_passed` once `cancelCutoffMin` before the start has passed */
async function checkCutoff(ctx: Ctx, rows: readonly Appointment[]): Promise<void> {
  const services = await ctx.db.rows<{ id: string; cutoff: number }>(sql`
    select id, cancel_cutoff_min as cutoff from booking_service
    where tenant_id = ${ctx.tenant.id} and id = any(${rows.map(({ serviceId }) => serviceId)}::uuid[])`);
  for (const row of rows) {
    const minutes = services.find(({ id }) => id === row.serviceId)?.cutoff ?? 0;
    if (ctx.clock.ms() > Date.parse(row.startsAt) - minutes * minuteMs)
      throw problem('cutoff_passed', {
        detail: 'The appointment can no longer be changed online. Contact the shop.',
        cancelCutoffMin: minutes,
      });
  }
}

/** Cancels all appointments of the token; those that have ended stay as they are. */
export async function cancelByCustomer(ctx: Ctx, rows: readonly Appointment[]): Promise<Appointment[]> {
  const live = rows.filter(({ status }) => !hasEnded(status));
  // When all have ended, those that weren't cancelled cause the error.
  const open = live.length > 0 ? live : rows.filter(({ status }) => status !== 'cancelled');
  for (const { status } of open) appointment.options.machine?.check(status, 'cancelled');
  await checkCutoff(ctx, open);
  const moved = new Map((await endTogether(ctx, open, 'cancel')).map((row) => [row.id, row]));
  return byStart(rows.map((row) => moved.get(row.id) ?? row));
}

/** Moves all appointments of the token, with the same staff; the first starts at `startsAt`. */
export async function rescheduleByCustomer(
  ctx: Ctx,
  rows: readonly Appointment[],
  startsAt: LocalInstant | null,
): Promise<Appointment[]> {
  if (startsAt === null) throw invalid('/startsAt', 'required', 'is required');
  const chain = byStart(rows);
  await checkCutoff(ctx, chain);
  const items = chain.map(({ serviceId, staffId }) => ({ serviceId, staffId }));
  const changes = await reschedule(ctx, chain, { items, startsAt, asCustomer: true });
  const moved: Appointment[] = [];
  for (const [i, { id, rescheduleCount }] of chain.entries()) {
    const row = await ctx.rows(appointment).update(id, changes[i] as Partial<Appointment>);
    await ctx.audit({
      entity: 'booking.appointment',
      entityId: id,
      action: 'booking.appointment.reschedule',
      before: chain[i],
      after: row,
    });
    if (row.rescheduleCount > rescheduleCount) await ctx.emit(appointmentEvents.rescheduled, { id, data: { id } });
    moved.push(row);
  }
  return moved;
}
