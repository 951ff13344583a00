import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { f } from '../field.ts';
import { addYears, type CivilDate, civilDate, civilDateOf, civilDay } from './civil.ts';
import { dayMs, epoch, type Instant, instant } from './instant.ts';
import { offsetAt, readWall } from './zone.ts';

/** A recurring series of whole days. */
export interface RecurringDays {
  /** RFC 5545 RRULE from DAILY to YEARLY. */
  rule: string;
  /** First possible date; an occurrence only if the rule matches it. */
  start: CivilDate;
  /** Dates to leave out; COUNT still counts them. */
  except?: readonly CivilDate[];
}

/** A recurring series at the same wall time of a zone. */
export interface RecurringInstants {
  /** RFC 5545 RRULE from DAILY to YEARLY. */
  rule: string;
  /** First instant; its wall time is that of every occurrence. */
  start: Instant;
  /** IANA time zone. */
  timeZone: string;
  /** Instants to leave out; COUNT still counts them. */
  except?: readonly Instant[];
}

/** A series ends after this many years, so that a rule without occurrences costs little. */
const horizonYears = 50;

const number = (most: number, sign: string): string => `${sign}(?:${most >= 100 ? '[1-9]\\d{0,2}' : '[1-9]\\d?'})`;
const list = (item: string): RegExp => new RegExp(`^${item}(?:,${item})*$`);
/** Accepted parts of a rule. At most one occurrence a day: no hours, minutes and seconds. */
const parts: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    FREQ: /^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/,
    INTERVAL: /^(?:[1-9]\d?|100)$/,
    COUNT: /^(?:[1-9]\d?|[1-4]\d\d|500)$/,
    UNTIL: /^\d{8}(?:T\d{6}Z)?$/,
    BYDAY: list('(?:[+-]?[1-9]\\d?)?(?:MO|TU|WE|TH|FR|SA|SU)'),
    BYMONTHDAY: list('-?(?:[1-9]|[12]\\d|3[01])'),
    BYMONTH: list('(?:[1-9]|1[0-2])'),
    BYYEARDAY: list(number(366, '-?')),
    BYWEEKNO: list(number(53, '-?')),
    BYSETPOS: list(number(366, '-?')),
    WKST: /^(?:MO|TU|WE|TH|FR|SA|SU)$/,
  }),
);

interface Rule {
  /** Without COUNT and UNTIL, which are applied here: skipped occurrences don't count, and UNTIL can be within a day. */
  endless: string;
  count: number | undefined;
  until: string | undefined;
}

/** Returns why a rule is rejected; undefined if it is valid. */
function ruleFault(rule: string): string | undefined {
  const seen = new Set<string>();
  for (const part of rule.split(';')) {
    const [name = '', value = '', more] = part.split('=');
    const pattern = parts.get(name);
    if (!pattern) return `has no part ${name}`;
    if (seen.has(name)) return `has ${name} more than once`;
    if (more !== undefined || !pattern.test(value)) return `has a ${name} that is not accepted`;
    seen.add(name);
  }
  if (!seen.has('FREQ')) return 'needs a FREQ';
  if (seen.has('COUNT') && seen.has('UNTIL')) return 'has both COUNT and UNTIL';
  const until = /(?:^|;)UNTIL=([^;]+)/.exec(rule)?.[1];
  if (until && Number.isNaN(untilOf(until))) return 'has an invalid UNTIL';
  try {
    series(endless(rule), '2026-01-01');
  } catch (error) {
    // The library checks which parts can be combined with which frequency.
    return error instanceof Error ? `is not valid: ${error.message}` : 'is not valid';
  }
  return undefined;
}

const endless = (rule: string): string => rule.replace(/;?(?:COUNT|UNTIL)=[^;]+/g, '').replace(/^;/, '');
/** Returns an UNTIL in milliseconds, midnight UTC if it has no time. */
function untilOf(until: string): number {
  const [, y, m, d, time] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6})Z)?$/.exec(until) ?? [];
  return Date.parse(`${y}-${m}-${d}T${time ? time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3') : '00:00:00'}Z`);
}

function parse(rule: string): Rule {
  const fault = ruleFault(rule);
  if (fault) throw new RangeError(`the rule ${rule} ${fault}`);
  const count = /(?:^|;)COUNT=(\d+)/.exec(rule)?.[1];
  return {
    endless: endless(rule),
    count: count === undefined ? undefined : Number(count),
    until: /(?:^|;)UNTIL=([^;]+)/.exec(rule)?.[1],
  };
}

