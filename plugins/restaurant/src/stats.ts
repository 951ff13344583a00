import { type Ctx, type MoneyValue, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { average, averageMoney, lastDays, percent } from '@storeloom/plugin-sdk/stats';
import { addMinutes } from '@storeloom/plugin-sdk/time';
import { holds } from './holds.ts';
import { occupancyOf } from './occupancy.ts';
import { statuses } from './reservation-fields.ts';
import { diningTable } from './table.ts';

interface Sums {
  covers: number;
  arrivals: number;
  openOrders: number;
  revenueToday: number;
  revenue: number;
  checks: number;
  turns: number;
  turnMinutes: number;
  expected: number;
  missing: number;
}

/**
 * "Today" is the last day of the period. Revenue excludes tips. `avgCheck`, `avgTurnMin` (seated to completed) and `topItems` are of the
 * period; `tables` counts the present occupancy, without tables out of service.
 */
export async function restaurantStats(ctx: Ctx, period: StatsPeriod): Promise<StatsResult> {
  const { id: tenant, currency } = ctx.tenant;
  const { start, end } = period;
  const now = ctx.clock.now();
  const today = lastDays(period, 1);
  const month = lastDays(period, 30);
  const money = (amount: number): MoneyValue => ({ amount, currency });
  const tables = await ctx.rows(diningTable).find({ isActive: true }, { orderBy: ['id'] });
  const [sums, byStatus, items, occupancy] = await Promise.all([
    ctx.db.first<Sums>(sql`
      with day as (select t.status, t.party_size from restaurant_reservation t where t.tenant_id = ${tenant}
          and t.starts_at >= ${today.start} and t.starts_at < ${today.end} and ${holds.activeCondition(ctx)}),
        paid as (select total_amount - tip_amount as amount, paid_at from restaurant_order
          where tenant_id = ${tenant} and paid_at >= ${start} and paid_at < ${end})
      select
        (select coalesce(sum(party_size), 0)::int8 from day where status in ('pending', 'confirmed', 'seated', 'completed')) as covers,
        (select count(*)::int8 from restaurant_reservation t where t.tenant_id = ${tenant} and t.status in ('pending', 'confirmed')
          and t.starts_at >= ${now} and t.starts_at < ${addMinutes(now, 120)} and ${holds.activeCondition(ctx)}) as arrivals,
        (select count(*)::int8 from restaurant_order where tenant_id = ${tenant} and status not in ('paid', 'cancelled')) as "openOrders",
        (select coalesce(sum(amount), 0)::int8 from paid where paid_at >= ${today.start}) as "revenueToday",
        (select coalesce(sum(amount), 0)::int8 from paid) as revenue,
        (select count(*)::int8 from paid) as checks,
        (select count(*)::int8 from restaurant_reservation where tenant_id = ${tenant} and completed_at >= ${start} and completed_at < ${end}) as turns,
        (select coalesce(sum(extract(epoch from completed_at - seated_at) / 60), 0)::float8 from restaurant_reservation
          where tenant_id = ${tenant} and completed_at >= ${start} and completed_at < ${end}) as "turnMinutes",
        (select count(*)::int8 from restaurant_reservation where tenant_id = ${tenant} and starts_at >= ${month.start} and starts_at < ${end}
          and status in ('seated', 'completed', 'no_show')) as expected,
        (select count(*)::int8 from restaurant_reservation where tenant_id = ${tenant} and starts_at >= ${month.start} and starts_at < ${end}
          and status = 'no_show') as missing`),
    ctx.db.rows<{ status: string; n: number }>(sql`
      select t.status, count(*)::int8 as n from restaurant_reservation t where t.tenant_id = ${tenant}
        and t.starts_at >= ${today.start} and t.starts_at < ${today.end} group by 1`),
    ctx.db.rows<{ menuItemId: string; name: string; qty: number; amount: number }>(sql`
      select i.menu_item_id as "menuItemId", m.name, sum(i.qty)::int8 as qty, sum(i.qty * i.unit_price_amount)::int8 as amount
      from restaurant_order o join restaurant_order_item i on i.tenant_id = o.tenant_id and i.order_id = o.id and i.status <> 'cancelled'
      join restaurant_menu_item m on m.tenant_id = i.tenant_id and m.id = i.menu_item_id
      where o.tenant_id = ${tenant} and o.paid_at >= ${start} and o.paid_at < ${end}
      group by 1, 2 order by qty desc, amount desc, 1 limit 5`),
    occupancyOf(ctx, tables, null),
  ]);
  const s = sums as Sums;
  const counts = new Map(byStatus.map(({ status, n }) => [status, n]));
  const tablesThatAre = (what: string): number => [...occupancy.values()].filter((each) => each === what).length;
  return {
    metrics: {
      coversToday: s.covers,
      reservationsToday: Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])),
      arrivalsNext2h: s.arrivals,
      tables: {
        free: tablesThatAre('free'),
        occupied: tablesThatAre('occupied'),
        reserved: tablesThatAre('reserved'),
        dirty: tablesThatAre('dirty'),
      },
      openOrders: s.openOrders,
      revenueToday: money(s.revenueToday),
      avgCheck: averageMoney(s.revenue, s.checks, currency),
      avgTurnMin: average(s.turnMinutes, s.turns),
      noShowPct30d: percent(s.missing, s.expected),
    },
    lists: {
      topItems: items.map(({ menuItemId, name, qty, amount }) => ({ menuItemId, name, qty, amount: money(amount) })),
    },
  };
}
