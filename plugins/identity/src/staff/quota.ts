import { type Ctx, quotas, type quotaUsage, sql, type TapFn } from '@storeloom/plugin-sdk';

const resource = 'staff';

/** Those who may sign in, and those who are invited to. */
async function countStaff(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from identity_user where tenant_id = ${ctx.tenant.id} and deleted_at is null and status = 'active'`,
  );
  return row?.n ?? 0;
}

/** 402 when the tenant's plan has no room for one more of the staff. */
export async function roomForStaff(ctx: Ctx): Promise<void> {
  await ctx.use(quotas)?.require(resource, () => countStaff(ctx));
}

export const staffUsage: TapFn<typeof quotaUsage> = async (ctx) => [{ resource, used: await countStaff(ctx) }];
