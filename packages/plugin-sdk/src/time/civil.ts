import { Temporal } from 'temporal-polyfill';
import { dayMs, epoch, type Instant, instant } from './instant.ts';
import { offsetAt, readWall } from './zone.ts';

/** `2026-11-27`, a day of nobody's clock. */
export type CivilDate = string;

/** `HH:mm` on a wall, meaningful only with a zone and a date. The end of hours may be `24:00`. */
export type WallTime = string;

/** Monday first, as ISO 8601 counts. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/** Milliseconds of its midnight in UTC, NaN where it is none. Date reads 30 February as 2 March. */
function midnightOf(date: string): number {
  const ms = datePattern.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) || !instant(ms).startsWith(date) ? Number.NaN : ms;
}

export function isCivilDate(value: string): boolean {
  return !Number.isNaN(midnightOf(value));
}

/** Days since 1970-01-01, for arithmetic. A RangeError for anything but a civil date. */
export function civilDay(date: CivilDate): number {
  const ms = midnightOf(date);
  if (Number.isNaN(ms)) throw new RangeError(`${date} is no civil date`);
  return ms / dayMs;
}

/** Days since 1970-01-01 → civil date. */
export function civilDateOf(day: number): CivilDate {
  return instant(day * dayMs).slice(0, 10);
}

/** Minutes from 00:00 to a wall time. A RangeError for anything but `HH:mm` up to `24:00`. */
export function wallMinutes(time: WallTime): number {
  const match = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(time);
  if (!match) throw new RangeError(`${time} is no wall time`);
  return match[1] === undefined ? 1440 : Number(match[1]) * 60 + Number(match[2]);
}

/** The civil date of an instant in a zone. */
export function civilDate(at: Instant, timeZone: string): CivilDate {
  const ms = epoch(at);
  return instant(ms + offsetAt(ms, timeZone)).slice(0, 10);
}

/** Wall time `HH:mm` of an instant in a zone. */
export function wallTime(at: Instant, timeZone: string): WallTime {
  const ms = epoch(at);
  return instant(ms + offsetAt(ms, timeZone)).slice(11, 16);
}

/** The first instant of a civil day, in milliseconds: 01:00 where the clock is put forward at midnight. */
export function dayStart(day: number, timeZone: string): number {
  const { instants, afterGap } = readWall(day * dayMs, timeZone);
  return (instants[0] ?? afterGap) as number;
}

/** Half-open instants `[start, end)` of civil days in a zone, `to` included. A day of a clock change has 23 or 25 hours. */
export function dayBounds(from: CivilDate, to: CivilDate, timeZone: string): { start: Instant; end: Instant } {
  return { start: instant(dayStart(civilDay(from), timeZone)), end: instant(dayStart(civilDay(to) + 1, timeZone)) };
}

export function addDays(date: CivilDate, days: number): CivilDate {
  return civilDateOf(civilDay(date) + days);
}

/** Counts from the anchor, never from the last result: 31 January + 1 month = 28 February, + 2 = 31 March. */
export function addMonths(anchor: CivilDate, months: number): CivilDate {
  return Temporal.PlainDate.from(anchor).add({ months }).toString();
}

/** Counts from the anchor: 29 February + 1 year = 28 February, + 4 = 29 February. */
export function addYears(anchor: CivilDate, years: number): CivilDate {
  return addMonths(anchor, years * 12);
}

/** The first `anchor + n × months` (n ≥ 1) after a date, and its n. A year is 12 months. */
export function nextAnniversary(anchor: CivilDate, months: number, after: CivilDate): { date: CivilDate; count: number } {
  const from = Temporal.PlainDate.from(anchor);
  const passed = from.until(Temporal.PlainDate.from(after), { largestUnit: 'month' }).months;
  // Short months make the estimate one too low at most; the anchor itself is no anniversary.
  let count = Math.max(1, Math.floor(passed / months));
  while (addMonths(anchor, count * months) <= after) count += 1;
  return { date: addMonths(anchor, count * months), count };
}

/** Days from `from` to `to`, `to` not included. */
export function daysBetween(from: CivilDate, to: CivilDate): number {
  return civilDay(to) - civilDay(from);
}

/** Every civil date from `from` to `to`, both included. */
export function eachDay(from: CivilDate, to: CivilDate): CivilDate[] {
  const first = civilDay(from);
  return Array.from({ length: Math.max(0, civilDay(to) - first + 1) }, (_, days) => civilDateOf(first + days));
}

/** The nights of a stay, named by the date they begin: `[checkIn, checkOut)`. Free of clock changes. */
export function nights(checkIn: CivilDate, checkOut: CivilDate): CivilDate[] {
  return eachDay(checkIn, addDays(checkOut, -1));
}

export function weekday(date: CivilDate): Weekday {
  return weekdayOf(civilDay(date));
}
/** 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): Weekday {
  return weekdays[(((day + 3) % 7) + 7) % 7] as Weekday;
}

/** First and last day of the week around a date. `first` is the day that weeks begin with. */
export function weekBounds(date: CivilDate, first: Weekday = 'mon'): { from: CivilDate; to: CivilDate } {
  const day = civilDay(date);
  const from = day - ((weekdays.indexOf(weekdayOf(day)) - weekdays.indexOf(first) + 7) % 7);
  return { from: civilDateOf(from), to: civilDateOf(from + 6) };
}

/** `2026-11` → first and last day. */
export function monthBounds(month: string): { from: CivilDate; to: CivilDate } {
  const { year, month: number, daysInMonth } = Temporal.PlainYearMonth.from(month);
  const stem = `${String(year).padStart(4, '0')}-${String(number).padStart(2, '0')}`;
  return { from: `${stem}-01`, to: `${stem}-${String(daysInMonth).padStart(2, '0')}` };
}

/** `2026-Q3` → first and last day; undefined for anything else. */
export function quarterBounds(quarter: string): { from: CivilDate; to: CivilDate } | undefined {
  const match = /^(\d{4})-Q([1-4])$/.exec(quarter);
  if (!match) return undefined;
  const first = (Number(match[2]) - 1) * 3 + 1;
  const pad = (month: number): string => `${match[1]}-${String(month).padStart(2, '0')}`;
  return { from: `${pad(first)}-01`, to: monthBounds(pad(first + 2)).to };
}

/** `2026` → first and last day. */
export function yearBounds(year: string): { from: CivilDate; to: CivilDate } {
  return { from: monthBounds(`${year}-01`).from, to: monthBounds(`${year}-12`).to };
}
