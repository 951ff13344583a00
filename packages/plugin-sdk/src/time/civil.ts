import { Temporal } from 'temporal-polyfill';
import { dayMs, epoch, type Instant, instant } from './instant.ts';
import { offsetAt, readWall } from './zone.ts';

/** A calendar date without a time zone, `2026-11-27`. */
export type CivilDate = string;

/** A wall-clock time `HH:mm`, meaningful only with a zone and a date. The end of opening hours can be `24:00`. */
export type WallTime = string;

/** Monday first (ISO 8601). */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** A day of the week. */
export type Weekday = (typeof weekdays)[number];

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/** Returns midnight UTC in milliseconds, NaN for an invalid date: `Date.parse` alone reads 30 February as 2 March. */
function midnightOf(date: string): number {
  const ms = datePattern.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) || !instant(ms).startsWith(date) ? Number.NaN : ms;
}

/** Returns true for an existing calendar date `YYYY-MM-DD`. */
export function isCivilDate(value: string): boolean {
  return !Number.isNaN(midnightOf(value));
}

/** Returns the days since 1970-01-01. A `RangeError` for anything but a civil date. */
export function civilDay(date: CivilDate): number {
  const ms = midnightOf(date);
  if (Number.isNaN(ms)) throw new RangeError(`${date} is not a date YYYY-MM-DD`);
  return ms / dayMs;
}

/** Returns the civil date of a number of days since 1970-01-01. */
export function civilDateOf(day: number): CivilDate {
  return instant(day * dayMs).slice(0, 10);
}

/**
 * Returns the minutes from 00:00 to a wall time.
 *
 * @throws RangeError for anything but `HH:mm` up to `24:00`
 */
export function wallMinutes(time: WallTime): number {
  const match = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(time);
  if (!match) throw new RangeError(`${time} is not a time HH:mm`);
  return match[1] === undefined ? 1440 : Number(match[1]) * 60 + Number(match[2]);
}

/** Returns the civil date of an instant in a time zone. */
export function civilDate(at: Instant, timeZone: string): CivilDate {
  const ms = epoch(at);
  return instant(ms + offsetAt(ms, timeZone)).slice(0, 10);
}

/** Returns the wall time `HH:mm` of an instant in a time zone. */
export function wallTime(at: Instant, timeZone: string): WallTime {
  const ms = epoch(at);
  return instant(ms + offsetAt(ms, timeZone)).slice(11, 16);
}

/** Returns the first instant of a civil day in milliseconds: 01:00 if clocks go forward at midnight. */
export function dayStart(day: number, timeZone: string): number {
  const { instants, afterGap } = readWall(day * dayMs, timeZone);
  return (instants[0] ?? afterGap) as number;
}

/**
 * Returns the half-open instants `[start, end)` of the civil days from `from` to `to`, both included, in a time zone. A day on
 * which clocks change has 23 or 25 hours.
 */
export function dayBounds(from: CivilDate, to: CivilDate, timeZone: string): { start: Instant; end: Instant } {
  return { start: instant(dayStart(civilDay(from), timeZone)), end: instant(dayStart(civilDay(to) + 1, timeZone)) };
}

/** Returns the civil date `days` later; earlier for a negative number. */
export function addDays(date: CivilDate, days: number): CivilDate {
  return civilDateOf(civilDay(date) + days);
}

/**
 * Returns the date `months` after the anchor, or the last day of a shorter month: 31 January + 1 month = 28 February, + 2 = 31
 * March. Always count from the anchor, not from the previous result.
 */
export function addMonths(anchor: CivilDate, months: number): CivilDate {
  return Temporal.PlainDate.from(anchor).add({ months }).toString();
}

/** Returns the date `years` after the anchor: 29 February + 1 year = 28 February, + 4 = 29 February. */
export function addYears(anchor: CivilDate, years: number): CivilDate {
  return addMonths(anchor, years * 12);
}

/** Returns the first `anchor + n × months` (n ≥ 1) after a date, and its n. A year is 12 months. */
export function nextAnniversary(anchor: CivilDate, months: number, after: CivilDate): { date: CivilDate; count: number } {
  const from = Temporal.PlainDate.from(anchor);
  const passed = from.until(Temporal.PlainDate.from(after), { largestUnit: 'month' }).months;
  // Short months make the estimate at most one too low. The anchor itself doesn't count.
  let count = Math.max(1, Math.floor(passed / months));
  while (addMonths(anchor, count * months) <= after) count += 1;
  return { date: addMonths(anchor, count * months), count };
}

/** Returns the days from `from` to `to`, `to` excluded; negative if `to` is earlier. */
export function daysBetween(from: CivilDate, to: CivilDate): number {
  return civilDay(to) - civilDay(from);
}

/** Returns every civil date from `from` to `to`, both included; none if `to` is earlier. */
export function eachDay(from: CivilDate, to: CivilDate): CivilDate[] {
  const first = civilDay(from);
  return Array.from({ length: Math.max(0, civilDay(to) - first + 1) }, (_, days) => civilDateOf(first + days));
}

/** Returns the nights of a stay, identified by the date on which they begin: `[checkIn, checkOut)`. */
export function nights(checkIn: CivilDate, checkOut: CivilDate): CivilDate[] {
  return eachDay(checkIn, addDays(checkOut, -1));
}

/** Returns the day of the week of a date. */
export function weekday(date: CivilDate): Weekday {
  return weekdayOf(civilDay(date));
}
/** Returns the day of the week of a number of days since 1970-01-01, which was a Thursday. */
export function weekdayOf(day: number): Weekday {
  return weekdays[(((day + 3) % 7) + 7) % 7] as Weekday;
}

/** Returns the first and last day of the week that contains a date. `first` is the first day of the week. */
export function weekBounds(date: CivilDate, first: Weekday = 'mon'): { from: CivilDate; to: CivilDate } {
  const day = civilDay(date);
  const from = day - ((weekdays.indexOf(weekdayOf(day)) - weekdays.indexOf(first) + 7) % 7);
  return { from: civilDateOf(from), to: civilDateOf(from + 6) };
}

/**
 * Returns the first and last day of a month: `2026-11` → `{from: '2026-11-01', to: '2026-11-30'}`.
 *
 * @throws RangeError for anything but `YYYY-MM`
 */
export function monthBounds(month: string): { from: CivilDate; to: CivilDate } {
  const { year, month: number, daysInMonth } = Temporal.PlainYearMonth.from(month);
  const stem = `${String(year).padStart(4, '0')}-${String(number).padStart(2, '0')}`;
  return { from: `${stem}-01`, to: `${stem}-${String(daysInMonth).padStart(2, '0')}` };
}

/** Returns the first and last day of a quarter, `2026-Q3`; undefined for anything else. */
export function quarterBounds(quarter: string): { from: CivilDate; to: CivilDate } | undefined {
  const match = /^(\d{4})-Q([1-4])$/.exec(quarter);
  if (!match) return undefined;
  const first = (Number(match[2]) - 1) * 3 + 1;
  const pad = (month: number): string => `${match[1]}-${String(month).padStart(2, '0')}`;
  return { from: `${pad(first)}-01`, to: monthBounds(pad(first + 2)).to };
}

/** Returns the first and last day of a year, `2026`. */
export function yearBounds(year: string): { from: CivilDate; to: CivilDate } {
  return { from: monthBounds(`${year}-01`).from, to: monthBounds(`${year}-12`).to };
}
