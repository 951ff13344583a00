import { type Ctx, f, problem, type Shape, sql, table } from '@storeloom/plugin-sdk';
import { defineExclusion, defineHolds, mapConstraintErrors } from '@storeloom/plugin-sdk/reserve';
import { type Interval, instant, overlaps } from '@storeloom/plugin-sdk/time';

const fields = {
  staffId: f.ref('booking.staff'),
  serviceId: f.ref('booking.service'),
  startsAt: f.instant(),
  endsAt: f.instant(),
  blockedFrom: f.instant(),
  blockedUntil: f.instant(),
  /** Taken seats, including holds. */
  seats: f.int({ min: 1 }),
} satisfies Shape;

/** A time that blocks a member of staff. The row exists while a seat is taken. */
export const session = table('session', fields, {
  uniques: [{ name: 'booking_session_start_key', fields: ['staffId', 'startsAt'] }],
  indexes: [{ name: 'booking_session_blocked_until_idx', fields: ['staffId', 'blockedUntil'] }],
  sqlOnly: { booking_session_staff_id_excl: 'exclusion constraint: sessions of a staff member do not overlap' },
});
export const exclusion = defineExclusion({
  table: 'booking_session',
  resource: 'staff_id',
  from: 'blocked_from',
  until: 'blocked_until',
});

/** Pending appointments, by their staff. */
export const holds = defineHolds({ entity: 'booking.appointment', resource: 'staff_id' });

/** A session in epoch milliseconds; `seats` without lapsed holds. */
export interface Session {
  id: string;
  staffId: string;
  serviceId: string;
  start: number;
  end: number;
  blocked: Interval;
  seats: number;
}

/** Sessions of the staff within a window, by start. */
export async function sessionsWithin(ctx: Ctx, staffIds: readonly string[], window: Interval): Promise<Session[]> {
  const rows = await ctx.db.rows<Omit<Session, 'blocked'> & { from: number; until: number }>(sql`
    select s.id, s.staff_id as "staffId", s.service_id as "serviceId",
      (date_part('epoch', s.starts_at) * 1000)::int8 as start, (date_part('epoch', s.ends_at) * 1000)::int8 as "end",
      (date_part('epoch', s.blocked_from) * 1000)::int8 as "from", (date_part('epoch', s.blocked_until) * 1000)::int8 as until,
      s.seats - coalesce(l.seats, 0) as seats
    ${among(ctx, staffIds, window)} order by s.blocked_from`);
  return rows.map(({ from, until, ...row }) => ({ ...row, blocked: { start: from, end: until } }));
}

/** Only the blocked ranges per member of staff, aggregated by the database: for lists of thousands of slots. */
export async function blockedWithin(ctx: Ctx, staffIds: readonly string[], window: Interval): Promise<Map<string, Interval[]>> {
  const rows = await ctx.db.rows<{ staffId: string; ranges: string }>(sql`
    select s.staff_id as "staffId", string_agg((date_part('epoch', s.blocked_from) * 1000)::int8::text || ' ' ||
      (date_part('epoch', s.blocked_until) * 1000)::int8::text, ' ') as ranges ${among(ctx, staffIds, window)} group by 1`);
  return new Map(
    rows.map(({ staffId, ranges }) => {
      const bounds = ranges.split(' ');
      const found: Interval[] = [];
      for (let i = 0; i < bounds.length; i += 2) found.push({ start: Number(bounds[i]), end: Number(bounds[i + 1]) });
      return [staffId, found];
    }),
  );
}

/** Lapsed holds don't count, expired or not. */
function among(ctx: Ctx, staffIds: readonly string[], window: Interval) {
  const tenant = ctx.tenant.id;
  return sql`
    from booking_session s left join (
      select a.staff_id, a.starts_at, sum(a.seats)::int4 as seats from booking_appointment a
      where a.tenant_id = ${tenant} and a.status = 'pending' and a.hold_expires_at <= ${ctx.clock.now()}::timestamptz group by 1, 2
    ) l on l.staff_id = s.staff_id and l.starts_at = s.starts_at
    where s.tenant_id = ${tenant} and s.staff_id = any(${[...staffIds]}::uuid[])
      and s.blocked_from < ${instant(window.end)}::timestamptz and s.blocked_until > ${instant(window.start)}::timestamptz
      and s.seats > coalesce(l.seats, 0)`;
}

export interface SeatRequest extends Interval {
  serviceId: string;
  blocked: Interval;
  seats: number;
  capacity: number;
}

/** The session that the request joins: of the same service and start. */
export const joined = (
  sessions: readonly Session[],
  { serviceId, start }: Pick<SeatRequest, 'serviceId' | 'start'>,
): Session | undefined => sessions.find((one) => one.serviceId === serviceId && one.start === start);

/** Whether a member of staff with these sessions can take the request. */
export function fits(sessions: readonly Session[], request: SeatRequest): boolean {
  const same = joined(sessions, request);
  if (same) return same.seats + request.seats <= request.capacity;
  return !sessions.some(({ blocked }) => overlaps(blocked, request.blocked));
}

/** Latest start: years around it, buffers included, have four digits. */
export const lastStart = Date.parse('9999-12-15T00:00:00Z');

export const slotTaken = () => problem('slot_taken', { detail: 'The time is taken. Choose another one.' });

/** Takes the seats. The staff must be locked, lapsed holds expired, and `fits` checked. */
export async function takeSeats(ctx: Ctx, staffId: string, request: SeatRequest): Promise<void> {
  const startsAt = instant(request.start);
  const joins = await ctx.db.run(sql`
    update booking_session set seats = seats + ${request.seats}, version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and staff_id = ${staffId} and service_id = ${request.serviceId} and starts_at = ${startsAt}
      and seats + ${request.seats} <= ${request.capacity}`);
  if (joins > 0) return;
  const refusals = { [exclusion.constraint]: slotTaken, booking_session_start_key: slotTaken };
  await mapConstraintErrors(refusals, () =>
    ctx.rows(session).insert({
      staffId,
      serviceId: request.serviceId,
      startsAt,
      endsAt: instant(request.end),
      blockedFrom: instant(request.blocked.start),
      blockedUntil: instant(request.blocked.end),
      seats: request.seats,
    }),
  );
}

/** Frees seats; the last one removes the session. The staff must be locked. */
export async function freeSeats(
  ctx: Ctx,
  { staffId, startsAt, seats }: { staffId: string; startsAt: string; seats: number },
): Promise<void> {
  const where = sql`tenant_id = ${ctx.tenant.id} and staff_id = ${staffId} and starts_at = ${startsAt}`;
  const left = await ctx.db.run(sql`
    update booking_session set seats = seats - ${seats}, version = version + 1, updated_at = ${ctx.clock.now()}
    where ${where} and seats > ${seats}`);
  if (left === 0) await ctx.db.run(sql`delete from booking_session where ${where}`);
}
