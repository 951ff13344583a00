import { describe, expect, it } from 'vitest';
import cases from './fixtures/verticals.json' with { type: 'json' };
import {
  addDays,
  addMonths,
  addYears,
  blockedRange,
  checkNotice,
  civilDate,
  findSlots,
  groupByDate,
  hours,
  type Interval,
  interval,
  minutesBetween,
  nights,
  type OpenInterval,
  overlaps,
  parseLocalDateTime,
  type Span,
  secondsBetween,
  span,
  wallTime,
  weekday,
  workDays,
} from './index.ts';

// biome-ignore lint/suspicious/noExplicitAny: the members differ by kind
type Given = any;

const windows = (given: Given, timeZone: string) =>
  hours({ timeZone, weeklyHours: { [weekday(given.date)]: given.windows as OpenInterval[] } }).on(given.date);
const found = (given: Given, timeZone: string): Interval[] =>
  findSlots({
    windows: windows(given, timeZone),
    durationMin: given.durationMin,
    intervalMin: given.slotIntervalMin,
    align: given.slotAlign ?? 'window',
    timeZone,
    ...(given.now ? { now: given.now, minNoticeMin: given.minNoticeMin } : {}),
  });
const localStarts = (list: readonly Interval[], timeZone: string) => list.map((slot) => wallTime(span(slot).start, timeZone));
const sold = (given: Given) =>
  new Set((given.sold as { checkIn: string; checkOut: string }[]).flatMap((s) => nights(s.checkIn, s.checkOut)));

/** What each kind of case comes to, as far as time decides it. */
const outcomes: Record<string, (given: Given, expected: Given) => unknown> = {
  window: (given) => {
    const made = hours({ timeZone: given.timezone, weeklyHours: { [weekday(given.date)]: [given.weeklyHours] } }).on(given.date);
    return made.length === 1 && span(made[0] as Interval);
  },
  slots: (given, expected) => {
    const list = found(given, given.timezone);
    const instants = list.map((slot) => span(slot).start);
    return {
      count: list.length,
      ...('distinct' in expected ? { distinct: new Set(instants).size === instants.length } : {}),
      ...('first' in expected ? { first: instants[0], last: instants.at(-1) } : {}),
      ...('localStarts' in expected ? { localStarts: localStarts(list, given.timezone) } : {}),
    };
  },
  slots_for_viewer: (given) => {
    const list = found(given, given.staffTimezone);
    return {
      count: list.length,
      days: [...groupByDate(list, given.viewerTimezone)].map(([date, of]) => ({
        date,
        localStarts: localStarts(of, given.viewerTimezone),
      })),
    };
  },
  overlap: (given) => {
    const blocked = (one: Span) => blockedRange(interval(one), { turnoverMin: given.turnoverMin ?? 0 });
    const taken = (given.existing as Span[]).some((one) => overlaps(blocked(one), blocked(given.wanted)));
    if (!taken) return { status: 201 };
    return { status: 409, code: 'slot_taken' };
  },
  reschedule: (given) => {
    const at = (time: string) => parseLocalDateTime({ date: '2026-05-04', time }, 'Europe/Bucharest');
    const of = (start: string): Interval => {
      const begins = interval({ start: at(start), end: at(start) }).start;
      return { start: begins, end: begins + given.durationMin * 60_000 };
    };
    // The own row is left out of what is busy.
    const busy = (given.others as { start: string; end: string }[]).map(({ start, end }) =>
      interval({ start: at(start), end: at(end) }),
    );
    const wanted = of(given.moveTo);
    const moved = !busy.some((one) => overlaps(one, wanted));
    const stays = moved ? wanted : of(given.own.start);
    const [start, end] = [span(stays).start, span(stays).end].map((one) => wallTime(one, 'Europe/Bucharest'));
    return { status: moved ? 200 : 409, ...(moved ? {} : { code: 'slot_taken' }), start, end };
  },
  room_nights: (given) => {
    const wanted = nights(given.wanted.checkIn, given.wanted.checkOut);
    if (wanted.length === 0) return { status: 422 };
    const taken = wanted.filter((night) => sold(given).has(night));
    return taken.length === 0 ? { status: 201 } : { status: 409, code: 'room_unavailable', nights: taken };
  },
  nights: (given) => {
    const dates = nights(given.checkIn, given.checkOut);
    return { nights: dates.length, nightlyRates: dates.length, dates };
  },
  past_slot: (given) => {
    const offered = findSlots({
      windows: hours({
        timeZone: given.timezone,
        weeklyHours: { mon: [{ start: '10:00', end: '23:00' }] },
      }).on('2026-05-04'),
      durationMin: 60,
      now: given.now,
    });
    expect(offered.length).toBeGreaterThan(0);
    const code = checkNotice(given.startsAt, { now: given.now });
    return { offered: offered.some((slot) => span(slot).start === given.startsAt), status: code ? 422 : 201, code };
  },
  move_to_table: (given) => ({ status: overlaps(interval(given.target.busy), interval(given.reservation)) ? 409 : 200 }),
  leave_days: (given) => {
    const dates = new Set(given.holidays as string[]);
    const on = (date: string) => (dates.has(date) ? { date, name: {} } : undefined);
    return { days: workDays({ days: given.workDays, holidays: { on, of: () => [] } }).count(given.from, given.to) };
  },
  attendance: (given) => ({
    workedMin: minutesBetween(given.in, given.out) - given.breakMin,
    date: civilDate(given.in, given.timezone),
  }),
  duration: (given) => ({ seconds: secondsBetween(given.startedAt, given.endedAt) }),
  renewals: (given) => ({
    renewals: Array.from({ length: given.count }, (_, i) =>
      given.interval === 'year' ? addYears(given.anchor, i + 1) : addMonths(given.anchor, i + 1),
    ),
  }),
  freeze: (given) => ({ endDate: addDays(given.endDate, given.frozenDays) }),
};

describe('fixtures/verticals.json', () => {
  it.each(cases.map((one) => [one.id, one] as const))('%s', (_, { given, expect: expected }) => {
    expect(outcomes[given.kind]?.(given, expected)).toEqual(expected);
  });
});
