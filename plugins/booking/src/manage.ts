import { type Ctx, invalid, problem, sql } from '@storeloom/plugin-sdk';
import { type LocalInstant, minuteMs } from '@storeloom/plugin-sdk/time';
import { appointment, endTogether, reschedule } from './appointment.ts';
import { type Appointment, hasEnded } from './appointment-fields.ts';

const byStart = (rows: readonly Appointment[]): Appointment[] => rows.toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1));

/** Customers may change until so long before the start. @throws 409 `cutoff_passed` */
async function checkCutoff(ctx: Ctx, rows: readonly Appointment[]): Promise<void> {
  const services = await ctx.db.rows<{ id: string; cutoff: number }>(sql`
    select id, cancel_cutoff_min as cutoff from booking_service
    where tenant_id = ${ctx.tenant.id} and id = any(${rows.map(({ serviceId }) => serviceId)}::uuid[])`);
  for (const row of rows) {
    const minutes = services.find(({ id }) => id === row.serviceId)?.cutoff ?? 0;
    if (ctx.clock.ms() > Date.parse(row.startsAt) - minutes * minuteMs)
      throw problem('cutoff_passed', {
        detail: 'The deadline for online changes has passed. Contact the shop.',
        cancelCutoffMin: minutes,
      });
  }
}

/** All that a token opens ends together; what has ended so already stays as it is. */
export async function cancelByCustomer(ctx: Ctx, rows: readonly Appointment[]): Promise<Appointment[]> {
  const live = rows.filter(({ status }) => !hasEnded(status));
  // Where nothing is left, what wasn't cancelled says why it can't be.
  const open = live.length > 0 ? live : rows.filter(({ status }) => status !== 'cancelled');
  for (const { status } of open) appointment.options.machine?.check(status, 'cancelled');
  await checkCutoff(ctx, open);
  const moved = new Map((await endTogether(ctx, open, 'cancel')).map((row) => [row.id, row]));
  return byStart(rows.map((row) => moved.get(row.id) ?? row));
}

/** The chain moves as it is, with the same people; the first begins at `startsAt`. */
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
    const row = (await ctx.rows(appointment).update(id, changes[i] as Appointment)) as Appointment;
    await ctx.audit({
      entity: 'booking.appointment',
      entityId: id,
      action: 'booking.appointment.reschedule',
      before: chain[i] as Appointment,
      after: row,
    });
    if (row.rescheduleCount > rescheduleCount) await ctx.emit('booking.appointment.rescheduled', { id, data: { id } });
    moved.push(row);
  }
  return moved;
}
