import { type Ctx, quotas, type quotaUsage, sql, type TapFn } from '@storeloom/plugin-sdk';
import { civilDate, dayBounds, monthBounds } from '@storeloom/plugin-sdk/time';

const resource = 'ordersPerMonth';

/** Counts all orders, cancelled ones included. */
async function placedThisMonth(ctx: Ctx): Promise<number> {
  const { from, to } = monthBounds(civilDate(ctx.clock.now(), ctx.tenant.timezone).slice(0, 7));
  const { start, end } = dayBounds(from, to, ctx.tenant.timezone);
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from orders_order where tenant_id = ${ctx.tenant.id} and placed_at >= ${start} and placed_at < ${end}`,
  );
  return row?.n ?? 0;
}

/** @throws 402 `quota_exceeded` when the tenant's plan allows no further order this month */
export async function checkOrderQuota(ctx: Ctx): Promise<void> {
  await ctx.use(quotas)?.require(resource, () => placedThisMonth(ctx));
}

export const orderUsage: TapFn<typeof quotaUsage> = async (ctx) => [{ resource, used: await placedThisMonth(ctx) }];
