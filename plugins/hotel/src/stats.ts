import { type Ctx, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { average, averageMoney, lastDays, percent } from '@storeloom/plugin-sdk/stats';
import { todayOf } from './nights.ts';
import { zoneOf } from './settings.ts';

interface Sums {
  rooms: number;
  soldNights: number;
  revenue: number;
  arrivals: number;
  departures: number;
  inHouse: number;
  dirty: number;
  outOfOrder: number;
  made: number;
  cancelled: number;
  stays: number;
  stayNights: number;
  pickup: number;
}

/** Statuses of stays that take place. */
const kept = sql.raw(`('confirmed', 'checked_in', 'checked_out')`);

/**
 * Occupancy is the share of room nights occupied in the period: of guests who left early, the nights until they left. A shared room counts
 * as its beds, and a stay in the whole room as all of them.
 * `adr` is the revenue per night sold, `revPar` per night available. Figures of today use the hotel's time zone.
 */
export async function hotelStats(ctx: Ctx, period: StatsPeriod): Promise<StatsResult> {
  const { from, to, end } = period;
  const { id: tenant, currency } = ctx.tenant;
  const today = todayOf(ctx);
  const month = lastDays(period, 30);
  const week = lastDays(period, 7);
  const s = (await ctx.db.first<Sums>(sql`
    with units as (select r.id, r.status, r.out_from, r.out_to, r.housekeeping from hotel_room r where r.tenant_id = ${tenant}
        and not exists (select from hotel_room b where b.tenant_id = r.tenant_id and b.parent_room_id = r.id)),
      days as (select d::date as day from generate_series(${from}::date, ${to}::date, interval '1 day') d),
      out as (select days.day, units.id from days, units where units.status <> 'available'
        and (units.out_from is null or units.out_from <= days.day) and (units.out_to is null or days.day < units.out_to)),
      stays as (select h.*, (h.actual_check_out_at at time zone ${zoneOf(ctx)})::date as left_on
        from hotel_reservation h where h.tenant_id = ${tenant}),
      sold as (select (n->>'date')::date as day, (n->'rate'->>'amount')::int8 as rate,
          greatest(1, (select count(*) from hotel_room b where b.tenant_id = h.tenant_id and b.parent_room_id = h.room_id)) as units
        from stays h, jsonb_array_elements(h.nightly_rates) n
        where h.check_in <= ${to}::date and h.check_out > ${from}::date and (n->>'date')::date between ${from}::date and ${to}::date
          and (h.status <> 'checked_out' or (n->>'date')::date < h.left_on or h.left_on is null)
          and (h.status in ${kept} or (h.status = 'no_show' and (n->>'date')::date = h.check_in))),
      booked as (select
          count(*) filter (where status in ('confirmed', 'checked_in') and check_in = ${today}::date) as arrivals,
          count(*) filter (where status in ('checked_in', 'checked_out') and check_out = ${today}::date) as departures,
          count(*) filter (where status = 'checked_in') as "inHouse",
          count(*) filter (where made) as made,
          count(*) filter (where made and status = 'cancelled') as cancelled,
          count(*) filter (where kept) as stays,
          coalesce(sum(stayed - check_in) filter (where kept), 0)::int8 as "stayNights",
          coalesce(sum(check_out - check_in) filter (where fresh and status not in ('expired', 'cancelled')), 0)::int8 as pickup
        from (select *, created_at >= ${month.start} and created_at < ${end} as made, created_at >= ${week.start} and created_at < ${end} as fresh,
            status in ${kept} and check_in between ${from}::date and ${to}::date as kept,
            case when status = 'checked_out' then least(check_out, coalesce(left_on, check_out)) else check_out end as stayed
          from stays) r)
    select booked.*,
      ((select count(*) from units) * (select count(*) from days) - (select count(*) from out))::int8 as rooms,
      (select coalesce(sum(units), 0)::int8 from sold) as "soldNights",
      (select coalesce(sum(rate), 0)::int8 from sold) as revenue,
      (select count(*) from units where housekeeping in ('dirty', 'in_progress')) as dirty,
      (select count(*) from units where status <> 'available' and (out_from is null or out_from <= ${today}::date)
        and (out_to is null or ${today}::date < out_to)) as "outOfOrder"
    from booked`)) as Sums;
  return {
    metrics: {
      occupancyPct: percent(s.soldNights, s.rooms),
      adr: averageMoney(s.revenue, s.soldNights, currency),
      revPar: averageMoney(s.revenue, s.rooms, currency),
      arrivalsToday: s.arrivals,
      departuresToday: s.departures,
      inHouse: s.inHouse,
      dirtyRooms: s.dirty,
      outOfOrder: s.outOfOrder,
      cancellationPct30d: percent(s.cancelled, s.made),
      avgStayNights: average(s.stayNights, s.stays),
      pickup7d: s.pickup,
    },
  };
}
