import { type Ctx, type StatsPeriod, type StatsResult, sql } from '@storeloom/plugin-sdk';
import { percent } from '@storeloom/plugin-sdk/stats';
import { civilDate } from '@storeloom/plugin-sdk/time';

// #region stats
/** `GET /api/admin/dashboard/tool-library-stats`: loans made in the period and how many of them came back; what is out and late now. */
export async function toolLibraryStats(ctx: Ctx, { start, end }: StatsPeriod): Promise<StatsResult> {
  const today = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const counted = await ctx.db.first<{ made: number; returned: number; out: number; late: number }>(sql`
    select count(*) filter (where created_at >= ${start} and created_at < ${end})::int8 as made,
      count(*) filter (where created_at >= ${start} and created_at < ${end} and status = 'returned')::int8 as returned,
      count(*) filter (where status = 'out')::int8 as out,
      count(*) filter (where status = 'out' and due_on < ${today})::int8 as late
    from tool_library_loan where tenant_id = ${ctx.tenant.id}`);
  const { made = 0, returned = 0, out = 0, late = 0 } = counted ?? {};
  return { metrics: { made, returned, returnedPercent: percent(returned, made), out, late } };
}
// #endregion
