import { f, listOf, notFound, route } from '@storeloom/plugin-sdk';
import { clamp, dayBounds, eachDay, epoch, type Interval, span, subtract } from '@storeloom/plugin-sdk/time';
import { readDays, type Taken, takenTimes } from './availability.ts';
import { freeStarts } from './free.ts';
import { rosterOf } from './roster.ts';
import { zoneOf } from './settings.ts';

const time = { start: f.instant(), end: f.instant() };
const within = (times: readonly Interval[], day: Interval): Interval[] => times.flatMap((one) => clamp(one, day) ?? []);

export const availabilityCalendar = route(
  'GET',
  '/availability-calendar',
  {
    summary: 'Working, busy and free times of staff; with a service its possible starts',
    permission: 'booking.appointment.read',
    query: {
      from: f.date(),
      to: f.date(),
      staffId: f.id().optional(),
      serviceId: f.id().optional(),
      timezone: f.timeZone().optional(),
    },
    response: {
      staffId: f.id(),
      date: f.date(),
      working: f.list(f.object(time)),
      busy: f.list(f.object({ ...time, kind: f.oneOf(['appointment', 'busy']) })),
      free: f.list(f.object(time)),
    },
    list: true,
    problems: ['not_found'],
  },
  async (ctx, { query }) => {
    const timezone = query.timezone ?? zoneOf(ctx);
    const bounds = readDays(query, timezone, 62);
    const { services, workers } = await rosterOf(ctx);
    const { staffId, serviceId } = query;
    const service = serviceId === null ? undefined : services.get(serviceId);
    if (serviceId !== null && !service) throw notFound();
    if (staffId !== null && !workers.some(({ row }) => row.id === staffId)) throw notFound();
    const asked = workers.filter(
      ({ row }) => (staffId === null || row.id === staffId) && (!service || row.serviceIds.includes(service.id)),
    );
    const taken = await takenTimes(ctx, asked, bounds, (service?.capacity ?? 1) > 1);
    const dates = eachDay(query.from, query.to).map((date) => {
      const day = dayBounds(date, date, timezone);
      return { date, start: epoch(day.start), end: epoch(day.end) };
    });
    const rows = asked.flatMap(({ row, hours }, i) => {
      const { blocked, sessions, elsewhere } = taken[i] as Taken;
      const all = [...blocked, ...elsewhere];
      return dates.map((day) => {
        const working = within(hours.between(day.start, day.end), day);
        const busy = [
          ...within(blocked, day).map((one) => ({ ...span(one), kind: 'appointment' as const })),
          ...within(elsewhere, day).map((one) => ({ ...span(one), kind: 'busy' as const })),
        ].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
        const { turnoverMin } = row;
        const free = service
          ? freeStarts({ service, turnoverMin, hours, busy: all, sessions, from: day.start, until: day.end })
          : subtract(working, all);
        return { staffId: row.id, date: day.date, working: working.map(span), busy, free: free.map(span) };
      });
    });
    return listOf(rows);
  },
);
