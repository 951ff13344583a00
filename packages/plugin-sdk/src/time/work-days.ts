import { type CivilDate, civilDateOf, civilDay, eachDay, type Weekday, weekday } from './civil.ts';
import type { HolidayCalendar } from './holidays.ts';

/** A calendar of working days. */
export interface WorkDays {
  /** Returns true if the date is a working day. */
  isWorkDay(date: CivilDate): boolean;
  /** Returns the number of working days from `from` to `to`, both included. */
  count(from: CivilDate, to: CivilDate): number;
  /**
   * Returns the nth working day after a date (before it if negative). The date itself doesn't count (Regulation (EEC, Euratom)
   * 1182/71). With 0: the date, or the next working day if it isn't one.
   */
  add(date: CivilDate, days: number): CivilDate;
}

const usual: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
/** Largest gap between working days; a longer one is a mistake in the calendar. */
const longestPause = 366;

/** Returns a calendar of working days: the given days of the week (default Monday to Friday) except holidays. */
export function workDays(options: { days?: readonly Weekday[]; holidays?: HolidayCalendar } = {}): WorkDays {
  const days = new Set(options.days ?? usual);
  const isWorkDay = (date: CivilDate): boolean => days.has(weekday(date)) && !options.holidays?.on(date);
  function step(day: number, by: number): number {
    for (let pause = 1; pause <= longestPause; pause += 1) if (isWorkDay(civilDateOf(day + by * pause))) return day + by * pause;
    throw new RangeError(`no working day within ${longestPause} days of ${civilDateOf(day)}`);
  }
  return {
    isWorkDay,
    count: (from, to) => eachDay(from, to).filter(isWorkDay).length,
    add(date, count) {
      if (count === 0) return isWorkDay(date) ? date : civilDateOf(step(civilDay(date), 1));
      let day = civilDay(date);
      for (let left = Math.abs(count); left > 0; left -= 1) day = step(day, Math.sign(count));
      return civilDateOf(day);
    },
  };
}
