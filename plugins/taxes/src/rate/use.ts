import { type Ctx, f, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import type { RateRow } from '../pricing/choose.ts';

/** Rates used by an order, one row a rate. */
export const rateUse = table('rate-use', { rateId: f.id() }, { uniques: [{ fields: ['rateId'] }], appendOnly: true });

export async function isUsed(ctx: Ctx, rateId: string): Promise<boolean> {
  return (await ctx.rows(rateUse).first({ rateId })) !== undefined;
}

/**
 * Marks the rates as used by an order, so that they can only end. Returns false if one of them was changed or removed since it was
 * read: the order must be priced again. Writers of a rate lock its row, which serialises them with this.
 */
export async function markRatesUsed(ctx: Ctx, rates: readonly RateRow[]): Promise<boolean> {
  if (rates.length === 0) return true;
  const tenantId = ctx.tenant.id;
  const ids = [...new Set(rates.map((rate) => rate.id))].sort();
  const now = await ctx.db.rows<{ id: string; ratePpm: number; compound: boolean; used: boolean }>(sql`
    select r.id, r.rate_ppm as "ratePpm", r.compound, exists (select from taxes_rate_use u where u.tenant_id = r.tenant_id and u.rate_id = r.id) as used
    from taxes_rate r where r.tenant_id = ${tenantId} and r.id = any(${ids}::uuid[]) order by r.id for key share`);
  const known = new Map(now.map((row) => [row.id, row]));
  const areUnchanged = rates.every((rate) => {
    const row = known.get(rate.id);
    return row !== undefined && row.ratePpm === rate.ratePpm && row.compound === rate.compound;
  });
  if (!areUnchanged) return false;
  for (const { id } of now.filter((row) => !row.used))
    await ctx.db.run(
      sql`insert into taxes_rate_use (tenant_id, id, rate_id, created_at) values (${tenantId}, ${uuidv7(ctx.clock.ms())}, ${id}, ${ctx.clock.now()}) on conflict (tenant_id, rate_id) do nothing`,
    );
  return true;
}
