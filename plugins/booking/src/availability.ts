import { type Ctx, f, invalidParameter, notFound, route } from '@storeloom/plugin-sdk';
import { findBusyTimes } from '@storeloom/plugin-sdk/calendar';
import {
  dayBounds,
  dayMs,
  daysBetween,
  epoch,
  formatWithOffset,
  groupByDate,
  type Interval,
  instant,
  minuteMs,
} from '@storeloom/plugin-sdk/time';
import { type FreeStart, freeStarts, mergeStarts } from './free.ts';
import { rosterOf, type Worker } from './roster.ts';
import { blockedWithin, type Session, sessionsWithin } from './session.ts';
import { zoneOf } from './settings.ts';

/** Bounds of civil days. @throws 400 for an end before the start, or too many days */
export function readDays({ from, to }: { from: string; to: string }, timeZone: string, maxDays: number) {
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw invalidParameter('to', 'must not be before from');
  if (days > maxDays) throw invalidParameter('to', `must be at most ${maxDays - 1} days after from`);
  return dayBounds(from, to, timeZone);
}

export interface Taken {
  /** Blocked ranges of sessions. */
  blocked: readonly Interval[];
  /** The sessions, where requested. */
  sessions: readonly Session[];
  /** Busy times in other plugins. */
  elsewhere: readonly Interval[];
}

/** Taken times of the workers within a range, in their order. */
export async function takenTimes(
  ctx: Ctx,
  workers: readonly Worker[],
  { start, end }: { start: string; end: string },
  withSessions: boolean,
): Promise<Taken[]> {
  const people = workers.map(({ row }) => row);
  const ids = people.map(({ id }) => id);
  // A session may begin before the range, and block after it: a day each for the service, its buffers and the turnover.
  const window: Interval = { start: epoch(start) - 1440 * minuteMs, end: epoch(end) + 4320 * minuteMs };
  const [sessions, blocked, busy] = await Promise.all([
    withSessions ? sessionsWithin(ctx, ids, window) : [],
    withSessions ? new Map<string, Interval[]>() : blockedWithin(ctx, ids, window),
    findBusyTimes(ctx, { from: start, to: instant(epoch(end) + dayMs), people }),
  ]);
  return ids.map((id, i) => {
    const own = sessions.filter(({ staffId }) => staffId === id);
    return {
      blocked: withSessions ? own.map((one) => one.blocked) : (blocked.get(id) ?? []),
      sessions: own,
      elsewhere: (busy[i] ?? []).map((time) => ({ start: epoch(time.start), end: epoch(time.end) })),
    };
  });
}

const slot = f.object({
  start: f.text().describe('With the offset of the time zone.'),
  end: f.text(),
  seatsLeft: f.int().optional().describe('For group services.'),
});

export const publicAvailability = route(
  'GET',
  '/booking/availability',
  {
    summary: "Free times of a service, by days in the viewer's time zone",
    query: {
      serviceId: f.id(),
      staffId: f.id().optional(),
      from: f.date(),
      to: f.date(),
      timezone: f.timeZone().optional(),
    },
    response: { timezone: f.timeZone(), days: f.list(f.object({ date: f.date(), slots: f.list(slot) })) },
  },
  async (ctx, { query }) => {
    const timezone = query.timezone ?? zoneOf(ctx);
    const bounds = readDays(query, timezone, 31);
    const { services, workers } = await rosterOf(ctx);
    const service = services.get(query.serviceId);
    if (!service?.isActive) throw notFound();
    if (query.staffId !== null && !workers.some(({ row }) => row.id === query.staffId)) throw notFound();
    const able = workers.filter(
      ({ row }) => row.serviceIds.includes(service.id) && (query.staffId === null || row.id === query.staffId),
    );
    const taken = await takenTimes(ctx, able, bounds, service.capacity > 1);
    const now = ctx.clock.ms();
    const lists = able.map(({ row: { turnoverMin }, hours }, i) => {
      const { blocked, sessions, elsewhere } = taken[i] as Taken;
      const busy = elsewhere.length === 0 ? blocked : [...blocked, ...elsewhere];
      return freeStarts({ service, turnoverMin, hours, busy, sessions, from: bounds.start, until: bounds.end, now });
    });
    return { timezone, days: daysOf(mergeStarts(lists), timezone) };
  },
);

function daysOf(free: readonly FreeStart[], timezone: string) {
  return [...groupByDate(free, timezone)].map(([date, starts]) => ({
    date,
    slots: starts.map(({ start, end, seats }) => ({
      start: formatWithOffset(start, timezone),
      end: formatWithOffset(end, timezone),
      seatsLeft: seats ?? null,
    })),
  }));
}