/** Calculates dates as midnights UTC, which has no clock changes; the time zone is applied to the result. */
function series(rule: string, start: CivilDate): RRuleTemporal {
  return new RRuleTemporal({
    rruleString: `RRULE:${rule}`,
    dtstart: Temporal.PlainDate.from(start).toZonedDateTime('UTC'),
    strict: true,
    cache: false,
    maxIterations: horizonYears * 366 + 1,
  });
}

/** Returns the dates of a rule without an end, from one day to another, both included. */
function datesBetween(of: RRuleTemporal, from: number, to: number): CivilDate[] {
  return from > to ? [] : of.between(new Date(from * dayMs), new Date(to * dayMs), true).map((at) => at.toPlainDate().toString());
}

/**
 * Returns the occurrences in `[from, to]` that COUNT and UNTIL allow. `at` converts a date; undefined for an occurrence that doesn't exist
 * and isn't counted.
 */
function occurrences<T>(
  rule: Rule,
  start: CivilDate,
  from: CivilDate,
  to: CivilDate,
  at: (date: CivilDate) => { value: T; isAfter: (until: string) => boolean } | undefined,
): T[] {
  const of = series(rule.endless, start);
  const first = civilDay(start);
  const last = Math.min(civilDay(to), civilDay(addYears(start, horizonYears)));
  const wanted = civilDay(from);
  const found: T[] = [];
  let counted = 0;
  // COUNT counts from the start. One year at a time, so that a short series ends early.
  for (let day = rule.count === undefined ? Math.max(first, wanted) : first; day <= last; day += 366) {
    for (const date of datesBetween(of, day, Math.min(day + 365, last))) {
      const one = at(date);
      if (!one) continue;
      if (rule.until !== undefined && one.isAfter(rule.until)) return found;
      counted += 1;
      if (civilDay(date) >= wanted) found.push(one.value);
      if (rule.count !== undefined && counted >= rule.count) return found;
    }
  }
  return found;
}

/**
 * Returns the dates of a series from `from` to `to`, both included. A series ends after 50 years.
 *
 * @throws RangeError for a rule that `recurrenceField` rejects
 */
export function recurringDays({ rule, start, except = [] }: RecurringDays, from: CivilDate, to: CivilDate): CivilDate[] {
  const left = new Set(except);
  return occurrences(parse(rule), start, from, to, (date) => ({
    value: date,
    isAfter: (until) => civilDay(date) * dayMs > untilOf(until),
  })).filter((date) => !left.has(date));
}

/**
 * Returns the instants of a series within `[from, to)`. The wall time stays the same across clock changes. As RFC 5545 requires,
 * an occurrence in a skipped hour is left out and not counted, and one in a repeated hour is the earlier (`start` itself is used
 * as given). An UNTIL without a time is the end of that day in the zone.
 *
 * @throws RangeError for a rule that `recurrenceField` rejects
 */
export function recurringInstants(
  { rule, start, timeZone, except = [] }: RecurringInstants,
  from: Instant,
  to: Instant,
): Instant[] {
  const begin = epoch(start);
  const wall = begin + offsetAt(begin, timeZone);
  const startDay = Math.floor(wall / dayMs);
  const left = new Set(except.map(epoch));
  // A date in a time zone is at most one day from the date in UTC.
  const days = [civilDay(civilDate(from, timeZone)) - 1, civilDay(civilDate(to, timeZone)) + 1].map(civilDateOf) as [
    string,
    string,
  ];
  return occurrences(parse(rule), civilDateOf(startDay), ...days, (date) => {
    const day = civilDay(date);
    const value = day === startDay ? begin : readWall(day * dayMs + (wall - startDay * dayMs), timeZone).instants[0];
    return value === undefined
      ? undefined
      : { value, isAfter: (until) => (until.length === 8 ? day * dayMs > untilOf(until) : value > untilOf(until)) };
  })
    .filter((value) => value >= epoch(from) && value < epoch(to) && !left.has(value))
    .map(instant);
}

/**
 * Field of an RRULE (RFC 5545): FREQ from DAILY to YEARLY, INTERVAL ≤ 100, COUNT ≤ 500 or UNTIL, BYDAY, BYMONTHDAY, BYMONTH,
 * BYYEARDAY, BYWEEKNO, BYSETPOS, WKST. At most one occurrence a day.
 */
export const recurrenceField = f
  .text({ max: 500 })
  .check((rule) => [ruleFault(rule)].flatMap((message) => (message === undefined ? [] : [{ code: 'invalid', message }])));
