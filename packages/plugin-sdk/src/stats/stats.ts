import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { StatsPeriod, StatsResult } from '../plugin.ts';
import { invalidParameter } from '../schema/faults.ts';
import { addDays, type CivilDate, civilDate, dayBounds, daysBetween, eachDay } from '../time/civil.ts';

/** `from` and `to` of a stats route: civil dates of the tenant's zone, both included; default the last 30 days with today, at most `maxDays`. */
export function statsPeriod(
  query: { from: string | null; to: string | null },
  now: string,
  timezone: string,
  maxDays = 366,
): StatsPeriod {
  const to = query.to ?? civilDate(now, timezone);
  const from = query.from ?? addDays(to, -29);
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw invalidParameter('from', 'lies after to');
  if (days > maxDays) throw invalidParameter('from', `may lie at most ${maxDays} days before to`);
  return periodOf(from, to, timezone);
}

const periodOf = (from: CivilDate, to: CivilDate, timezone: string): StatsPeriod => ({
  from,
  to,
  timezone,
  ...dayBounds(from, to, timezone),
});

/** The window of a metric that names one (`noShowPct30d`, `coversToday` = 1): so many civil days, the last of them `to`. */
export function lastDays({ to, timezone }: StatsPeriod, days: number): StatsPeriod {
  return periodOf(addDays(to, 1 - days), to, timezone);
}

/** The window of a metric that looks ahead (`next7d`): so many civil days, the first of them `to`, which is today by default. */
export function nextDays({ to, timezone }: StatsPeriod, days: number): StatsPeriod {
  return periodOf(to, addDays(to, days - 1), timezone);
}

/**
 * The civil date of an instant's column, as SQL: what `series` are grouped by (`group by 1`, since its zone is a parameter). A day of a
 * clock change is one day.
 */
export function sqlDate(column: string, timezone: string): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} at time zone ${timezone})::date::text`;
}

/** One entry for each civil day of the period, in order: the row of that date, else `empty`. */
export function daySeries<T extends object>(
  { from, to }: Pick<StatsPeriod, 'from' | 'to'>,
  rows: readonly (T & { date: CivilDate })[],
  empty: T,
): (T & { date: CivilDate })[] {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  return eachDay(from, to).map((date) => byDate.get(date) ?? { ...empty, date });
}

/**
 * Hides figures that stand behind another permission: null, and named in `masked`. `rules` names a key of metrics, series or lists and
 * the permission; a key that is in none of them is a RangeError.
 */
export function maskStats(ctx: Pick<Ctx, 'can'>, result: StatsResult, rules: Readonly<Record<string, string>>): StatsResult {
  const parts = [result.metrics, result.series, result.lists];
  for (const name of Object.keys(rules))
    if (!parts.some((part) => part && name in part)) throw new RangeError(`no figure is called ${name}`);
  const hidden = Object.keys(rules).filter((name) => !ctx.can(rules[name] as string));
  const hide = (part: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(part).map(([name, value]) => [name, hidden.includes(name) ? null : value]));
  return {
    metrics: hide(result.metrics),
    ...(result.series ? { series: hide(result.series) } : {}),
    ...(result.lists ? { lists: hide(result.lists) } : {}),
    masked: [...(result.masked ?? []), ...hidden],
  };
}
