import type { StatsPeriod } from '../plugin.ts';
import { badParameter } from '../schema.ts';
import { addDays, civilDate, dayBounds, daysBetween } from '../time/civil.ts';

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
  if (days < 1) throw badParameter('from', 'lies after to');
  if (days > maxDays) throw badParameter('from', `may lie at most ${maxDays} days before to`);
  return { from, to, timezone, ...dayBounds(from, to, timezone) };
}

/** 0–100 with at most two decimals; null on a zero denominator. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;
}
