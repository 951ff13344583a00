import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import { byPromotion, type Lost } from '../placing/consume.ts';

interface Row {
  id: string;
  promotionId: string;
  name: string;
  amount: number;
  currency: string;
  base: number;
  baseCurrency: string;
}

/** Promotions that stay on an edited order, at what they take off now. A budget that is too small for more is a loss. Rows are locked. */
export async function adjust(
  ctx: Ctx,
  orderId: string,
  promotionIds: readonly string[],
  amounts: Readonly<Record<string, number>>,
): Promise<Lost[]> {
  if (promotionIds.length === 0) return [];
  const rows = await ctx.db.rows<Row>(sql`
    select u.id, u.promotion_id as "promotionId", t.name, u.discount_amount as amount, u.discount_currency as currency,
      u.base_discount_amount as base, u.base_discount_currency as "baseCurrency"
    from promotions_usage u join promotions_promotion t on t.tenant_id = u.tenant_id and t.id = u.promotion_id
    where u.tenant_id = ${ctx.tenant.id} and u.order_id = ${orderId} and u.promotion_id = any(${promotionIds}::uuid[]) and u.reverted_at is null`);
  const lost: Lost[] = [];
  for (const row of byPromotion(rows)) {
    const amount = amounts[row.promotionId] ?? row.amount;
    if (amount === row.amount) continue;
    const base = row.currency === row.baseCurrency ? amount : mulRatio(row.base, amount, row.amount || 1);
    const now = ctx.clock.now();
    await ctx.db.run(sql`
      update promotions_usage set discount_amount = ${amount}, base_discount_amount = ${base}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = ${row.id}`);
    const more = amount - row.amount;
    const fits = await ctx.db.run(sql`
      update promotions_promotion t set used_amount = t.used_amount + case when t.budget_currency = ${row.currency} then ${more}::int8 else 0 end
      where t.tenant_id = ${ctx.tenant.id} and t.id = ${row.promotionId} and t.limited
        and (t.budget_amount is null or t.budget_currency <> ${row.currency} or ${more}::int8 <= 0 or t.used_amount + ${more}::int8 <= t.budget_amount)`);
    if (fits === 0 && (await isLimited(ctx, row.promotionId))) lost.push(lossOf(row, amount, base));
  }
  return lost;
}

async function isLimited(ctx: Ctx, id: string): Promise<boolean> {
  const found = await ctx.db.first(
    sql`select 1 as x from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = ${id} and limited`,
  );
  return found !== undefined;
}

function lossOf({ promotionId, name, currency, baseCurrency }: Row, amount: number, base: number): Lost {
  const discount = { amount, currency };
  return {
    use: { promotionId, name, code: null, codeId: null, discount, baseDiscount: { amount: base, currency: baseCurrency } },
    reason: 'coupon_usage_limit',
  };
}
