import { type Ctx, sql } from '@storeloom/plugin-sdk';

export interface PlanAllowance {
  limits: Record<string, number>;
  features: Record<string, boolean>;
}
/** What the tenant's plan allows now; a tenant without a plan has neither limits nor features. */
export async function allowanceOf(ctx: Pick<Ctx, 'db'>): Promise<PlanAllowance> {
  const row = await ctx.db.first<{ plan: PlanAllowance | null }>(sql`select platform_plan() as plan`);
  return row?.plan ?? { limits: {}, features: {} };
}
