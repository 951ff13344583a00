import { recoveryFigures } from '@storeloom/commerce';
import { type Ctx, provide, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { percent } from '@storeloom/plugin-sdk/stats';
import { eachDay } from '@storeloom/plugin-sdk/time';

export interface RecoveryDay {
  date: string;
  abandoned: number;
  abandonedValue: number;
  reminded: number;
  recovered: number;
  recoveredValue: number;
}
interface Group {
  date: string;
  what: 'abandoned' | 'reminded' | 'recovered';
  n: number;
  value: number;
}

/** Counts by day in the tenant's time zone, without empty days. Uses the same rows as the admin list, so that both agree. */
async function recoveryGroups(ctx: Ctx, { start, end }: Pick<StatsPeriod, 'start' | 'end'>): Promise<Group[]> {
  const { id, timezone } = ctx.tenant;
  return ctx.db.rows<Group>(sql`
    select (at at time zone ${timezone})::date::text as date, what, count(*)::int8 as n, coalesce(sum(value), 0)::int8 as value from (
      select abandoned_at as at, 'abandoned' as what, base_value_amount as value from checkout_abandoned_cart
        where tenant_id = ${id} and abandoned_at >= ${start} and abandoned_at < ${end}
      union all select reminded_at, 'reminded', 0 from checkout_abandoned_cart
        where tenant_id = ${id} and reminded_at >= ${start} and reminded_at < ${end}
      union all select recovered_at, 'recovered', base_value_amount from checkout_abandoned_cart
        where tenant_id = ${id} and recovered_at >= ${start} and recovered_at < ${end}
    ) happened group by 1, 2 order by 1`);
}

export function recoveryDays(groups: readonly Group[], dates: readonly string[]): RecoveryDay[] {
  const empty = { abandoned: 0, abandonedValue: 0, reminded: 0, recovered: 0, recoveredValue: 0 };
  const days = new Map(dates.map((date) => [date, { date, ...empty }]));
  for (const { date, what, n, value } of groups) {
    const day = days.get(date) ?? { date, ...empty };
    day[what] = n;
    if (what !== 'reminded') day[`${what}Value`] = value;
    days.set(date, day);
  }
  return [...days.values()];
}

export async function abandonedCartStats(ctx: Ctx, period: StatsPeriod): Promise<StatsResult> {
  const days = recoveryDays(await recoveryGroups(ctx, period), eachDay(period.from, period.to));
  const sum = (property: Exclude<keyof RecoveryDay, 'date'>): number => days.reduce((total, day) => total + day[property], 0);
  const stopped = await ctx.db.first<{ n: number }>(sql`select count(*)::int8 as n from checkout_recovery_optout
    where tenant_id = ${ctx.tenant.id} and created_at >= ${period.start} and created_at < ${period.end}`);
  const toMoney = (amount: number) => money(amount, ctx.tenant.currency);
  return {
    metrics: {
      abandoned: sum('abandoned'),
      abandonedValue: toMoney(sum('abandonedValue')),
      reminded: sum('reminded'),
      recovered: sum('recovered'),
      recoveredValue: toMoney(sum('recoveredValue')),
      recoveryPct: percent(sum('recovered'), sum('abandoned')),
      unsubscribed: stopped?.n ?? 0,
    },
    series: {
      days: days.map((day) => ({
        ...day,
        abandonedValue: toMoney(day.abandonedValue),
        recoveredValue: toMoney(day.recoveredValue),
      })),
    },
  };
}

export const figuresProvider = provide(recoveryFigures, (ctx) => ({
  days: async (period) => recoveryDays(await recoveryGroups(ctx, period), []),
}));
