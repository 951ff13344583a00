import { type CivilDate, civilDateOf, civilDay, dayStart, type WallTime, type Weekday, wallMinutes, weekdayOf } from './civil.ts';
import type { HolidayCalendar } from './holidays.ts';
import { dayMs, epoch, type Instant } from './instant.ts';
import { type Interval, merge, subtract } from './interval.ts';
import { openingBound } from './local.ts';
import { offsetAt } from './zone.ts';

/** Wall times of one day. An end before its start lies on the next day; `24:00` is the day's own end. */
export interface OpenInterval {
  start: WallTime;
  end: WallTime;
}
export type WeeklyHours = Record<Weekday, OpenInterval[]>;

/** Hours of one date, instead of the weekday's. `closed`, or no intervals: none. */
export interface DateOverride {
  date: CivilDate;
  closed?: boolean;
  intervals?: readonly Readonly<OpenInterval>[];
}

export interface HoursDefinition {
  /** The zone whose wall the hours hang on. */
  timeZone: string;
  weeklyHours: Partial<Readonly<Record<Weekday, readonly Readonly<OpenInterval>[]>>>;
  /** By weekday as well; those of the date they fall on count, also within hours that began the evening before. */
  breaks?: Partial<Readonly<Record<Weekday, readonly Readonly<OpenInterval>[]>>>;
  overrides?: readonly Readonly<DateOverride>[];
  /** Half-open instants. */
  timeOff?: readonly Readonly<{ from: Instant; to: Instant }>[];
  /** Civil dates of `timeZone`, both included. */
  daysOff?: readonly Readonly<{ from: CivilDate; to: CivilDate }>[];
  /** Whole days that take everything away, overrides too, and the rest of a night that began before. */
  closedDays?: readonly CivilDate[];
  /** The zone of `closedDays` where it is another one: a tenant's, for staff elsewhere. */
  closedDaysZone?: string;
  /** No hours of their own on these dates, unless an override gives some. */
  holidays?: HolidayCalendar;
}

/** Open time. `origin` is the start of the hours it is a part of: the grid of slots begins there, whatever was cut off. */
export interface Window extends Interval {
  readonly origin: number;
}

export interface Hours {
  readonly timeZone: string;
  /** The windows that begin on a civil date; the last may end on the next. */
  on(date: CivilDate): Window[];
  /** The windows that overlap a stretch of time, whole, in order. For one day of a viewer: `dayBounds` of the viewer's zone. */
  between(start: Instant | number, end: Instant | number): Window[];
  isOpen(at: Instant | number): boolean;
}

const msOf = (at: Instant | number): number => (typeof at === 'number' ? at : epoch(at));

/** Wall times in minutes, an end past midnight beyond 1440. */
type Bounds = readonly { start: number; end: number }[];
function bounds(intervals: readonly Readonly<OpenInterval>[] | undefined): Bounds {
  return (intervals ?? []).map(({ start, end }) => {
    const from = wallMinutes(start);
    const to = wallMinutes(end);
    if (to === from) throw new RangeError(`hours from ${start} to ${end} have no length`);
    return { start: from, end: to < from ? to + 1440 : to };
  });
}
const byWeekday = (hours: HoursDefinition['weeklyHours'] = {}): ReadonlyMap<string, Bounds> =>
  new Map(Object.entries(hours).map(([day, intervals]) => [day, bounds(intervals)]));

/**
 * Opening or working hours, read once and asked often. For a civil date: its override, else nothing on a holiday, else the weekday's
 * hours; each bound made an instant by the policy for clock changes; less breaks, time off and closed days.
 */
export function hours(definition: HoursDefinition): Hours {
  const { timeZone, closedDaysZone = timeZone, holidays } = definition;
  const weekly = byWeekday(definition.weeklyHours);
  const breaks = byWeekday(definition.breaks);
  const hasBreaks = [...breaks.values()].some((list) => list.length > 0);
  const overrides = new Map(
    (definition.overrides ?? []).map((one) => [civilDay(one.date), one.closed ? [] : bounds(one.intervals)]),
  );
  const days = (from: CivilDate, to: CivilDate, zone: string): Interval => ({
    start: dayStart(civilDay(from), zone),
    end: dayStart(civilDay(to) + 1, zone),
  });
  const closed = merge([
    ...(definition.timeOff ?? []).map(({ from, to }) => ({ start: epoch(from), end: epoch(to) })),
    ...(definition.daysOff ?? []).map(({ from, to }) => days(from, to, timeZone)),
    ...(definition.closedDays ?? []).map((date) => days(date, date, closedDaysZone)),
  ]);

  const place = (day: number, list: Bounds): Interval[] =>
    list.map(({ start, end }) => ({
      start: openingBound(day, start, timeZone, 'start'),
      end: openingBound(day, end, timeZone, 'end'),
    }));

  function hoursOf(day: number): Bounds {
    const override = overrides.get(day);
    if (override) return override;
    if (holidays?.on(civilDateOf(day))) return [];
    return weekly.get(weekdayOf(day)) ?? [];
  }

  function windowsOf(day: number): Window[] {
    // Hours that lie wholly in a gap have no length.
    const open = place(day, hoursOf(day)).filter((one) => one.end > one.start);
    if (open.length === 0) return [];
    const first = Math.min(...open.map((one) => one.start));
    const last = Math.max(...open.map((one) => one.end));
    const cuts = closed.filter((one) => one.start < last && one.end > first);
    if (hasBreaks) for (const near of [day - 1, day, day + 1]) cuts.push(...place(near, breaks.get(weekdayOf(near)) ?? []));
    return open
      .flatMap((one) => (cuts.length === 0 ? [one] : subtract([one], cuts)).map((part) => ({ ...part, origin: one.start })))
      .sort((a, b) => a.start - b.start);
  }

  const known = new Map<number, Window[]>();
  const on = (day: number): Window[] => {
    let windows = known.get(day);
    if (!windows) {
      if (known.size >= mostDays) known.clear();
      known.set(day, (windows = windowsOf(day)));
    }
    return windows;
  };
  const dayOf = (ms: number): number => Math.floor((ms + offsetAt(ms, timeZone)) / dayMs);

  function between(from: number, to: number): Window[] {
    const windows: Window[] = [];
    // Hours that began the evening before may still be open.
    for (let day = dayOf(from) - 1; day <= dayOf(to); day += 1)
      for (const window of on(day)) if (window.start < to && window.end > from) windows.push(window);
    return windows.sort((a, b) => a.start - b.start || a.end - b.end);
  }
  return {
    timeZone,
    on: (date) => [...on(civilDay(date))],
    between: (start, end) => between(msOf(start), msOf(end)),
    isOpen: (at) => between(msOf(at), msOf(at) + 1).length > 0,
  };
}
/** A year of one place is kept. */
const mostDays = 400;
