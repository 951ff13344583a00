import { type Ctx, domainError, invalid, type Problem, problem, referenceNotFound, selectRows, sql } from '@storeloom/plugin-sdk';
import { findBusyTimes } from '@storeloom/plugin-sdk/calendar';
import { withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import {
  blockedRange,
  checkNotice,
  civilDate,
  dayBounds,
  epoch,
  type Interval,
  instant,
  type LocalInstant,
  minuteMs,
  overlaps,
  parseInstant,
} from '@storeloom/plugin-sdk/time';
import { type Service, service } from './service.ts';
import {
  fits,
  freeSeats,
  holds,
  joined,
  lastStart,
  type SeatRequest,
  type Session,
  sessionsWithin,
  slotTaken,
  takeSeats,
} from './session.ts';
import { zoneOf } from './settings.ts';
import { staff } from './staff.ts';
import type { Staff } from './staff-fields.ts';
import { isWithin, notWorkingProblem, workingHours } from './working.ts';

export interface Item {
  serviceId: string;
  /** Null: any staff who offer the service. */
  staffId: string | null;
}
export interface Request {
  /** Consecutive, the first at `startsAt`. */
  items: readonly Item[];
  startsAt: string | LocalInstant;
  seats: number;
  /** Notice, busy times in other plugins and inactive services (unless booked before) apply to customers only. */
  asCustomer: boolean;
  /** Appointments that are being moved: their seats are freed first, and kept if the request is refused. */
  own?: readonly { staffId: string; startsAt: string; seats: number }[];
}
export interface Placed extends SeatRequest {
  service: Service;
  staff: Staff;
}

/**
 * Takes the time of staff for one or several consecutive services, all or nothing, behind the lock of all possible staff. Hopeless requests
 * are refused before they wait for the lock.
 * @throws 404 with the pointer; 409 `slot_taken`, `staff_unavailable`; 422 `outside_hours`, `too_soon`, `too_far`, and as `parseInstant`
 */
export async function place(ctx: Ctx, request: Request): Promise<Placed[]> {
  const [services, candidates] = await Promise.all([servicesOf(ctx, request), candidatesOf(ctx, request)]);
  const zone = candidates[0]?.find(({ id }) => id === request.items[0]?.staffId)?.timezone ?? zoneOf(ctx);
  const start = epoch(parseInstant(request.startsAt, zone, '/startsAt'));
  if (start > lastStart) throw domainError('/startsAt', 'too_far', 'is too far in advance');
  const spans = chain(services, start);
  if (request.asCustomer) requireNotice(ctx, services, spans);
  const people = [...new Map(candidates.flat().map((row) => [row.id, row])).values()];
  const away = request.asCustomer ? await awayOf(ctx, people, spans) : new Map<string, Interval[]>();
  const own = request.own ?? [];
  const ids = [...people.map(({ id }) => id), ...own.map(({ staffId }) => staffId)];
  const decide = async (rows: readonly Staff[]): Promise<Placed[]> => {
    const known = new Map(rows.map((row) => [row.id, row]));
    const sessions = await sessionsWithin(ctx, ids, aroundDay(ctx, spans));
    const loads = loadsOf(ctx, sessions, start);
    const placed: Placed[] = [];
    for (const [i, { staffId }] of request.items.entries()) {
      const part = { service: services[i] as Service, span: spans[i] as Interval, seats: request.seats, previous: placed.at(-1) };
      const able = (candidates[i] as Staff[]).map(({ id }) => known.get(id) as Staff).sort(byTurn(loads));
      const chosen = choose(ctx, able, sessions, away, part, staffId !== null);
      sessions.push({ ...chosen, id: '', staffId: chosen.staff.id });
      placed.push(chosen);
    }
    return placed.map(withoutInnerBuffers);
  };
  if (own.length === 0) await decide(people);
  return withResourceLocks(
    ctx,
    staff,
    ids,
    async (rows) => {
      for (const one of own) await freeSeats(ctx, one);
      const placed = await decide(rows);
      for (const one of placed) await takeSeats(ctx, one.staff.id, one);
      return placed;
    },
    { holds },
  );
}

const of = (sessions: readonly Session[], staffId: string): Session[] => sessions.filter((one) => one.staffId === staffId);

const pointerOf = ({ items }: Request, i: number, member: string): string =>
  items.length === 1 ? `/${member}` : `/items/${i}/${member}`;

/** The services, locked against deletion. */
async function servicesOf(ctx: Ctx, request: Request): Promise<Service[]> {
  const ids = [...new Set(request.items.map(({ serviceId }) => serviceId))].sort();
  const [, rows] = await Promise.all([
    ctx.db.rows(
      sql`select id from booking_service where tenant_id = ${ctx.tenant.id} and id = any(${ids}::uuid[]) order by id for key share`,
    ),
    ctx.rows(service).find({ id: ids }),
  ]);
  return request.items.map(({ serviceId }, i) => {
    const found = rows.find(({ id }) => id === serviceId);
    if (!found || (request.asCustomer && !request.own && !found.isActive))
      throw referenceNotFound(pointerOf(request, i, 'serviceId'));
    if (request.seats > found.capacity) throw invalid('/seats', 'too_large', `must be at most ${found.capacity}`);
    return found;
  });
}

async function candidatesOf(ctx: Ctx, request: Request): Promise<Staff[][]> {
  const { items } = request;
  const named = items.flatMap(({ staffId }) => staffId ?? []);
  const open = items.filter(({ staffId }) => staffId === null).map(({ serviceId }) => serviceId);
  const rows = await selectRows(
    ctx,
    staff,
    sql`t.id = any(${named}::uuid[]) or (t.is_active and t.service_ids ?| ${open}::text[])`,
  );
  return items.map(({ serviceId, staffId }, i) => {
    if (staffId === null) return rows.filter((row) => row.isActive && row.serviceIds.includes(serviceId));
    const found = rows.find(({ id }) => id === staffId);
    if (!found) throw referenceNotFound(pointerOf(request, i, 'staffId'));
    return [found];
  });
}

function chain(services: readonly Service[], start: number): Interval[] {
  let at = start;
  return services.map(({ durationMin }) => {
    const span = { start: at, end: at + durationMin * minuteMs };
    at = span.end;
    return span;
  });
}

function requireNotice(ctx: Ctx, services: readonly Service[], spans: readonly Interval[]): void {
  for (const [i, { minNoticeMin, maxAdvanceDays }] of services.entries()) {
    const maxAdvanceMin = maxAdvanceDays === null ? undefined : maxAdvanceDays * 1440;
    const fault = checkNotice((spans[i] as Interval).start, { now: ctx.clock.ms(), minNoticeMin, maxAdvanceMin });
    if (fault === 'too_soon')
      throw domainError('/startsAt', fault, 'is too soon: the minimum notice is not met', { minNoticeMin });
    if (fault === 'too_far') throw domainError('/startsAt', fault, 'is too far in advance', { maxAdvanceDays });
  }
}

/** Busy times of the staff in other plugins. */
async function awayOf(ctx: Ctx, people: readonly Staff[], spans: readonly Interval[]): Promise<Map<string, Interval[]>> {
  const from = instant((spans[0] as Interval).start);
  const to = instant((spans.at(-1) as Interval).end);
  const busy = await findBusyTimes(ctx, { from, to, people });
  return new Map(
    people.map(({ id }, i) => [id, (busy[i] ?? []).map(({ start, end }) => ({ start: epoch(start), end: epoch(end) }))]),
  );
}

/** The day of the start, for the loads, and the range that the request may touch. */
function aroundDay(ctx: Ctx, spans: readonly Interval[]): Interval {
  const [start, end] = [(spans[0] as Interval).start, (spans.at(-1) as Interval).end];
  const date = civilDate(instant(start), zoneOf(ctx));
  const day = dayBounds(date, date, zoneOf(ctx));
  // Buffers and turnover are at most a day each.
  return { start: Math.min(epoch(day.start), start - 1440 * minuteMs), end: Math.max(epoch(day.end), end + 2880 * minuteMs) };
}

/** Sessions per member of staff on the day, to spread the work. */
function loadsOf(ctx: Ctx, sessions: readonly Session[], at: number): Map<string, number> {
  const date = civilDate(instant(at), zoneOf(ctx));
  const day = dayBounds(date, date, zoneOf(ctx));
  const loads = new Map<string, number>();
  for (const { staffId, start } of sessions)
    if (start >= epoch(day.start) && start < epoch(day.end)) loads.set(staffId, (loads.get(staffId) ?? 0) + 1);
  return loads;
}
const byTurn =
  (loads: ReadonlyMap<string, number>) =>
  (a: Staff, b: Staff): number =>
    a.priority - b.priority || (loads.get(a.id) ?? 0) - (loads.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1);

/** No buffer between two services of one customer by the same member of staff. */
function withoutInnerBuffers(one: Placed, i: number, all: readonly Placed[]): Placed {
  const start = all[i - 1]?.staff.id === one.staff.id ? one.start : one.blocked.start;
  const end = all[i + 1]?.staff.id === one.staff.id ? one.end : one.blocked.end;
  return { ...one, blocked: { start, end } };
}

interface Part {
  service: Service;
  span: Interval;
  seats: number;
  previous: Placed | undefined;
}

/** The first member of staff, by turn, who can take the part. */
function choose(
  ctx: Ctx,
  able: readonly Staff[],
  sessions: readonly Session[],
  away: ReadonlyMap<string, Interval[]>,
  part: Part,
  named: boolean,
): Placed {
  const reasons: Problem[] = [];
  for (const row of able) {
    const found = tryStaff(ctx, row, of(sessions, row.id), away.get(row.id) ?? [], part);
    if ('taken' in found) return { ...found.taken, service: part.service, staff: row };
    reasons.push(found.reason);
  }
  if (named || reasons.length === 1) throw reasons[0] as Problem;
  const byCode = (code: string) => reasons.find((reason) => reason.code === code);
  throw (
    byCode('slot_taken') ??
    byCode('staff_unavailable') ??
    byCode('outside_hours') ??
    problem('staff_unavailable', { detail: 'No active member of staff offers this service.' })
  );
}

function tryStaff(
  ctx: Ctx,
  row: Staff,
  sessions: readonly Session[],
  away: readonly Interval[],
  { service: offered, span, seats, previous }: Part,
): { taken: SeatRequest } | { reason: Problem } {
  if (!row.isActive || !row.serviceIds.includes(offered.id))
    return { reason: problem('staff_unavailable', { detail: 'The member of staff does not offer this service.' }) };
  const end = joined(sessions, { serviceId: offered.id, start: span.start })?.end ?? span.end;
  const wanted = { start: span.start, end };
  if (!isWithin(workingHours(ctx, row), wanted)) return { reason: notWorkingProblem(row, wanted) };
  if (away.some((one) => overlaps(one, wanted)))
    return { reason: problem('staff_unavailable', { detail: 'The member of staff is busy elsewhere.' }) };
  const { bufferBeforeMin, bufferAfterMin, capacity } = offered;
  const blocked = blockedRange(wanted, { beforeMin: bufferBeforeMin, afterMin: bufferAfterMin, turnoverMin: row.turnoverMin });
  const taken: SeatRequest = { ...wanted, serviceId: offered.id, blocked, seats, capacity };
  const others = previous?.staff.id === row.id ? sessions.filter((one) => one.start !== previous.start) : sessions;
  return fits(others, taken) ? { taken } : { reason: slotTaken() };
}
