import { addDays, type CivilDate, civilDateOf } from './civil.ts';
import { dayMs } from './instant.ts';

/** A public holiday. */
export interface Holiday {
  /** Civil date. */
  date: CivilDate;
  /** Name by locale. */
  name: Readonly<Record<string, string>>;
}

/** Public holidays by date. */
export interface HolidayCalendar {
  /** Returns the holiday on a date; undefined if there is none. */
  on(date: CivilDate): Holiday | undefined;
  /** Returns the holidays of a year in order; of two on one date, the first one given. */
  of(year: number): readonly Holiday[];
}

/** Returns a calendar of the holidays of each year, which `of` calculates once, and of `extra` days that a tenant adds. */
export function holidayCalendar(of: (year: number) => readonly Holiday[], extra: readonly Holiday[] = []): HolidayCalendar {
  const years = new Map<number, ReadonlyMap<CivilDate, Holiday>>();
  const year = (number: number): ReadonlyMap<CivilDate, Holiday> => {
    let days = years.get(number);
    if (!days) {
      const stem = `${String(number).padStart(4, '0')}-`;
      const all = [...of(number), ...extra.filter((one) => one.date.startsWith(stem))].sort((a, b) =>
        a.date.localeCompare(b.date),
      );
      days = new Map(all.reverse().map((one) => [one.date, one]));
      if (years.size >= mostYears) years.clear();
      years.set(number, days);
    }
    return days;
  };
  return {
    on: (date) => year(Number(date.slice(0, 4))).get(date),
    of: (number) => [...year(number).values()].reverse(),
  };
}
const mostYears = 400;

/** Returns Easter Sunday of the Orthodox churches (Julian computus) as a date of the Gregorian calendar. */
export function orthodoxEaster(year: number): CivilDate {
  const moon = (19 * (year % 19) + 15) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7;
  const days = moon + weekday + 114;
  const julian = Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1) / dayMs;
  const behind = Math.floor(year / 100) - Math.floor(year / 400) - 2;
  return civilDateOf(julian + behind);
}

interface Rule {
  /** `MM-DD`, or days after Orthodox Easter Sunday. */
  on: string | number;
  /** First year in which it is a public holiday. */
  since: number;
  ro: string;
  en: string;
}
/**
 * Romanian Labour Code (Law 53/2003), art. 139 (1), with the laws that added a day: 202/2008, 147/2012, 176/2016, 220/2016, 64/2018,
 * 52/2023. Of two holidays on one day the first one gives the name.
 */
const romanian: readonly Rule[] = [
  { on: '01-01', since: 2003, ro: 'Anul Nou', en: "New Year's Day" },
  { on: '01-02', since: 2003, ro: 'A doua zi de Anul Nou', en: 'Second day of the New Year' },
  { on: '01-06', since: 2024, ro: 'Boboteaza', en: 'Epiphany' },
  { on: '01-07', since: 2024, ro: 'Soborul Sfântului Proroc Ioan Botezătorul', en: "Saint John the Baptist's Day" },
  { on: '01-24', since: 2017, ro: 'Ziua Unirii Principatelor Române', en: 'Union of the Principalities' },
  { on: -2, since: 2018, ro: 'Vinerea Mare', en: 'Orthodox Good Friday' },
  { on: 0, since: 2003, ro: 'Paștele', en: 'Orthodox Easter Sunday' },
  { on: 1, since: 2003, ro: 'A doua zi de Paște', en: 'Orthodox Easter Monday' },
  { on: '05-01', since: 2003, ro: 'Ziua Muncii', en: 'Labour Day' },
  { on: '06-01', since: 2017, ro: 'Ziua Copilului', en: "Children's Day" },
  { on: 49, since: 2009, ro: 'Rusaliile', en: 'Orthodox Pentecost' },
  { on: 50, since: 2009, ro: 'A doua zi de Rusalii', en: 'Orthodox Whit Monday' },
  { on: '08-15', since: 2009, ro: 'Adormirea Maicii Domnului', en: 'Dormition of the Mother of God' },
  { on: '11-30', since: 2012, ro: 'Sfântul Andrei', en: "Saint Andrew's Day" },
  { on: '12-01', since: 2003, ro: 'Ziua Națională a României', en: 'National Day' },
  { on: '12-25', since: 2003, ro: 'Crăciunul', en: 'Christmas Day' },
  { on: '12-26', since: 2003, ro: 'A doua zi de Crăciun', en: 'Second day of Christmas' },
];

/**
 * Returns the public holidays of Romania in a year, for `holidayCalendar(romanianHolidays, extra)`. Holidays of other faiths and
 * bridge days of public employees are not included. Labour Code (Law 53/2003), art. 139 (1).
 */
export function romanianHolidays(year: number): Holiday[] {
  const easter = orthodoxEaster(year);
  return romanian
    .filter((rule) => year >= rule.since)
    .map(({ on, ro, en }) => ({
      date: typeof on === 'number' ? addDays(easter, on) : `${String(year).padStart(4, '0')}-${on}`,
      name: { ro, en },
    }));
}
