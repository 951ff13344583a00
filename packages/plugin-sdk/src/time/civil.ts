import { Temporal } from 'temporal-polyfill';

/** `2026-11-27`, a day of nobody's clock. */
export type CivilDate = string;

/** The civil date of an instant in a zone. */
export function civilDate(instant: string, timeZone: string): CivilDate {
  const at = Date.parse(instant);
  const known = days.get(timeZone);
  if (known && at >= known.start && at < known.end) return known.date;
  const zoned = Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone);
  const date = zoned.toPlainDate().toString();
  const start = zoned.startOfDay();
  if (days.size >= mostZones) days.clear();
  days.set(timeZone, { date, start: start.epochMilliseconds, end: start.add({ days: 1 }).startOfDay().epochMilliseconds });
  return date;
}
/** The day asked for last in each zone: most questions of a shop are about today. */
const days = new Map<string, { date: CivilDate; start: number; end: number }>();
const mostZones = 600;

/** Wall time `HH:mm` of an instant in a zone. */
export function wallTime(instant: string, timeZone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
}

const startOf = (date: Temporal.PlainDate, timeZone: string): string =>
  date.toZonedDateTime(timeZone).startOfDay().toInstant().toString({ fractionalSecondDigits: 3 });

/** Half-open instants `[start, end)` of civil days in a zone, `to` included. A day of a clock change has 23 or 25 hours. */
export function dayBounds(from: CivilDate, to: CivilDate, timeZone: string): { start: string; end: string } {
  return {
    start: startOf(Temporal.PlainDate.from(from), timeZone),
    end: startOf(Temporal.PlainDate.from(to).add({ days: 1 }), timeZone),
  };
}

export function addDays(date: CivilDate, days: number): CivilDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Counts from the anchor, never from the last result: 31 January + 1 month = 28 February, + 2 = 31 March. */
export function addMonths(anchor: CivilDate, months: number): CivilDate {
  return Temporal.PlainDate.from(anchor).add({ months }).toString();
}

/** Days from `from` to `to`, `to` not included. */
export function daysBetween(from: CivilDate, to: CivilDate): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'day' }).days;
}

/** Every civil date from `from` to `to`, both included. */
export function eachDay(from: CivilDate, to: CivilDate): CivilDate[] {
  const count = daysBetween(from, to);
  const start = Temporal.PlainDate.from(from);
  return Array.from({ length: Math.max(0, count + 1) }, (_, days) => start.add({ days }).toString());
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

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
