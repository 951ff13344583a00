import { type CivilDate, civilDateOf, civilDay, dayStart, type WallTime, type Weekday, wallMinutes, weekdayOf } from './civil.ts';
import type { HolidayCalendar } from './holidays.ts';
import { dayMs, epoch, type Instant } from './instant.ts';
import { type Interval, merge, subtract } from './interval.ts';
import { openingBound } from './local.ts';
import { offsetAt } from './zone.ts';

/** Opening hours within a day, in wall time. */
export interface OpenInterval {
  /** Wall time `HH:mm`. */
  start: WallTime;
  /** Wall time; before `start` it is on the next day. `24:00` is the end of the same day. */
  end: WallTime;
}
/** Opening hours by day of the week. */
export type WeeklyHours = Record<Weekday, OpenInterval[]>;

/** Opening hours of one date, instead of those of its day of the week. */
export interface DateOverride {
  /** Civil date. */
  date: CivilDate;
  /** True: no opening hours. */
  closed?: boolean;
  /** Opening hours; none if absent. */
  intervals?: readonly Readonly<OpenInterval>[];
}

/** Opening or working hours, with their exceptions. */
export interface HoursDefinition {
  /** IANA time zone of the wall times. */
  timeZone: string;
  /** Opening hours by day of the week; a missing day is closed. */
  weeklyHours: Partial<Readonly<Record<Weekday, readonly Readonly<OpenInterval>[]>>>;
  /** Breaks by day of the week. They apply to the date they fall on, also within hours that began the evening before. */
  breaks?: Partial<Readonly<Record<Weekday, readonly Readonly<OpenInterval>[]>>>;
  /** Opening hours of single dates. */
  overrides?: readonly Readonly<DateOverride>[];
  /** Half-open ranges of instants without opening hours. */
  timeOff?: readonly Readonly<{ from: Instant; to: Instant }>[];
  /** Ranges of civil dates in `timeZone`, both included, without opening hours. */
  daysOff?: readonly Readonly<{ from: CivilDate; to: CivilDate }>[];
  /** Civil dates that are closed, also if an override opens them, including the rest of a night that began before. */
  closedDays?: readonly CivilDate[];
  /** Time zone of `closedDays` if it is another one: the tenant's, for staff elsewhere. */
  closedDaysZone?: string;
  /** Public holidays: closed unless an override opens them. */
  holidays?: HolidayCalendar;
}

/** A range of open time in milliseconds. */
export interface Window extends Interval {
  /** Start of the hours that the window is a part of; slot grids begin there. */
  readonly origin: number;
}

/** Opening hours, prepared by `hours`. */
export interface Hours {
  /** IANA time zone of the wall times. */
  readonly timeZone: string;
  /** Returns the windows that begin on a civil date; the last one can end on the next date. */
  on(date: CivilDate): Window[];
  /**
   * Returns the windows that overlap a range of time, uncut and in order. For a day of a viewer pass `dayBounds` of the viewer's
   * time zone.
   */
  between(start: Instant | number, end: Instant | number): Window[];
  /** Returns true if an instant is within opening hours. */
  isOpen(at: Instant | number): boolean;
}

const msOf = (at: Instant | number): number => (typeof at === 'number' ? at : epoch(at));

/** Wall times in minutes; an end after midnight is above 1440. */
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
 * Prepares opening or working hours for repeated queries. For each civil date: its override, or nothing on a public holiday, or
 * the hours of the weekday; less breaks, time off and closed days. A bound inside a clock change moves as `resolveBound` says.
 *
 * @throws RangeError for an invalid wall time, or hours without a length
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
    // Hours entirely within a skipped hour have no length.
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
    // Hours that began on the evening before can still be open.
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
/** Cached days of one place: about a year. */
const mostDays = 400;
