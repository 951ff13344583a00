import { type Ctx, type MoneyValue, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { averageMoney, daySeries, lastDays, percent, sqlDate } from '@storeloom/plugin-sdk/stats';

interface Sums {
  upcoming: number;
  sold: number;
  gross: number;
  refunded: number;
  places: number;
  taken: number;
  ongoingIn: number;
  ongoing: number;
  lastIn: number;
  last: number;
}

/** Gross and sold count purchases paid in the window; `refunded` is the refunded part of these. */
export async function eventsStats(ctx: Ctx, period: StatsPeriod): Promise<StatsResult> {
  const { timezone, end } = period;
  const { id: tenant, currency } = ctx.tenant;
  const now = ctx.clock.now();
  const month = lastDays(period, 30);
  const money = (amount: number): MoneyValue => ({ amount, currency });
  const [sums, days] = await Promise.all([
    ctx.db.first<Sums>(sql`
      with paid as (select id, total_amount, refunded_amount from events_purchase
          where tenant_id = ${tenant} and paid_at >= ${month.start} and paid_at < ${end}),
        live as (select t.status, t.event_id, t.checked_in_at from events_ticket t
          where t.tenant_id = ${tenant} and t.status in ('valid', 'checked_in')),
        sizes as (select e.id, e.starts_at, e.ends_at, coalesce(e.capacity,
            (select case when count(*) = count(y.quantity) then sum(y.quantity) end from events_ticket_type y
              where y.tenant_id = e.tenant_id and y.event_id = e.id))::int8 as size
          from events_event e where e.tenant_id = ${tenant} and e.deleted_at is null and e.status in ('published', 'completed')),
        last as (select id from sizes where ends_at <= ${now} order by ends_at desc, id limit 1)
      select
        (select count(*)::int8 from events_event where tenant_id = ${tenant} and deleted_at is null and status = 'published' and starts_at > ${now}) as upcoming,
        (select count(*)::int8 from events_ticket t join paid on paid.id = t.purchase_id where t.tenant_id = ${tenant} and t.status in ('valid', 'checked_in', 'refunded', 'cancelled')) as sold,
        (select coalesce(sum(total_amount), 0)::int8 from paid) as gross,
        (select coalesce(sum(refunded_amount), 0)::int8 from paid) as refunded,
        (select coalesce(sum(size), 0)::int8 from sizes where starts_at > ${now} and size is not null) as places,
        (select count(*)::int8 from live join sizes on sizes.id = live.event_id where starts_at > ${now} and size is not null) as taken,
        (select count(*)::int8 from live join sizes on sizes.id = live.event_id where starts_at <= ${now} and ends_at > ${now}) as ongoing,
        (select count(*)::int8 from live join sizes on sizes.id = live.event_id where starts_at <= ${now} and ends_at > ${now} and live.status = 'checked_in') as "ongoingIn",
        (select count(*)::int8 from live join last on last.id = live.event_id) as last,
        (select count(*)::int8 from live join last on last.id = live.event_id where live.status = 'checked_in') as "lastIn"`),
    ctx.db.rows<{ date: string; tickets: number; amount: number }>(sql`
      select ${sqlDate('p.paid_at', timezone)} as date, sum(n)::int8 as tickets, sum(p.total_amount)::int8 as amount
      from events_purchase p, lateral (select count(*) as n from events_ticket t where t.tenant_id = p.tenant_id and t.purchase_id = p.id
        and t.status in ('valid', 'checked_in', 'refunded', 'cancelled')) c
      where p.tenant_id = ${tenant} and p.paid_at >= ${month.start} and p.paid_at < ${end} group by 1`),
  ]);
  const s = sums as Sums;
  return {
    metrics: {
      upcoming: s.upcoming,
      ticketsSold30d: s.sold,
      grossRevenue30d: money(s.gross),
      refunded30d: money(s.refunded),
      sellThroughPct: percent(s.taken, s.places),
      checkInPct: percent(s.ongoingIn, s.ongoing),
      noShowPct: percent(s.last - s.lastIn, s.last),
      avgTicket: averageMoney(s.gross, s.sold, currency),
    },
    series: {
      salesByDay: daySeries(month, days, { tickets: 0, amount: 0 }).map((day) => ({ ...day, amount: money(day.amount) })),
    },
  };
}
