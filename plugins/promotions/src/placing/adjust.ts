import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import { type LostPromotion, sortByPromotion } from '../placing/consume.ts';

interface UsageRow {
  id: string;
  promotionId: string;
  name: string;
  amount: number;
  currency: string;
  base: number;
  baseCurrency: string;
}

/**
 * Updates the discounts of an edited order's promotions. Returns those whose budget is exceeded. The caller has locked the rows.
 */
export async function adjustUses(
  ctx: Ctx,
  orderId: string,
  promotionIds: readonly string[],
  amounts: Readonly<Record<string, number>>,
): Promise<LostPromotion[]> {
  if (promotionIds.length === 0) return [];
  const rows = await ctx.db.rows<UsageRow>(sql`
    select u.id, u.promotion_id as "promotionId", t.name, u.discount_amount as amount, u.discount_currency as currency,
      u.base_discount_amount as base, u.base_discount_currency as "baseCurrency"
    from promotions_usage u join promotions_promotion t on t.tenant_id = u.tenant_id and t.id = u.promotion_id
    where u.tenant_id = ${ctx.tenant.id} and u.order_id = ${orderId} and u.promotion_id = any(${promotionIds}::uuid[]) and u.reverted_at is null`);
  const lost: LostPromotion[] = [];
  for (const row of sortByPromotion(rows)) {
    const amount = amounts[row.promotionId] ?? row.amount;
    if (amount === row.amount) continue;
    const base = row.currency === row.baseCurrency ? amount : mulRatio(row.base, amount, row.amount || 1);
    const now = ctx.clock.now();
    await ctx.db.run(sql`
      update promotions_usage set discount_amount = ${amount}, base_discount_amount = ${base}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = ${row.id}`);
    const increase = amount - row.amount;
    const updated = await ctx.db.run(sql`
      update promotions_promotion t set used_amount = t.used_amount + case when t.budget_currency = ${row.currency} then ${increase}::int8 else 0 end
      where t.tenant_id = ${ctx.tenant.id} and t.id = ${row.promotionId} and t.limited
        and (t.budget_amount is null or t.budget_currency <> ${row.currency} or ${increase}::int8 <= 0 or t.used_amount + ${increase}::int8 <= t.budget_amount)`);
    if (updated === 0 && (await isLimited(ctx, row.promotionId))) lost.push(budgetExceeded(row, amount, base));
  }
  return lost;
}

async function isLimited(ctx: Ctx, id: string): Promise<boolean> {
  const found = await ctx.db.first(
    sql`select 1 as x from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = ${id} and limited`,
  );
  return found !== undefined;
}

function budgetExceeded({ promotionId, name, currency, baseCurrency }: UsageRow, amount: number, base: number): LostPromotion {
  const discount = { amount, currency };
  return {
    use: { promotionId, name, code: null, codeId: null, discount, baseDiscount: { amount: base, currency: baseCurrency } },
    reason: 'coupon_usage_limit',
  };
}
