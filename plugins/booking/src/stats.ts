import { type Ctx, type MoneyValue, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { average, daySeries, lastDays, nextDays, percent, sqlDate } from '@storeloom/plugin-sdk/stats';
import { coveredDuration, epoch, minuteMs } from '@storeloom/plugin-sdk/time';
import { statuses } from './appointment-fields.ts';
import { rosterOf } from './roster.ts';

interface Sums {
  next: number;
  revenue: number;
  seen: number;
  missed: number;
  cancelled: number;
  held: number;
  leadMs: number;
  leads: number;
  bookedMs: number;
  fresh: number;
}

const live = sql.raw(`('confirmed', 'checked_in', 'completed')`);

/**
 * By the start of appointments. Revenue counts confirmed, checked-in and completed appointments; no-shows are a share of appointments that
 * were due, cancellations of all that were ever confirmed.
 */
export async function bookingStats(ctx: Ctx, period: StatsPeriod): Promise<StatsResult> {
  const { id: tenant, currency } = ctx.tenant;
  const [month, week, today] = [lastDays(period, 30), nextDays(period, 7), lastDays(period, 1)];
  const money = (amount: number): MoneyValue => ({ amount, currency });
  const [sums, byStatus, services, days, roster] = await Promise.all([
    ctx.db.first<Sums>(sql`
      with month as (select * from booking_appointment where tenant_id = ${tenant} and starts_at >= ${month.start} and starts_at < ${month.end})
      select
        (select count(*)::int8 from booking_appointment where tenant_id = ${tenant} and status in ${live}
          and starts_at >= ${week.start} and starts_at < ${week.end}) as next,
        (select coalesce(sum(price_amount * seats), 0)::int8 from month where status in ${live}) as revenue,
        (select count(*)::int8 from month where status in ('checked_in', 'completed')) as seen,
        (select count(*)::int8 from month where status = 'no_show') as missed,
        (select count(*)::int8 from month where status = 'cancelled') as cancelled,
        (select count(*)::int8 from month where status in ${live} or status = 'no_show') as held,
        (select coalesce(sum(extract(epoch from starts_at - created_at) * 1000), 0)::int8 from booking_appointment where tenant_id = ${tenant}
          and status in ${live} and starts_at >= ${period.start} and starts_at < ${period.end}) as "leadMs",
        (select count(*)::int8 from booking_appointment where tenant_id = ${tenant}
          and status in ${live} and starts_at >= ${period.start} and starts_at < ${period.end}) as leads,
        (select coalesce(sum(extract(epoch from least(s.ends_at, ${period.end}::timestamptz) - greatest(s.starts_at, ${period.start}::timestamptz)) * 1000), 0)::int8
          from booking_session s join booking_staff p on p.tenant_id = s.tenant_id and p.id = s.staff_id and p.is_active
          where s.tenant_id = ${tenant} and s.starts_at < ${period.end} and s.ends_at > ${period.start}) as "bookedMs",
        (select count(*)::int8 from (select min(created_at) as first from booking_appointment
          where tenant_id = ${tenant} and coalesce(customer_id::text, customer ->> 'email', customer ->> 'phone') is not null
          group by coalesce(customer_id::text, customer ->> 'email', customer ->> 'phone')) c
          where first >= ${month.start} and first < ${month.end}) as fresh`),
    ctx.db.rows<{ status: string; n: number }>(sql`select status, count(*)::int8 as n from booking_appointment
      where tenant_id = ${tenant} and starts_at >= ${today.start} and starts_at < ${today.end} group by 1`),
    ctx.db.rows<{ id: string; name: string; appointments: number; amount: number }>(sql`
      select s.id, s.name, count(*)::int8 as appointments, sum(a.price_amount * a.seats)::int8 as amount
      from booking_appointment a join booking_service s on s.tenant_id = a.tenant_id and s.id = a.service_id
      where a.tenant_id = ${tenant} and a.status in ${live} and a.starts_at >= ${period.start} and a.starts_at < ${period.end}
      group by s.id, s.name order by 3 desc, 4 desc, s.id limit 5`),
    ctx.db.rows<{ date: string; appointments: number; revenue: number }>(sql`
      select ${sqlDate('starts_at', period.timezone)} as date, count(*)::int8 as appointments, sum(price_amount * seats)::int8 as revenue
      from booking_appointment where tenant_id = ${tenant} and status in ${live}
        and starts_at >= ${period.start} and starts_at < ${period.end} group by 1`),
    rosterOf(ctx),
  ]);
  const s = sums as Sums;
  const [from, until] = [epoch(period.start), epoch(period.end)];
  const workingMs = roster.workers.reduce(
    (total, { hours }) =>
      total +
      coveredDuration(
        hours.between(from, until).map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, until) })),
      ),
    0,
  );
  const counts = new Map(byStatus.map(({ status, n }) => [status, n]));
  return {
    metrics: {
      todayByStatus: Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])),
      next7d: s.next,
      utilizationPct: percent(s.bookedMs / minuteMs, workingMs / minuteMs),
      revenue30d: money(s.revenue),
      noShowPct30d: percent(s.missed, s.missed + s.seen),
      cancelPct30d: percent(s.cancelled, s.cancelled + s.held),
      avgLeadHours: average(s.leadMs / 3_600_000, s.leads),
      newCustomers30d: s.fresh,
    },
    series: {
      appointmentsByDay: daySeries(
        period,
        days.map(({ date, appointments, revenue }) => ({ date, appointments, revenue: money(revenue) })),
        { appointments: 0, revenue: money(0) },
      ),
    },
    lists: {
      topServices: services.map(({ id, name, appointments, amount }) => ({ id, name, appointments, revenue: money(amount) })),
    },
  };
}
