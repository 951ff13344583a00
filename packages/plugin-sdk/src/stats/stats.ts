import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { StatsPeriod, StatsResult } from '../plugin.ts';
import { invalidParameter } from '../schema/faults.ts';
import { addDays, type CivilDate, civilDate, dayBounds, daysBetween, eachDay } from '../time/civil.ts';

/**
 * Returns the period of a stats route from its `from` and `to`: civil dates of the tenant's time zone, both included. Default:
 * the last 30 days including today.
 *
 * @throws Problem 400 `invalid_parameter` if `from` is after `to`, or the period is longer than `maxDays`
 */
export function statsPeriod(
  query: { from: string | null; to: string | null },
  now: string,
  timezone: string,
  maxDays = 366,
): StatsPeriod {
  const to = query.to ?? civilDate(now, timezone);
  const from = query.from ?? addDays(to, -29);
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw invalidParameter('from', 'must not be after to');
  if (days > maxDays) throw invalidParameter('from', `must be at most ${maxDays} days before to`);
  return periodOf(from, to, timezone);
}

const periodOf = (from: CivilDate, to: CivilDate, timezone: string): StatsPeriod => ({
  from,
  to,
  timezone,
  ...dayBounds(from, to, timezone),
});

/** Returns the period of `days` civil days that ends with `to`, for a metric with its own window (`noShowPct30d`). */
export function lastDays({ to, timezone }: StatsPeriod, days: number): StatsPeriod {
  return periodOf(addDays(to, 1 - days), to, timezone);
}

/** Returns the period of `days` civil days that begins with `to` (today by default), for a metric that looks ahead (`next7d`). */
export function nextDays({ to, timezone }: StatsPeriod, days: number): StatsPeriod {
  return periodOf(to, addDays(to, days - 1), timezone);
}

/**
 * Returns an SQL expression for the civil date of an instant column, to group `series` by. Use `group by 1`, since the time zone
 * is a parameter.
 */
export function sqlDate(column: string, timezone: string): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} at time zone ${timezone})::date::text`;
}

/** Returns one entry for each civil day of the period, in order: the row of that date, otherwise `empty`. */
export function daySeries<T extends object>(
  { from, to }: Pick<StatsPeriod, 'from' | 'to'>,
  rows: readonly (T & { date: CivilDate })[],
  empty: T,
): (T & { date: CivilDate })[] {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  return eachDay(from, to).map((date) => byDate.get(date) ?? { ...empty, date });
}

/**
 * Hides figures that require another permission: sets them to null and lists them in `masked`. `rules` maps a key of metrics,
 * series or lists to its permission.
 *
 * @throws RangeError for an unknown key
 */
export function maskStats(ctx: Pick<Ctx, 'can'>, result: StatsResult, rules: Readonly<Record<string, string>>): StatsResult {
  const parts = [result.metrics, result.series, result.lists];
  for (const name of Object.keys(rules))
    if (!parts.some((part) => part && name in part)) throw new RangeError(`there is no figure ${name}`);
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
