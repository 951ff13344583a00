import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { queued } from '../queued.ts';

/** More of a variant can be had: so many units, and whether it was sold out before. */
export interface Arrival {
  variantId: string;
  units: number;
  turned: boolean;
}

/** People who wait for these variants, or for bundles made of them, are told by a job. */
export async function announceArrivals(ctx: Ctx, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return;
  const ids = arrivals.map((each) => each.variantId);
  const waited = await ctx.db.rows<{ variantId: string; parts: string[] }>(sql`
    select distinct variant_id as "variantId", parts from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and variant_id = any(${ids}::uuid[])
    union
    select distinct variant_id, parts from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and parts <> '[]' and parts ?| ${ids}::text[]`);
  for (const { variantId, parts } of waited) {
    const own = arrivals.find((each) => each.variantId === variantId);
    if (own) await ctx.enqueue(queued.tellWaiting, { ...own });
    // How many bundles the parts make is looked up by the job.
    else {
      const turned = arrivals.some((each) => each.turned && parts.includes(each.variantId));
      await ctx.enqueue(queued.tellWaiting, { variantId, units: null, turned });
    }
  }
}
