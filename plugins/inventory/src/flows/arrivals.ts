import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { queued } from '../queued.ts';

/** An increase of a variant's sellable units. */
export interface Arrival {
  variantId: string;
  units: number;
  /** The variant was sold out before. */
  wasSoldOut: boolean;
}

/** Queues back-in-stock e-mails for these variants, and for bundles that contain them. */
export async function announceArrivals(ctx: Ctx, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return;
  const ids = arrivals.map((each) => each.variantId);
  const requested = await ctx.db.rows<{ variantId: string; parts: string[] }>(sql`
    select distinct variant_id as "variantId", parts from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and variant_id = any(${ids}::uuid[])
    union
    select distinct variant_id, parts from inventory_back_in_stock where tenant_id = ${ctx.tenant.id} and parts <> '[]' and parts ?| ${ids}::text[]`);
  for (const { variantId, parts } of requested) {
    const arrival = arrivals.find((each) => each.variantId === variantId);
    if (arrival) await ctx.enqueue(queued.backInStock, { ...arrival });
    // The job computes how many bundles the components make.
    else {
      const wasSoldOut = arrivals.some((each) => each.wasSoldOut && parts.includes(each.variantId));
      await ctx.enqueue(queued.backInStock, { variantId, units: null, wasSoldOut });
    }
  }
}
